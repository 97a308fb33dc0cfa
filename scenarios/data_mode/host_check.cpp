#include "scenarios/data_mode/host_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scribeline::scenarios {

namespace {

int largest(const tiny_model::vector& logits) {
  return static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// Mathematical libraries differ in the last bits; results do not.
double settled(double value) {
  return std::round(value * 1e9) / 1e9;
}

double largest_difference(const tiny_model::vector& a, const tiny_model::vector& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!std::isfinite(difference)) return std::nan("");
    worst = std::max(worst, difference);
  }
  return worst;
}

}  // namespace

int greedy(const std::vector<std::uint8_t>& fp16_logits) {
  return largest(tiny_model::numbers_of(fp16_logits));
}

std::vector<checked_step> check_on_host(const tiny_model::tiny_decoder_spec& spec,
                                        const std::vector<platforms::host_step>& steps) {
  tiny_model::tiny_decoder host(spec, 1, std::numeric_limits<std::int64_t>::max());
  std::vector<checked_step> checked;
  for (const platforms::host_step& s : steps) {
    const tiny_model::vector expected = host.logits_on_host(s.step);
    const double difference = largest_difference(tiny_model::numbers_of(s.vector), expected);
    checked.push_back({settled(difference), largest(expected), settled(host.closest_call())});
  }
  return checked;
}

std::uint64_t fingerprint(const std::vector<platforms::host_step>& steps) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const platforms::host_step& s : steps)
    for (const std::uint8_t byte : s.vector)
      hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

}  // namespace scribeline::scenarios
