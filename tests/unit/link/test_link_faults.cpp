// Lanes and links that fail.
#include <catch2/catch.hpp>
#include <memory>

#include "tests/unit/link/traffic.h"

using namespace scribeline::link;
using sc_core::sc_time;

TEST_CASE("a failed lane slows frames in proportion, from the next on, and heals") {
  link_config c = one_lane();
  c.serdes_lanes = 4;
  link_bench bench{c};
  bench.a.send(message_of(1000));
  bench.a.send(message_of(1000));
  bench.run_for(10);
  bench.a.fail_lanes(1);
  bench.run();
  REQUIRE(bench.arrived.size() == 2);
  CHECK(bench.arrival(0) == ns(83.04 + 2000));
  CHECK(bench.arrival(1) == ns(83.04 + 83.04 * 4 / 3 + 2000));
  bench.a.fail_lanes(0);
  const sc_time start = sc_core::sc_time_stamp();
  bench.a.send(message_of(1000));
  bench.run();
  CHECK(bench.arrival(2) - start == ns(83.04 + 2000));
}

TEST_CASE("one lane of twelve costs a twelfth, the other direction nothing") {
  link_config c = one_lane();
  c.lanes = 12;
  link_bench bench{c};
  bench.a.fail_lanes(1);
  bench.a.send(message_of(12'000));
  sc_time back;
  bench.a.on_message([&](delivery& d) {
    back = d.arrived_at;
    bench.a.release(d);
  });
  bench.b.send(message_of(12'000));
  bench.run();
  CHECK(bench.arrival(0) == ns(1038 * 0.08 * 12 / 11 + 2000));
  CHECK(back == ns(1038 * 0.08 + 2000));
}

TEST_CASE("a port without lanes has no link") {
  link_config c = one_lane();
  c.serdes_lanes = 4;
  link_bench bench{c};
  CHECK_THROWS_WITH(bench.a.fail_lanes(5), Catch::Contains("5 failed lanes: the port has 4"));
  CHECK_THROWS_WITH(bench.a.take_back(), Catch::Contains("this one is up"));
  bench.run_for(1);
  bench.a.fail_lanes(4);
  CHECK(bench.a.is_down());
  CHECK(bench.b.is_down());
  bench.a.send(message_of(100));
  bench.run();
  CHECK(bench.arrived.empty());
  CHECK(bench.a.take_back().size() == 1);
}

namespace {

// The two ends of one plane.
struct plane {
  port a, b;
  plane(const std::string& name, const link_config& c) : a((name + "a").c_str(), c), b((name + "b").c_str(), c) {
    connect(a, b);
  }
};

// Two planes between the same ends. What did not arrive over one when it fails is sent over the other.
struct failover {
  plane one, two;
  std::vector<int> arrivals;
  std::vector<std::vector<std::uint64_t>> order;  // per virtual channel
  std::size_t moved = 0;

  failover(const std::string& name, const link_config& c, std::size_t messages)
      : one(name + "_one_", c),
        two(name + "_two_", c),
        arrivals(messages, 0),
        order(static_cast<std::size_t>(c.virtual_channels)) {
    for (plane* p : {&one, &two})
      p->b.on_message([this, p](delivery& d) {
        ++arrivals[d.content.request];
        order[d.content.virtual_channel].push_back(d.content.request);
        p->b.release(d);
      });
    one.a.on_down([this] {
      for (const message& m : one.a.take_back()) {
        ++moved;
        two.a.send(m);
      }
    });
  }
};

}  // namespace

TEST_CASE("when a link goes down nothing is lost, nothing comes twice, and order is kept") {
  const std::uint32_t seed = 31'337;
  INFO("seed " << seed);
  random_source random{seed};
  constexpr std::size_t messages = 200;
  std::vector<std::unique_ptr<failover>> runs;
  std::vector<std::vector<std::vector<std::uint64_t>>> sent;
  for (int i = 0; i < 50; ++i) {
    link_config c = random_config(random);
    c.llr.on = true;
    c.llr.replay_timeout_ns = 20'000;
    c.errors.frame_error_rate = 0.001 * static_cast<double>(random.below(50));
    c.errors.control_error_rate = 0.01 * static_cast<double>(random.below(20));
    runs.push_back(std::make_unique<failover>("run" + std::to_string(i), c, messages));
    sent.emplace_back(static_cast<std::size_t>(c.virtual_channels));
    for (std::uint64_t m = 0; m < messages; ++m) {
      const int channel = static_cast<int>(random.below(c.virtual_channels));
      sent.back()[channel].push_back(m);
      runs.back()->one.a.send(message_of(random.between(1, c.lane_buffer_bytes() * c.lanes), m, channel));
    }
  }
  for (const auto& run : runs) {
    sc_core::sc_start(ns(static_cast<double>(random.between(100, 4000))));
    run->one.b.take_down();
  }
  sc_core::sc_start();
  std::size_t moved = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO("run " << i << ", " << runs[i]->moved << " messages moved");
    for (const int n : runs[i]->arrivals)
      REQUIRE(n == 1);
    REQUIRE(runs[i]->order == sent[i]);
    moved += runs[i]->moved;
  }
  // Neither none nor all of them.
  CHECK(moved > 1000);
  CHECK(moved < 49 * messages);
}

TEST_CASE("when retry gives a link up nothing is lost, nothing comes twice, and order is kept") {
  const std::uint32_t seed = 90'210;
  INFO("seed " << seed);
  random_source random{seed};
  constexpr std::size_t messages = 300;
  std::vector<std::unique_ptr<failover>> runs;
  std::vector<std::vector<std::uint64_t>> sent(1);
  for (std::uint64_t m = 0; m < messages; ++m)
    sent[0].push_back(m);
  for (int i = 0; i < 50; ++i) {
    link_config c = one_lane();
    c.llr.on = true;
    c.llr.replay_limit = 1;
    c.errors.frame_error_rate = 0.02;
    // Acknowledgements that get lost: the sender does not know what has arrived when it gives up.
    c.errors.control_error_rate = 0.5;
    c.errors.seed = static_cast<std::uint64_t>(random.below(1'000'000));
    runs.push_back(std::make_unique<failover>("run" + std::to_string(i), c, messages));
    for (std::uint64_t m = 0; m < messages; ++m)
      runs.back()->one.a.send(message_of(random.between(1, 5000), m));
  }
  std::size_t moved = 0, given_up = 0;
  sc_core::sc_start();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO("run " << i << ", " << runs[i]->moved << " messages moved");
    // The second plane may give up, too: what it hands back did not arrive either.
    std::vector<std::uint64_t> seen = runs[i]->order[0];
    if (runs[i]->two.a.is_down())
      for (const message& m : runs[i]->two.a.take_back())
        seen.push_back(m.request);
    REQUIRE(seen == sent[0]);
    given_up += runs[i]->one.a.is_down() ? 1 : 0;
    moved += runs[i]->moved;
  }
  CHECK(given_up > 25);
  CHECK(moved > 1000);
}
