// Simulated links beside the closed forms that scale-up Ethernet is dimensioned with.
#pragma once

#include <cstdint>
#include <vector>

namespace scribeline::validation {

// Go-back-N: a saturated link of 800 Gb/s, frames of 4140 B on the wire, 1 us of round trip.
struct retry_goodput {
  double bit_error_rate;
  std::int64_t frames = 0;  // delivered
  std::int64_t errors = 0;  // frames that were corrupted
  double simulated = 0;     // share of the wire that carried frames for the first time they arrived
  double closed_form = 0;   // (1-p) / (1-p+pW), W = 1 + round trip / frame time
};
// Until at least `errors` frames were corrupted.
retry_goodput simulate_retry(double bit_error_rate, std::int64_t errors);

// Credits: a saturated link of 800 Gb/s with PDUs of 4096 B.
struct credit_point {
  std::int64_t frames;   // credit, in PDUs
  double bytes_per_ns;   // the same, per ns of round trip: first bit of a frame to its credit back at the sender
  double share_of_rate;  // throughput per that without a limit
};
// `latency_ns`: that of the frames and that of the credits together.
std::vector<credit_point> simulate_credits(double latency_ns, const std::vector<std::int64_t>& frames);

}  // namespace scribeline::validation
