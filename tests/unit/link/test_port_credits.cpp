#include <catch2/catch.hpp>

#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;

TEST_CASE("a receiver that never frees stops the sender after exactly the buffer") {
  link_bench bench{room_for_four()};
  bench.releases = false;
  for (int i = 0; i < 10; ++i)
    bench.a.send(message_of(1000));
  bench.run_for(100'000);
  CHECK(bench.arrived.size() == 4);
  CHECK(bench.a.queued_messages() == 6);
  const port_statistics s = bench.a.statistics();
  CHECK(s.message_bytes_sent == 4000);
  CHECK(s.credit_stall == ns(100'000 - 4 * 83.04));
  CHECK(bench.b.statistics().peak_buffer_bytes == 4000);
}

TEST_CASE("a buffer that is no multiple of the frame takes the frames that fit entirely") {
  link_config c = room_for_four();
  c.receive_buffer_bytes = 4999;
  link_bench bench{c};
  bench.releases = false;
  for (int i = 0; i < 10; ++i)
    bench.a.send(message_of(1000));
  bench.run_for(100'000);
  CHECK(bench.arrived.size() == 4);
}

TEST_CASE("both ports can tell who waits for whom") {
  link_bench bench{room_for_four()};
  bench.releases = false;
  CHECK(bench.a.why_blocked().empty());
  CHECK(bench.b.why_blocked().empty());
  for (int i = 0; i < 6; ++i)
    bench.a.send(message_of(1000));
  bench.run_for(100'000);
  CHECK(
      bench.a.why_blocked() ==
      "a: 2 messages (2000 B) wait on virtual channel 0 for b to free its receive buffer: the next frame takes 1000 B "
      "per lane, 0 of 4000 B are free\n");
  CHECK(bench.b.why_blocked() ==
        "b: 4 delivered messages hold the receive buffer of virtual channel 0 (4000 of 4000 B per lane) until they are "
        "released\n");
  for (std::size_t i = 0; i < 4; ++i)
    bench.b.release(bench.arrived[i]);
  bench.releases = true;
  bench.run();
  CHECK(bench.a.why_blocked().empty());
  CHECK(bench.b.why_blocked().empty());
}

TEST_CASE("a freed message lets exactly one more start, a credit latency later") {
  link_bench bench{room_for_four()};
  bench.releases = false;
  for (int i = 0; i < 10; ++i)
    bench.a.send(message_of(1000));
  bench.run_for(10'000);
  bench.b.release(bench.arrived[0]);
  bench.run_for(10'000);
  REQUIRE(bench.arrived.size() == 5);
  CHECK(bench.arrival(4) == ns(10'000 + 500 + 83.04 + 2000));
  CHECK(bench.a.statistics().credit_stalls == 1);
  CHECK(bench.a.statistics().credit_stall == ns(10'500 - 4 * 83.04 + 20'000 - 10'583.04));
}

TEST_CASE("credits come back in any order of release") {
  link_bench bench{room_for_four()};
  bench.releases = false;
  for (int i = 0; i < 8; ++i)
    bench.a.send(message_of(1000, static_cast<std::uint64_t>(i)));
  bench.run_for(10'000);
  bench.b.release(bench.arrived[3]);
  bench.b.release(bench.arrived[1]);
  bench.run_for(10'000);
  REQUIRE(bench.arrived.size() == 6);
  CHECK(bench.arrived[5].content.request == 5);
}

TEST_CASE("a virtual channel without credit does not hold up another") {
  link_config c = room_for_four();
  c.virtual_channels = 2;
  link_bench bench{c};
  bench.b.on_message([&bench](delivery& d) {
    if (d.content.virtual_channel == 1) bench.b.release(d);
    bench.arrived.push_back(d);
  });
  for (int i = 0; i < 10; ++i)
    bench.a.send(message_of(1000, 0, 0));
  for (int i = 0; i < 10; ++i)
    bench.a.send(message_of(1000, 1, 1));
  bench.run_for(100'000);
  CHECK(bench.arrived.size() == 14);
  CHECK(bench.a.queued_messages() == 6);
  CHECK_THAT(bench.a.why_blocked(), Catch::Contains("virtual channel 0") && !Catch::Contains("virtual channel 1"));
}

TEST_CASE("a message of several frames holds its whole size until it is released") {
  link_config c = room_for_four();
  link_bench bench{c};
  bench.releases = false;
  bench.a.send(message_of(2500, 1));
  bench.a.send(message_of(2500, 2));
  bench.run_for(100'000);
  // The second message has 1500 B of room: one frame of it is across, the next does not fit.
  REQUIRE(bench.arrived.size() == 1);
  CHECK(bench.a.statistics().frames_sent == 4);
  CHECK(bench.b.statistics().peak_buffer_bytes == 3500);
  bench.b.release(bench.arrived[0]);
  bench.run_for(100'000);
  REQUIRE(bench.arrived.size() == 2);
  CHECK(bench.arrival(1) == ns(100'000 + 500 + (1038 + 538) * 0.08 + 2000));
}

TEST_CASE("a draining receiver takes messages larger than its buffer") {
  link_config c = room_for_four();
  c.policy = buffer_policy::drain_on_arrival;
  link_bench bench{c};
  bench.a.send(message_of(100'000));
  bench.run();
  REQUIRE(bench.arrived.size() == 1);
  CHECK(bench.arrived[0].held_bytes == 0);
  // 100 frames; four leave per round trip of 83.04 + 2000 + 500 ns, and the 100th is the last of its four.
  CHECK(bench.arrival(0) == ns(24 * 2583.04 + 4 * 83.04 + 2000));
  bench.b.release(bench.arrived[0]);
}

TEST_CASE("the buffer is shared by the lanes") {
  link_config c = room_for_four();
  c.lanes = 4;
  c.receive_buffer_bytes = 16'000;
  link_bench bench{c};
  bench.releases = false;
  for (int i = 0; i < 10; ++i)
    bench.a.send(message_of(4000));
  bench.run_for(100'000);
  CHECK(bench.arrived.size() == 4);
  CHECK(bench.b.statistics().peak_buffer_bytes == 16'000);
}

TEST_CASE("each direction lives by the buffer its receiver announces") {
  link_config small = room_for_four();
  link_config large = room_for_four();
  large.receive_buffer_bytes = 9000;
  link_bench bench{small, large};
  bench.releases = false;
  int to_a = 0;
  bench.a.on_message([&to_a](delivery&) { ++to_a; });
  for (int i = 0; i < 20; ++i) {
    bench.a.send(message_of(1000));
    bench.b.send(message_of(1000));
  }
  bench.run_for(100'000);
  CHECK(bench.arrived.size() == 9);
  CHECK(to_a == 4);
}
