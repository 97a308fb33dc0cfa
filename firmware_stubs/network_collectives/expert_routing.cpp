#include "firmware_stubs/network_collectives/expert_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rtl_tlm/base/random.h"

namespace scribeline::network_collectives {

namespace {

// Enough that the mean of the busiest rank settles; large passes average by themselves.
constexpr std::uint64_t most_draws = 64;
constexpr std::uint64_t token_budget = 16384;

}  // namespace

expert_routing::expert_routing(std::uint32_t experts, std::uint32_t top_k, std::uint32_t ranks, double skew,
                               std::uint64_t seed)
    : experts_(experts), top_k_(top_k), ranks_(ranks), seed_(seed), place_(experts) {
  if (ranks == 0) throw std::invalid_argument("expert_routing: at least one rank is needed");
  if (top_k > experts) {
    throw std::invalid_argument(fmt::format("expert_routing: {} of {} experts cannot be picked", top_k, experts));
  }
  double sum = 0;
  for (std::uint32_t i = 0; i < experts; ++i) {
    sum += std::pow(i + 1.0, -skew);
    cumulative_.push_back(sum);
    place_[i] = i;
  }
  auto stream = base::random_stream::of(seed, experts);
  for (std::uint32_t i = experts; i > 1; --i)
    std::swap(place_[i - 1], place_[stream.below(i)]);
}

const routing_load& expert_routing::load(std::uint64_t tokens) {
  const auto known = known_.find(tokens);
  if (known != known_.end()) return known->second;
  const std::uint64_t draws =
      std::clamp<std::uint64_t>(token_budget / std::max<std::uint64_t>(1, tokens), 1, most_draws);
  routing_load sum;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const routing_load one = draw(tokens, i);
    sum.busiest_experts += one.busiest_experts;
    sum.mean_experts += one.mean_experts;
    sum.busiest_pairs += one.busiest_pairs;
    sum.mean_pairs += one.mean_pairs;
    sum.busiest_copies += one.busiest_copies;
    sum.mean_copies += one.mean_copies;
  }
  const double n = static_cast<double>(draws);
  return known_
      .emplace(tokens, routing_load{sum.busiest_experts / n, sum.mean_experts / n, sum.busiest_pairs / n,
                                    sum.mean_pairs / n, sum.busiest_copies / n, sum.mean_copies / n})
      .first->second;
}

std::uint32_t expert_routing::pick(double uniform) const {
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), uniform * cumulative_.back());
  return place_[std::min<std::size_t>(static_cast<std::size_t>(at - cumulative_.begin()), experts_ - 1)];
}

routing_load expert_routing::draw(std::uint64_t tokens, std::uint64_t number) {
  auto stream = base::random_stream::of(seed_, number, tokens, ranks_);
  std::vector<std::uint32_t> pairs(ranks_), active(ranks_), out(ranks_), in(ranks_);
  std::vector<std::uint64_t> picked_by(experts_, 0), reached_by(ranks_, 0);
  std::vector<char> is_active(experts_, 0);
  for (std::uint64_t token = 1; token <= tokens; ++token) {
    const auto home = static_cast<std::uint32_t>(token % ranks_);
    for (std::uint32_t picked = 0; picked < top_k_;) {
      const std::uint32_t expert = pick(stream.uniform());
      if (picked_by[expert] == token) continue;
      picked_by[expert] = token;
      ++picked;
      const std::uint32_t rank = expert % ranks_;
      ++pairs[rank];
      if (!is_active[expert]) ++active[rank];
      is_active[expert] = 1;
      if (rank == home || reached_by[rank] == token) continue;
      reached_by[rank] = token;
      ++out[home];
      ++in[rank];
    }
  }
  const auto busiest = [](const std::vector<std::uint32_t>& of) { return *std::max_element(of.begin(), of.end()); };
  const auto mean = [&](const std::vector<std::uint32_t>& of) {
    double sum = 0;
    for (const std::uint32_t x : of)
      sum += x;
    return sum / ranks_;
  };
  return {1.0 * busiest(active),
          mean(active),
          1.0 * busiest(pairs),
          mean(pairs),
          1.0 * std::max(busiest(out), busiest(in)),
          mean(out)};
}

}  // namespace scribeline::network_collectives
