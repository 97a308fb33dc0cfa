// How the tokens of a pass spread over experts and ranks.
//
// Expert i lives on rank i mod ranks. Every token picks `top_k` different experts; expert i is picked with a
// probability in proportion to (i' + 1)^-skew, where i' is its place in a seeded shuffle (skew 0: all alike). Tokens
// are dealt to home ranks round-robin. The numbers are means over seeded draws and repeat exactly. Not modelled:
// choices that follow from earlier tokens, replicas of popular experts.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace scribeline::network_collectives {

struct routing_load {
  double busiest_experts = 0, mean_experts = 0;  // experts of a rank with at least one token
  double busiest_pairs = 0, mean_pairs = 0;      // token-expert pairs of a rank
  double busiest_copies = 0, mean_copies = 0;    // token copies out of or into a rank, whichever is more
};

class expert_routing {
 public:
  // Throws std::invalid_argument unless there is a rank and top_k different experts can be picked.
  expert_routing(std::uint32_t experts, std::uint32_t top_k, std::uint32_t ranks, double skew, std::uint64_t seed);

  // Of `tokens` tokens of all ranks together.
  const routing_load& load(std::uint64_t tokens);

 private:
  routing_load draw(std::uint64_t tokens, std::uint64_t number);
  std::uint32_t pick(double uniform) const;

  std::uint32_t experts_, top_k_, ranks_;
  std::uint64_t seed_;
  std::vector<double> cumulative_;                         // of the picking probabilities
  std::vector<std::uint32_t> place_;                       // expert by place in the shuffle
  std::unordered_map<std::uint64_t, routing_load> known_;  // by tokens; looked up, never iterated
};

}  // namespace scribeline::network_collectives
