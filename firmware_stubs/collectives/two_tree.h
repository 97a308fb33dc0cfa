// The all-reduce of WaferLLM (OSDI'25, arXiv 2502.04563): chains towards the middle on both sides, twice.
//
// A line is cut into groups. In each group both halves chain to the group's centre at the same time; the centres chain
// to the centre of the middle group from both sides; the result floods back both ways. Both chains of a centre combine
// into its vector concurrently, element by element, so the order of floating point sums is that of arrival, which is
// the same in every run.
#pragma once

#include "firmware_stubs/collectives/chain.h"

namespace scribeline::collectives {

// Nine colors. `groups` must divide the length of the lines. next.root is for the centre of a line, at position
// two_tree_centre(). `how` is for the cores between the ends of the chains.
void add_two_tree_all_reduce(const phase& in, const lines& on, const vector_spec& v, int groups,
                             relay_kind how = relay_kind::streaming);

constexpr int two_tree_centre(int length, int groups) {
  return groups / 2 * (length / groups) + length / groups / 2;
}

// The divisor of the length that is nearest to its root, the smaller one on a tie: both levels have about equally long
// chains. 20 groups of 420 cores, 24 of 720, as WaferLLM chooses them.
int two_tree_groups(int length);

}  // namespace scribeline::collectives
