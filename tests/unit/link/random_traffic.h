// Random messages over a link, held to the laws of links.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "tests/unit/link/traffic.h"

namespace scribeline::link {

struct sent_message {
  std::int64_t size;
  std::uint64_t request;
  sc_core::sc_time ready;
};

// Sends random messages at random times; a consumer releases each a random time after its arrival. Checks on the way
// that every virtual channel delivers what was sent, in order, and not before the laws of the wire allow.
struct random_traffic : sc_core::sc_module {
  const link_config config;
  random_source random;
  port a{"a", config};
  port b{"b", config};
  std::vector<std::deque<sent_message>> expected;
  std::vector<std::deque<std::pair<sc_core::sc_time, delivery>>> held;
  sc_core::sc_event release_due{"release_due"};
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_arrived = 0;
  sc_core::sc_time first_ready = sc_core::sc_max_time();

  random_traffic(const sc_core::sc_module_name& name, const link_config& c, std::uint32_t seed)
      : sc_module(name), config(c), random(seed), expected(c.virtual_channels), held(c.virtual_channels) {
    connect(a, b);
    b.on_message([this](delivery& d) { arrive(d); });
    SC_HAS_PROCESS(random_traffic);
    SC_THREAD(produce);
    SC_METHOD(release_all_due);
    sensitive << release_due;
    dont_initialize();
  }

  void produce() {
    for (std::uint64_t request = 0; request < 300; ++request) {
      const int channel = static_cast<int>(random.below(config.virtual_channels));
      const std::int64_t limit = config.policy == buffer_policy::hold_until_release
                                     ? config.longest_held_bytes() * config.lanes
                                     : 4 * config.receive_buffer_bytes;
      const std::int64_t size = random.below(4) == 0 ? random.between(1, limit) : random.between(1, 1 + limit / 10);
      a.send(message_of(size, request, channel));
      first_ready = std::min(first_ready, sc_core::sc_time_stamp());
      expected[channel].push_back({size, request, sc_core::sc_time_stamp()});
      bytes_sent += size;
      if (random.below(3) == 0) wait(ns(static_cast<double>(random.below(5000))));
    }
  }

  void arrive(const delivery& d) {
    auto& queue = expected[d.content.virtual_channel];
    REQUIRE_FALSE(queue.empty());
    const sent_message sent = queue.front();
    queue.pop_front();
    REQUIRE(d.content.request == sent.request);
    REQUIRE(d.content.size.value() == sent.size);
    REQUIRE(d.sent_at == sent.ready);
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    REQUIRE(d.arrived_at == now);
    REQUIRE(now >= sent.ready + zero_load_latency(config, d.content.size));
    // All bytes so far came over the wire since the first was sent.
    bytes_arrived += sent.size;
    const double bytes_per_ns = config.lane_gbps / 8 * config.lanes;
    const double wire_ns = (now - first_ready).to_seconds() * 1e9 - config.latency_ns;
    REQUIRE(static_cast<double>(bytes_arrived) <= bytes_per_ns * wire_ns * (1 + 1e-6) + 1);

    held[d.content.virtual_channel].push_back({now + ns(static_cast<double>(random.below(3000))), d});
    release_due.notify(sc_core::SC_ZERO_TIME);
  }

  void release_all_due() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    for (auto& queue : held) {
      while (!queue.empty() && queue.front().first <= now) {
        b.release(queue.front().second);
        queue.pop_front();
      }
      if (!queue.empty()) release_due.notify(queue.front().first - now);
    }
  }
};

}  // namespace scribeline::link
