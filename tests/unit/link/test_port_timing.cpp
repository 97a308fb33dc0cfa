#include <catch2/catch.hpp>

#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;
using sc_core::sc_time_stamp;

TEST_CASE("one frame takes its serialisation and the latency") {
  link_bench bench{one_lane()};
  message m = message_of(1000, 42);
  m.header = {1, 2, 3, 4, 5, 6, 7, 8};
  bench.a.send(m);
  bench.run();
  REQUIRE(bench.arrived.size() == 1);
  CHECK(bench.arrival(0) == ns(83.04 + 2000));
  CHECK(bench.arrived[0].sent_at == ns(0));
  CHECK(bench.arrived[0].content.size.value() == 1000);
  CHECK(bench.arrived[0].content.request == 42);
  CHECK(bench.arrived[0].content.header == m.header);
}

TEST_CASE("a small message is padded to the shortest Ethernet frame") {
  link_bench bench{one_lane()};
  bench.a.send(message_of(1));
  bench.run();
  CHECK(bench.arrival(0) == ns(84 * 0.08 + 2000));
}

TEST_CASE("a message of several frames on several lanes arrives with the last frame of the representative lane") {
  link_config c = one_lane();
  c.lanes = 12;
  c.latency_ns = 5000;
  link_bench bench{c};
  bench.a.send(message_of(20'480));
  bench.run();
  REQUIRE(bench.arrived.size() == 1);
  // 1707 B per lane: frames of 1500 and 207 B, 1538 and 245 B on the wire.
  CHECK(bench.arrival(0) == ns(1783 * 0.08 + 5000));
  const port_statistics s = bench.a.statistics();
  CHECK(s.frames_sent == 24);
  CHECK(s.wire_bits_sent == 1783 * 8 * 12);
  CHECK(s.message_bytes_sent == 20'480);
  CHECK(s.busy == ns(1783 * 0.08));
  CHECK(bench.b.statistics().frames_received == 24);
  CHECK(bench.b.statistics().message_bytes_received == 20'480);
}

TEST_CASE("messages back to back follow each other without a gap") {
  link_bench bench{one_lane()};
  for (int i = 0; i < 3; ++i)
    bench.a.send(message_of(1000));
  CHECK(bench.a.queued_messages() == 3);
  bench.run();
  REQUIRE(bench.arrived.size() == 3);
  for (int i = 0; i < 3; ++i)
    CHECK(bench.arrival(i) == ns(83.04 * (i + 1) + 2000));
  CHECK(bench.a.queued_messages() == 0);
  CHECK(bench.a.statistics().peak_queued_messages == 3);
  CHECK(bench.a.statistics().peak_queued_bytes == 3000);
}

TEST_CASE("a message sent while a frame is under way starts when it ends, a later one at once") {
  link_bench bench{one_lane()};
  bench.a.send(message_of(1000));
  bench.run_for(50);
  bench.a.send(message_of(500));
  CHECK(bench.a.statistics().busy == ns(50));
  bench.run_for(1000);
  bench.a.send(message_of(500));
  bench.run();
  REQUIRE(bench.arrived.size() == 3);
  CHECK(bench.arrival(1) == ns(83.04 + 538 * 0.08 + 2000));
  CHECK(bench.arrival(2) == ns(1050 + 538 * 0.08 + 2000));
  CHECK(bench.arrived[2].sent_at == ns(1050));
}

TEST_CASE("a message sent with a delay leaves when the delay is over, in the order of ready times") {
  link_bench bench{one_lane()};
  bench.a.send(message_of(1000, 1), ns(300));
  bench.a.send(message_of(1000, 2), ns(200));
  bench.a.send(message_of(1000, 3), ns(300));
  bench.a.send(message_of(1000, 4));
  bench.run();
  REQUIRE(bench.arrived.size() == 4);
  CHECK(bench.arrived[0].content.request == 4);
  CHECK(bench.arrived[1].content.request == 2);
  CHECK(bench.arrived[2].content.request == 1);
  CHECK(bench.arrived[3].content.request == 3);
  CHECK(bench.arrival(0) == ns(83.04 + 2000));
  CHECK(bench.arrival(1) == ns(200 + 83.04 + 2000));
  CHECK(bench.arrival(2) == ns(300 + 83.04 + 2000));
  CHECK(bench.arrival(3) == ns(300 + 2 * 83.04 + 2000));
  CHECK(bench.arrived[3].sent_at == ns(300));
}

TEST_CASE("the two directions do not slow each other") {
  link_bench bench{one_lane()};
  std::vector<sc_core::sc_time> back;
  bench.a.on_message([&](delivery& d) {
    back.push_back(d.arrived_at);
    bench.a.release(d);
  });
  for (int i = 0; i < 2; ++i) {
    bench.a.send(message_of(1000));
    bench.b.send(message_of(1500));
  }
  bench.run();
  CHECK(bench.arrival(1) == ns(2 * 83.04 + 2000));
  REQUIRE(back.size() == 2);
  CHECK(back[1] == ns(2 * 123.04 + 2000));
}

TEST_CASE("virtual channels take turns frame by frame") {
  link_config c = one_lane();
  c.virtual_channels = 3;
  link_bench bench{c};
  // Channel 1 has the transmitter when the others queue up: 1 | 2 0 1 2 0 2.
  bench.a.send(message_of(3000, 10, 1));
  bench.a.send(message_of(3000, 20, 2));
  bench.a.send(message_of(1500, 21, 2));
  bench.a.send(message_of(1500, 30, 0));
  bench.a.send(message_of(1500, 31, 0));
  bench.run();
  REQUIRE(bench.arrived.size() == 5);
  const std::vector<std::pair<std::uint64_t, int>> expected = {{30, 3}, {10, 4}, {20, 5}, {31, 6}, {21, 7}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(bench.arrived[i].content.request == expected[i].first);
    CHECK(bench.arrival(i) == ns(expected[i].second * 123.04 + 2000));
  }
}

TEST_CASE("arrived messages wait for pop when nobody handles them") {
  const link_config c = one_lane();
  port a{"a", c}, b{"b", c};
  connect(a, b);
  a.send(message_of(1000, 1));
  a.send(message_of(1000, 2));
  CHECK_FALSE(b.pop());
  sc_core::sc_start();
  auto first = b.pop();
  REQUIRE(first);
  CHECK(first->content.request == 1);
  CHECK(first->arrived_at == ns(2083.04));
  b.release(*first);
  CHECK(b.pop()->content.request == 2);
  CHECK_FALSE(b.pop());
}
