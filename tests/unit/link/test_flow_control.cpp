// Periodic credits, credits lost or stuck, pause flow control.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;
using sc_core::sc_time;

TEST_CASE("periodic updates carry all that was freed since the last, at multiples of the period") {
  link_config c = room_for_four();
  c.flow.credit_update_ns = 300;
  link_bench bench{c};
  for (int i = 0; i < 8; ++i)
    bench.a.send(message_of(1000));
  bench.run();
  REQUIRE(bench.arrived.size() == 8);
  // The first two are in at 2083.04 and 2166.08 ns: they are in the update of 2100 and 2400 ns, which arrive 500 ns
  // later.
  CHECK(bench.arrival(4) == ns(2100 + 500 + 83.04 + 2000));
  CHECK(bench.arrival(5) == ns(2400 + 500 + 83.04 + 2000));
  CHECK(bench.arrival(7) == ns(2400 + 500 + 3 * 83.04 + 2000));
  // 2083.04 | 2166.08 2249.12 2332.16 | 4683.04 | 4983.04 | 5066.08 5149.12: before 2100, 2400, 4800, 5100, 5400.
  CHECK(bench.b.statistics().credit_updates_sent == 5);
}

TEST_CASE("a lost credit update is made good by the next") {
  link_config c = room_for_four();
  link_config lossy = c;
  lossy.errors.control_error_rate = 0.5;
  lossy.flow.resync_ns = 700;
  link_bench bench{c, lossy};
  for (int i = 0; i < 1000; ++i)
    bench.a.send(message_of(1000, static_cast<std::uint64_t>(i)));
  bench.run();
  REQUIRE(bench.arrived.size() == 1000);
  for (std::size_t i = 0; i < 1000; ++i)
    REQUIRE(bench.arrived[i].content.request == i);
  const port_statistics s = bench.b.statistics();
  CHECK(s.credit_updates_lost > 300);
  CHECK(s.peak_buffer_bytes <= 4000);
  CHECK(bench.a.why_blocked().empty());
}

TEST_CASE("without resynchronisation a lost update stops the link, and the receiver says so") {
  link_config c = room_for_four();
  link_config lossy = c;
  lossy.errors.control_error_rate = 1;
  lossy.flow.resync_ns = 0;
  link_bench bench{c, lossy};
  for (int i = 0; i < 6; ++i)
    bench.a.send(message_of(1000));
  bench.run();
  CHECK(bench.arrived.size() == 4);
  CHECK_THAT(bench.a.why_blocked(), Catch::Contains("2 messages (2000 B) wait on virtual channel 0 for b"));
  CHECK(bench.b.why_blocked() ==
        "b: a credit update of virtual channel 0 was lost, and none repeats it (flow.resync_ns = 0): 4000 B per lane "
        "were freed, the sender does not know\n");
}

TEST_CASE("without retry a lost frame costs its message, and its credit until the next resynchronisation") {
  link_config c = room_for_four();
  c.errors.frame_error_rate = 0.1;
  c.errors.control_error_rate = 0;
  c.flow.resync_ns = 5000;
  link_bench bench{c};
  for (int i = 0; i < 500; ++i)
    bench.a.send(message_of(2500, static_cast<std::uint64_t>(i)));
  bench.run();
  const port_statistics s = bench.b.statistics();
  CHECK(s.frames_bad == bench.a.statistics().frames_corrupted);
  CHECK(s.frames_bad > 100);
  // One in a thousand loses all three of its frames.
  const auto unseen = 500 - s.messages_broken - static_cast<std::int64_t>(bench.arrived.size());
  CHECK(unseen >= 0);
  CHECK(unseen <= 5);
  // 0.9^3 of the messages, within four standard deviations.
  CHECK(static_cast<double>(bench.arrived.size()) == Approx(500 * 0.729).margin(4 * std::sqrt(500 * 0.729 * 0.271)));
  CHECK(bench.a.queued_messages() == 0);
  CHECK(bench.a.why_blocked().empty());
}

TEST_CASE("stuck credits are diagnosed at the port that holds them, and heal when it lets go") {
  link_config c = room_for_four();
  c.virtual_channels = 2;
  link_bench bench{c};
  bench.run_for(1000);
  bench.b.stick_credits(1);
  for (int i = 0; i < 10; ++i) {
    bench.a.send(message_of(1000, 0, 0));
    bench.a.send(message_of(1000, 1, 1));
  }
  bench.run();
  CHECK(bench.arrived.size() == 14);
  CHECK_THAT(bench.a.why_blocked(), Catch::Contains("6 messages (6000 B) wait on virtual channel 1"));
  CHECK(bench.b.why_blocked() ==
        "b: credits of virtual channel 1 are stuck since 1 us: 4000 B per lane were freed, the sender was not told\n");
  bench.b.stick_credits(1, false);
  bench.run();
  CHECK(bench.arrived.size() == 20);
  CHECK(bench.b.why_blocked().empty());
}

