// Random traffic for the property tests.
#pragma once

#include <cstdint>
#include <random>

#include "tests/unit/link/link_bench.h"

namespace scribeline::link {

// std::mt19937 is the same everywhere; the standard distributions are not.
class random_source {
 public:
  explicit random_source(std::uint32_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_()) % n; }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }

 private:
  std::mt19937 engine_;
};

inline link_config random_config(random_source& random) {
  link_config c;
  c.lanes = static_cast<int>(random.between(1, 12));
  c.lane_gbps = static_cast<double>(random.between(10, 800));
  c.latency_ns = static_cast<double>(random.below(3000));
  c.credit_latency_ns = static_cast<double>(random.below(1000));
  c.frame_payload_bytes = random.between(46, 4096);
  c.virtual_channels = static_cast<int>(random.between(1, 4));
  c.receive_buffer_bytes = c.frame_payload_bytes * c.lanes * random.between(1, 8) + random.below(1000);
  c.policy = random.below(2) == 0 ? buffer_policy::hold_until_release : buffer_policy::drain_on_arrival;
  return c;
}

}  // namespace scribeline::link
