#include <catch2/catch.hpp>

#include "tests/support/report_text.h"
#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;
using scribeline::test_support::report_text;

TEST_CASE("a port refuses a configuration that cannot be") {
  link_config c;
  c.virtual_channels = 0;
  CHECK(report_text([&] { port p("p", c); }) == "/scribeline/link/config: p: virtual_channels = 0: must be 1 to 32");
}

TEST_CASE("a message without bytes or on a channel that does not exist is refused") {
  link_bench bench{one_lane()};
  CHECK(report_text([&] { bench.a.send(message_of(0)); }) ==
        "/scribeline/link/message: a: a message of 0 B: it takes at least 1");
  CHECK(report_text([&] { bench.a.send(message_of(10, 0, 1)); }) ==
        "/scribeline/link/message: a: a message on virtual channel 1: the port has 1, from 0 on");
  CHECK(bench.a.queued_messages() == 0);
}

TEST_CASE("a message that can never be complete in a held buffer is refused when it begins to arrive") {
  link_bench bench{one_lane()};
  bench.a.send(message_of(65'536));
  bench.run();
  CHECK(bench.arrived.size() == 1);
  CHECK(report_text([&] {
          bench.a.send(message_of(65'537));
          bench.run();
        }) ==
        "/scribeline/link/buffer: b: a message of 65537 B (65537 B per lane) from a can never be complete in a receive "
        "buffer of 65536 B per lane that is held until the message is released");
}

TEST_CASE("a peer whose buffer cannot hold a frame is refused at the start") {
  link_config jumbo = one_lane();
  jumbo.frame_payload_bytes = 9000;
  link_config small = one_lane();
  small.receive_buffer_bytes = 8000;
  link_bench bench{jumbo, small};
  CHECK(report_text([&] { bench.run(); }) ==
        "/scribeline/link/buffer: a: b has a receive buffer of 8000 B per lane, a frame takes up to 9000 B");
}

TEST_CASE("peers with different numbers of lanes are refused at the start") {
  link_config two = one_lane();
  two.lanes = 2;
  link_bench bench{one_lane(), two};
  CHECK(report_text([&] { bench.run(); }) == "/scribeline/link/config: a: lanes = 1, but b has lanes = 2");
}

TEST_CASE("peers that do not agree on retry are refused at the start") {
  link_config retry = one_lane();
  retry.llr.on = true;
  link_bench bench{one_lane(), retry};
  CHECK(report_text([&] { bench.run(); }) == "/scribeline/link/config: a: retry is off, but b has it on");
}

TEST_CASE("peers that do not agree on flow control are refused at the start") {
  link_config pause = one_lane();
  pause.flow.kind = flow_control::pause;
  link_bench bench{pause, one_lane()};
  CHECK(report_text([&] { bench.run(); }) ==
        "/scribeline/link/config: a: flow control is by pause, but b has it by credits");
}

TEST_CASE("only credits can stick, and only on channels that exist") {
  link_config pause = one_lane();
  pause.flow.kind = flow_control::pause;
  link_bench bench{pause};
  CHECK(report_text([&] { bench.b.stick_credits(0); }) ==
        "/scribeline/link/message: b: no credits to stick on virtual channel 0");
}

TEST_CASE("a message is released once, by the port that delivered it") {
  link_bench bench{one_lane()};
  bench.releases = false;
  bench.a.send(message_of(100));
  bench.run();
  delivery d = bench.arrived.at(0);
  CHECK(report_text([&] { bench.a.release(d); }) ==
        "/scribeline/link/release: a: this port holds no message on virtual channel 0");
  CHECK(report_text([&] { bench.b.release(d); }) == "no error");
  CHECK(report_text([&] { bench.b.release(d); }) == "/scribeline/link/release: b: the message is released already");
}

TEST_CASE("a message on a channel the receiver lacks waits, and the port says why") {
  link_config two = one_lane();
  two.virtual_channels = 2;
  link_bench bench{two, one_lane()};
  // The sender has no credit for channel 1 and never gets any.
  bench.a.send(message_of(100, 0, 1));
  bench.run_for(10'000);
  CHECK(bench.a.queued_messages() == 1);
  CHECK_THAT(bench.a.why_blocked(), Catch::Contains("0 of 0 B are free"));
}

TEST_CASE("a link has neither blocking transport nor memory") {
  link_bench bench{one_lane()};
  frame f;
  sc_core::sc_time delay;
  tlm::tlm_dmi dmi;
  CHECK_THAT(report_text([&] { bench.a.tx->b_transport(f, delay); }),
             Catch::StartsWith("/scribeline/link/unsupported"));
  bench.run_for(0);
  CHECK_THAT(report_text([&] { bench.a.tx->b_transport(f, delay); }),
             Catch::StartsWith("/scribeline/link/unsupported"));
  CHECK_THAT(report_text([&] { bench.a.tx->transport_dbg(f); }), Catch::StartsWith("/scribeline/link/unsupported"));
  CHECK_THAT(report_text([&] { bench.a.tx->get_direct_mem_ptr(f, dmi); }),
             Catch::StartsWith("/scribeline/link/unsupported"));
}
