// How unevenly a pass loads the expert groups of a wafer.
//
// Experts are dealt to groups of cores round-robin; each token picks `top_k` different routed experts, uniformly,
// and every shared expert. What the wafer waits for is the busiest group: the most token-expert pairs in one group.
// The choice is drawn from a stream seeded with (seed, request, position, layer), so a run repeats exactly.
// Not modelled: that real routers prefer some experts; a skew would raise the busiest group's load.
#pragma once

#include <cstdint>
#include <vector>

namespace scribeline::kernels {

class expert_load {
 public:
  // Throws std::invalid_argument unless there is a group and top_k different experts can be picked.
  expert_load(std::uint32_t routed_experts, std::uint32_t shared_experts, std::uint32_t top_k, std::uint32_t groups,
              std::uint64_t seed);

  // Of one pass of `tokens` tokens of a request, the first at `position`. At least 1.
  std::uint64_t busiest_group(std::uint64_t request, std::uint64_t position, std::uint64_t tokens);

  // Mean over `draws` single-token passes, for planning.
  double mean_busiest(int draws);

 private:
  std::uint32_t routed_, shared_, top_k_, groups_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> pairs_;      // by group
  std::vector<std::uint64_t> picked_by_;  // by expert: the token that picked it last
  std::uint64_t token_stamp_ = 0;
};

}  // namespace scribeline::kernels
