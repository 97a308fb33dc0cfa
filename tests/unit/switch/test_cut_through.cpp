#include <catch2/catch.hpp>

#include "tests/unit/switch/switch_bench.h"

using namespace scribeline;
using namespace scribeline::switching;
using sc_core::sc_start;

TEST_CASE("a frame is not stored: its first bit leaves 250 ns after it came") {
  switch_bench b(2);
  b.unicast(0, 1, 4080);
  sc_start(nanoseconds(10'000));
  REQUIRE(b.log.size() == 1);
  CHECK(b.log[0].port == 1);
  // Two links of 10 ns, the switch, and the frame of 41 ns once.
  CHECK(b.log[0].at == nanoseconds(10 + 250 + 10 + 41));
}

TEST_CASE("a frame that comes slower than it leaves waits until its last bit can follow") {
  link::link_config fast = plain_link();
  link::link_config slow = plain_link();
  slow.lane_gbps = 400;
  cut_through_switch s("dut", switch_bench::config_for(2), fast);
  link::port from("from", slow), to("to", fast);
  link::connect(from, s.ports[0]);
  link::connect(to, s.ports[1]);
  s.set_route(1, 1);
  sc_core::sc_time at;
  to.on_message([&at](link::delivery& d) { at = d.arrived_at; });
  link::message m;
  m.size = base::bytes{4080};
  network_header n;
  n.destination = 1;
  n.write_to(m);
  from.send(m);
  sc_start(nanoseconds(10'000));
  // The last bit comes at 10 + 82 ns and leaves 250 ns later.
  CHECK(at == nanoseconds(10 + 82 + 250 + 10));
}

TEST_CASE("the packet memory holds a frame from its first bit in to its last bit out") {
  switch_bench b(2);
  b.unicast(0, 1, 4080);
  sc_start(nanoseconds(10));
  CHECK(b.dut.statistics().buffer_bytes == 0);
  sc_start(nanoseconds(1));
  CHECK(b.dut.statistics().buffer_bytes == 4080);
  sc_start(nanoseconds(289.9));
  CHECK(b.dut.statistics().buffer_bytes == 4080);
  sc_start(nanoseconds(0.2));
  CHECK(b.dut.statistics().buffer_bytes == 0);
  CHECK(b.dut.statistics().peak_buffer_bytes == 4080);
}

TEST_CASE("credits come back when the frame has left: the knee lies at the round trip of a link and the switch") {
  link::link_config l = plain_link();
  l.receive_buffer_bytes = 4080;  // one frame
  l.frame_payload_bytes = 4080;
  switch_bench b(2, l);
  b.unicast(0, 1, 4080);
  b.unicast(0, 1, 4080);
  sc_start(nanoseconds(10'000));
  REQUIRE(b.log.size() == 2);
  // The next frame starts when the credit is back: 10 there, 250 + 41 in the switch, 10 back.
  CHECK(b.log[1].at - b.log[0].at == nanoseconds(10 + 250 + 41 + 10));
}
