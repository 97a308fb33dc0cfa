#include "firmware_stubs/kernels/expert_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/base/random.h"

namespace scribeline::kernels {

expert_load::expert_load(std::uint32_t routed_experts, std::uint32_t shared_experts, std::uint32_t top_k,
                         std::uint32_t groups, std::uint64_t seed)
    : routed_(routed_experts),
      shared_(shared_experts),
      top_k_(top_k),
      groups_(groups),
      seed_(seed),
      pairs_(groups),
      picked_by_(routed_experts, 0) {
  if (groups == 0) throw std::invalid_argument("expert_load: at least one group is needed");
  if (top_k > routed_experts) {
    throw std::invalid_argument(fmt::format("expert_load: {} of {} experts cannot be picked", top_k, routed_experts));
  }
}

std::uint64_t expert_load::busiest_group(std::uint64_t request, std::uint64_t position, std::uint64_t tokens) {
  std::fill(pairs_.begin(), pairs_.end(), 0);
  for (std::uint64_t token = 0; token < tokens; ++token) {
    ++token_stamp_;
    auto stream = base::random_stream::of(seed_, request, position + token);
    for (std::uint32_t picked = 0; picked < top_k_;) {
      const auto expert = static_cast<std::uint32_t>(stream.below(routed_));
      if (picked_by_[expert] == token_stamp_) continue;
      picked_by_[expert] = token_stamp_;
      ++pairs_[expert % groups_];
      ++picked;
    }
    for (std::uint32_t s = 0; s < shared_; ++s)
      ++pairs_[(routed_ + s) % groups_];
  }
  return std::max<std::uint64_t>(1, *std::max_element(pairs_.begin(), pairs_.end()));
}

double expert_load::mean_busiest(int draws) {
  double sum = 0;
  for (int i = 0; i < draws; ++i)
    sum += static_cast<double>(busiest_group(static_cast<std::uint64_t>(i), 0, 1));
  return sum / draws;
}

}  // namespace scribeline::kernels
