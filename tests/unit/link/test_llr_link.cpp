// Retry between two ports.
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "tests/unit/link/retry_link.h"
#include "tests/unit/link/traffic.h"

using namespace scribeline::link;
using sc_core::sc_time;

namespace {

link_config with_retry() {
  link_config c = one_lane();
  c.llr.on = true;
  return c;
}

}  // namespace

TEST_CASE("retry costs nothing on a link without errors") {
  link_bench bench{with_retry()};
  for (int i = 0; i < 20; ++i)
    bench.a.send(message_of(1000));
  bench.run();
  REQUIRE(bench.arrived.size() == 20);
  for (int i = 0; i < 20; ++i)
    CHECK(bench.arrival(i) == ns(83.04 * (i + 1) + 2000));
  const port_statistics s = bench.a.statistics();
  CHECK(s.frames_replayed == 0);
  CHECK(s.replay_timeouts == 0);
  CHECK(s.peak_replay_bytes == 20 * 1038);
  // Each 500 ns after the first of its frames, so of 7, 7 and 6.
  CHECK(bench.b.statistics().acks_sent == 3);
  CHECK(bench.b.statistics().nacks_sent == 0);
}

TEST_CASE("a lost frame is sent again when its NACK is back, with all after it") {
  link_config c = with_retry();
  c.errors.frame_error_rate = 0.02;
  c.llr.ack_latency_ns = 1000;
  link_bench bench{c};
  bench.a.send(message_of(1000));
  for (int i = 1; i < 200; ++i)
    bench.a.send(message_of(1000, static_cast<std::uint64_t>(i)));
  bench.run();
  REQUIRE(bench.arrived.size() == 200);
  // Between one arrival and the next: a frame, or a lost round: the frame to be lost, 3000 ns until the NACK is back,
  // and the same again with each loss of its replay.
  int rounds = 0;
  for (int i = 1; i < 200; ++i) {
    CHECK(bench.arrived[i].content.request == static_cast<std::uint64_t>(i));
    const sc_time gap = bench.arrival(i) - bench.arrival(i - 1);
    if (gap == ns(83.04)) continue;
    const sc_time round = ns(83.04 + 3000);
    if (gap == ns(83.04) + round) ++rounds;
    CHECK((gap == ns(83.04) + round || gap > ns(83.04) + round + ns(3000)));
  }
  CHECK(rounds > 0);
  CHECK(bench.a.statistics().replays >= rounds);
}

TEST_CASE("a port whose replay buffer is full waits for acknowledgements, and says so") {
  link_config c = with_retry();
  c.llr.replay_buffer_bytes = 4 * 1038;
  c.llr.ack_frames = 1;
  link_bench bench{c};
  for (int i = 0; i < 100; ++i)
    bench.a.send(message_of(1000));
  bench.run_for(1000);
  CHECK(bench.a.why_blocked() ==
        "a: 96 messages (96000 B) wait on virtual channel 0 for b to acknowledge 4 frames, which fill 4152 of 4152 B "
        "of the replay buffer\n");
  bench.run();
  REQUIRE(bench.arrived.size() == 100);
  // Four per round trip of frame, way there and acknowledgement back: the 100th is the last of the 25th four.
  CHECK(bench.arrival(99) == ns(24 * (83.04 + 4000) + 4 * 83.04 + 2000));
  CHECK(bench.a.statistics().replay_buffer_stall > ns(90'000));
  CHECK(bench.a.statistics().credit_stall == ns(0));
}

TEST_CASE("a lost acknowledgement is made good by the timer, and what comes twice is delivered once") {
  link_config c = with_retry();
  link_config deaf = c;
  deaf.errors.control_error_rate = 1;
  deaf.receive_buffer_bytes = 1 << 20;
  link_bench bench{c, deaf};
  bench.a.send(message_of(1000, 1));
  bench.a.send(message_of(1000, 2));
  bench.run_for(25'000);
  CHECK(bench.arrived.size() == 2);
  // Sent at 0 and 83.04 ns; everything again 10 us after the first, and once more after another 10.
  CHECK(bench.a.statistics().replay_timeouts == 2);
  CHECK(bench.a.statistics().frames_replayed == 4);
  CHECK(bench.b.statistics().frames_repeated == 4);
}

TEST_CASE("a link that never gets through is given up after the limit, on both sides") {
  link_config c = with_retry();
  c.errors.frame_error_rate = 1;
  c.llr.replay_limit = 5;
  link_bench bench{c};
  int told_a = 0, told_b = 0;
  bench.a.on_down([&] { ++told_a; });
  bench.b.on_down([&] { ++told_b; });
  bench.a.send(message_of(1000, 1));
  bench.a.send(message_of(3000, 2));
  bench.b.send(message_of(1000, 3));
  bench.run();
  CHECK(bench.arrived.empty());
  CHECK(told_a == 1);
  CHECK(told_b == 1);
  CHECK(bench.a.is_down());
  CHECK(bench.b.is_down());
  CHECK_THAT(bench.a.why_blocked(), Catch::Contains("a: the link is down"));
  const auto back = bench.a.take_back();
  REQUIRE(back.size() == 2);
  CHECK(back[0].request == 1);
  CHECK(back[1].request == 2);
  CHECK(bench.b.take_back().size() == 1);
  CHECK(bench.a.take_back().empty());
}

TEST_CASE("sequence numbers wrap: more than a million frames, some of them lost") {
  link_config c = retry_link::config(4000, 1e-6);
  c.frame_payload_bytes = 64;
  retry_link link{c, 1'200'000, 64};
  sc_core::sc_start();
  CHECK(link.in_order);
  CHECK(link.messages == 1'200'000);
  CHECK(link.a.statistics().replays > 500);
}

TEST_CASE("goodput under go-back-N is (1-p) / (1-p+pW), with or without the frame being sent cut off") {
  // 1 us round trip, frames of 4140 B at 800 Gb/s: 41.4 ns each. 1500 errors leave 2.6 % of statistical error in the
  // loss, far below 1 % of the goodput.
  const std::pair<double, std::int64_t> cases[] = {{1e-7, 400'000}, {1e-6, 50'000}};
  struct measured {
    std::unique_ptr<retry_link> link;
    double ber, w;
  };
  std::vector<measured> links;
  for (const bool cut : {true, false}) {
    for (const auto& [ber, frames] : cases) {
      link_config c = retry_link::config(1000, ber);
      c.llr.cut_frame_on_nack = cut;
      const double w = 1 + (cut ? 1000 / 41.4 : std::ceil(1000 / 41.4));
      links.push_back({std::make_unique<retry_link>(c, frames, 4110), ber, w});
    }
  }
  sc_core::sc_start();
  for (const measured& m : links) {
    INFO("bit error rate " << m.ber << ", W = " << m.w);
    const double p = 1 - std::pow(1 - m.ber, 4140 * 8);
    CHECK(m.link->goodput() == Approx((1 - p) / (1 - p + p * m.w)).epsilon(0.01));
    CHECK(m.link->messages == m.link->frames);
    CHECK(m.link->in_order);
  }
}