namespace {

// 100 B per ns, 500 ns there and 200 ns back.
link_config paused_link() {
  link_config c;
  c.lane_gbps = 800;
  c.latency_ns = 500;
  c.credit_latency_ns = 200;
  c.frame_payload_bytes = 1000;
  c.flow.kind = flow_control::pause;
  c.flow.pause_above_bytes = 20'000;
  c.flow.resume_at_bytes = 10'000;
  return c;
}

struct slow_consumer {
  link_bench bench;
  explicit slow_consumer(const link_config& c) : bench(c) {
    bench.releases = false;
    for (int i = 0; i < 500; ++i)
      bench.a.send(message_of(1000));
  }
  // Releases the messages that arrived in the order of their arrival, one per 20 ns: half the rate of the link.
  void run() {
    std::size_t released = 0;
    for (int step = 0; step < 2000; ++step) {
      bench.run_for(20);
      if (released < bench.arrived.size()) bench.b.release(bench.arrived[released++]);
    }
  }
};

}  // namespace

TEST_CASE("the headroom that is enough: what comes until a pause has effect, and two frames") {
  link_config c = paused_link();
  CHECK(pause_headroom(c) == 700 * 100 + 2 * 1000);
  c.lanes = 2;
  CHECK(pause_headroom(c) == 2 * (700 * 100 + 2 * 1000));
  c.llr.on = true;
  CHECK(pause_headroom(c) == 2 * (700 * 100 + 2 * 1000));
  // With errors all that was not acknowledged may still come.
  c.errors.bit_error_rate = 1e-9;
  CHECK(pause_headroom(c) == 2 * (200 * 100 + 256 * 1024 + 2 * 1000));
}

TEST_CASE("a paused channel loses nothing when the headroom is enough, and uses most of it") {
  link_config c = paused_link();
  c.receive_buffer_bytes = 20'000 + pause_headroom(c);
  slow_consumer slow{c};
  slow.run();
  CHECK(slow.bench.arrived.size() == 500);
  const port_statistics s = slow.bench.b.statistics();
  CHECK(s.frames_overflowed == 0);
  CHECK(s.pauses_sent >= 4);
  CHECK(s.peak_buffer_bytes <= c.receive_buffer_bytes);
  // The consumer takes out half of what comes while the pause is on its way.
  CHECK(s.peak_buffer_bytes > 20'000 + 30'000);
  CHECK(slow.bench.a.why_blocked().empty());
}

TEST_CASE("a paused channel loses frames when the headroom is not enough, and says what would be") {
  link_config c = paused_link();
  c.receive_buffer_bytes = 20'000 + 10'000;
  slow_consumer slow{c};
  CHECK_THROWS_WITH(slow.run(), Catch::Contains("/scribeline/link/headroom") &&
                                    Catch::Contains("b: the receive buffer of virtual channel 0 (30000 B) overflows, "
                                                    "frames are lost: pause at 20000 B leaves a headroom of 10000 B, "
                                                    "72000 are enough; 0 pause messages were lost"));
}

TEST_CASE("a pause stops one virtual channel and not the others, at the next frame") {
  link_config c = paused_link();
  c.virtual_channels = 2;
  c.receive_buffer_bytes = 20'000 + pause_headroom(c);
  link_bench bench{c};
  bench.b.on_message([&bench](delivery& d) {
    if (d.content.virtual_channel == 1) bench.b.release(d);
    bench.arrived.push_back(d);
  });
  for (int i = 0; i < 200; ++i) {
    bench.a.send(message_of(1000, 0, 0));
    bench.a.send(message_of(1000, 1, 1));
  }
  bench.run();
  CHECK(bench.a.why_blocked().find("wait on virtual channel 0, which b has paused") != std::string::npos);
  CHECK(bench.a.why_blocked().find("virtual channel 1") == std::string::npos);
  // The 21st message of channel 0 is the 41st on the wire: over the threshold at 41 x 10.38 + 500 ns, acted upon 200 ns
  // later, when 108 frames and the one on the wire have left, 55 of them on channel 0.
  CHECK(41 * 10.38 + 500 + 200 == Approx(1125.58));
  CHECK(bench.arrived.size() == 200 + 55);
}
