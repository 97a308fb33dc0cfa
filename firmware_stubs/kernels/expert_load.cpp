#include "firmware_stubs/kernels/expert_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "rtl_tlm/base/random.h"

namespace scribeline::kernels {

expert_load::expert_load(std::uint32_t routed_experts, std::uint32_t top_k, std::uint32_t groups,
                         std::uint32_t token_tile, std::uint64_t seed)
    : routed_(routed_experts),
      top_k_(top_k),
      groups_(groups),
      token_tile_(token_tile),
      seed_(seed),
      pairs_(groups),
      matrices_(groups),
      pairs_of_(routed_experts),
      picked_by_(routed_experts, 0) {
  if (groups == 0) throw std::invalid_argument("expert_load: at least one group is needed");
  if (token_tile == 0) throw std::invalid_argument("expert_load: a tile has at least one token");
  if (top_k > routed_experts) {
    throw std::invalid_argument(fmt::format("expert_load: {} of {} experts cannot be picked", top_k, routed_experts));
  }
}

group_load expert_load::busiest_group(std::uint64_t request, std::uint64_t position, std::uint64_t tokens) {
  std::fill(pairs_.begin(), pairs_.end(), 0);
  std::fill(matrices_.begin(), matrices_.end(), 0);
  std::fill(pairs_of_.begin(), pairs_of_.end(), 0);
  for (std::uint64_t token = 0; token < tokens; ++token) {
    ++token_stamp_;
    auto stream = base::random_stream::of(seed_, request, position + token);
    for (std::uint32_t picked = 0; picked < top_k_;) {
      const auto expert = static_cast<std::uint32_t>(stream.below(routed_));
      if (picked_by_[expert] == token_stamp_) continue;
      picked_by_[expert] = token_stamp_;
      if (pairs_of_[expert]++ % token_tile_ == 0) ++matrices_[expert % groups_];
      ++pairs_[expert % groups_];
      ++picked;
    }
  }
  group_load busiest;
  for (std::uint32_t g = 0; g < groups_; ++g) {
    if (std::tie(pairs_[g], matrices_[g]) > std::tie(busiest.pairs, busiest.matrices)) {
      busiest = {pairs_[g], matrices_[g]};
    }
  }
  return busiest;
}

group_load expert_load::mean_busiest(int draws, std::uint64_t tokens) {
  double pairs = 0, matrices = 0;
  for (int i = 0; i < draws; ++i) {
    const group_load one = busiest_group(static_cast<std::uint64_t>(i), 0, tokens);
    pairs += static_cast<double>(one.pairs);
    matrices += static_cast<double>(one.matrices);
  }
  return {static_cast<std::uint64_t>(std::llround(pairs / draws)),
          static_cast<std::uint64_t>(std::llround(matrices / draws))};
}

}  // namespace scribeline::kernels
