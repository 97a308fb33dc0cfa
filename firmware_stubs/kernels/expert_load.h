// How unevenly a pass loads the expert groups of a wafer.
//
// Experts are dealt to groups of cores round-robin; each token picks `top_k` different routed experts, uniformly.
// What the wafer waits for is the busiest group: the most token-expert pairs in one group and, among equals, the most
// weight matrices to expand. The choice is drawn from a stream seeded with (seed, request, position, layer), so a run
// repeats exactly. Shared experts are the same work in every group and not counted here.
// Not modelled: that real routers prefer some experts; a skew would raise the busiest group's load.
#pragma once

#include <cstdint>
#include <vector>

namespace scribeline::kernels {

struct group_load {
  std::uint64_t pairs = 1;
  std::uint64_t matrices = 1;  // one for each expert with a pair, and for every further `token_tile` of its pairs
};

class expert_load {
 public:
  // Throws std::invalid_argument unless there is a group, a token in a tile, and top_k different experts can be picked.
  expert_load(std::uint32_t routed_experts, std::uint32_t top_k, std::uint32_t groups, std::uint32_t token_tile,
              std::uint64_t seed);

  // Of one pass of `tokens` tokens of a request, the first at `position`. At least 1 of each.
  group_load busiest_group(std::uint64_t request, std::uint64_t position, std::uint64_t tokens);

  // Means over `draws` passes of `tokens` tokens, rounded, for planning.
  group_load mean_busiest(int draws, std::uint64_t tokens);

 private:
  std::uint32_t routed_, top_k_, groups_, token_tile_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> pairs_, matrices_;  // by group
  std::vector<std::uint32_t> pairs_of_;          // by expert
  std::vector<std::uint64_t> picked_by_;         // by expert: the token that picked it last
  std::uint64_t token_stamp_ = 0;
};

}  // namespace scribeline::kernels
