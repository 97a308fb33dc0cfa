#include <catch2/catch.hpp>
#include <string>

#include "tests/support/report_text.h"
#include "tests/unit/switch/switch_bench.h"

using namespace scribeline;
using namespace scribeline::switching;
using Catch::Contains;
using sc_core::sc_start;
using test_support::report_text;

TEST_CASE("a frame to nobody is an error that names sender and destination") {
  switch_bench b(2);
  b.unicast(0, 17, 100);
  const std::string message = report_text([] { sc_start(nanoseconds(1000)); });
  CHECK_THAT(message, Contains("/scribeline/switch/route"));
  CHECK_THAT(message, Contains("a frame to destination 17, which is not known from dut.port_0"));
}

TEST_CASE("receive buffers that do not fit into the packet memory are refused") {
  switch_config c;
  c.ports = 64;
  c.buffer_bytes = 1 << 20;
  CHECK_THAT(report_text([&c] { cut_through_switch s("dut", c, plain_link()); }),
             Contains("64 ports with 2 virtual channels of receive_buffer_bytes = 65536 take 8388608"));
}

TEST_CASE("routes and groups with ports that do not exist are refused") {
  switch_bench b(2);
  CHECK_THAT(report_text([&b] { b.dut.set_route(5, 2); }), Contains("ports are 0 to 1"));
  CHECK_THAT(report_text([&b] { b.dut.set_group(0, {0, 3}); }), Contains("group 0 with port 3"));
}

TEST_CASE("frames for a link that is down are dropped, and their room is free again") {
  switch_bench b(3);
  int told = -1;
  b.dut.on_link_down([&told](int port) { told = port; });
  for (int i = 0; i < 40; ++i)
    b.unicast(0, 1, 4080);
  sc_start(nanoseconds(600));
  b.ends[1].take_down();
  b.unicast(0, 2, 4080, 0, 0, 8);
  sc_start(nanoseconds(20'000));
  CHECK(told == 1);
  REQUIRE_FALSE(b.log.empty());
  CHECK(b.log.back().port == 2);
  CHECK(b.log.back().what.request == 8);
  const switch_statistics s = b.dut.statistics();
  CHECK(s.frames_dropped > 0);
  CHECK(s.buffer_bytes == 0);
  CHECK(s.frames_in == 41);
  CHECK(b.dut.why_blocked().empty());
}
