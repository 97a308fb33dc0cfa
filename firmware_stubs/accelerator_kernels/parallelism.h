// How a model is spread over the ranks of a machine.
//
//   pipeline   stages of consecutive layers, one group of ranks each
//   tensor     ranks of a group that share every attention: heads and widths are split, sums are all-reduced
//   data       replicas of the attention in a group, each with requests of its own
//   expert     ranks the experts of a layer are dealt to; 1 = every expert is split over the `tensor` ranks like a
//   dense
//              layer. With one replica, every rank of the group has all tokens: it runs its experts on them and the
//              all-reduce joins the results. With several, tokens travel: dispatch and combine.
//
// A group has tensor x data ranks; the machine has pipeline x tensor x data of them.
#pragma once

#include <cstdint>
#include <string>

namespace scribeline::accelerator_kernels {

struct parallelism {
  std::int64_t tensor = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  std::int64_t pipeline = 1;

  std::int64_t group_ranks() const { return tensor * data; }
  std::int64_t ranks() const { return pipeline * group_ranks(); }
  bool tokens_travel() const { return expert > 1 && data > 1; }
  // Ranks that share one expert.
  std::int64_t expert_width_split() const { return expert == 1 ? tensor : tokens_travel() ? 1 : tensor / expert; }

  // What is wrong with it, or nothing.
  std::string problem() const {
    if (tokens_travel() && expert != group_ranks()) {
      return "expert must be 1 or tensor x data when data is more than 1";
    }
    if (!tokens_travel() && expert > 1 && tensor % expert != 0) return "expert must divide tensor when data is 1";
    return "";
  }
};

}  // namespace scribeline::accelerator_kernels
