// Reduce patterns of lines: the vectors of all cores of a line are combined into the one of its root.
//
// The patterns are those of "Near-Optimal Wafer-Scale Reduce" (HPDC'24); formula.h has their closed forms. All work in
// place: at the root the result replaces the vector; vectors of other cores may be overwritten with partial results.
// Values are combined in a fixed order (see each pattern), so results are the same in every run and on every engine.
#pragma once

#include "firmware_stubs/collectives/chain.h"
#include "firmware_stubs/collectives/reduce_tree.h"

namespace scribeline::collectives {

enum class reduce_kind { chain, star, tree, two_phase, generated };

struct reduce_plan {
  reduce_kind kind = reduce_kind::chain;
  int group = 0;  // two_phase: cores per group; 0: the best of the closed form
};

// Each function writes one phase of a collective into in.p, for all lines at once. When a core has done its part, the
// task in.next names for it is activated.

// Two colors. Order: from the far end to the root.
void add_chain_reduce(const phase& in, const lines& on, const vector_spec& v);

// One color. Every core sends when the cores nearer to the root have sent: it follows a control word of theirs through
// their switched routers. Order: x[0] op x[1] op x[2] ... The vectors must fill whole words.
void add_star_reduce(const phase& in, const lines& on, const vector_spec& v);

// Chains of `group` cores, then a chain of their leaders. Four colors.
void add_two_phase_reduce(const phase& in, const lines& on, const vector_spec& v, int group);

// Any pre-order tree, one per line. Two colors with switched routers. `streaming`: a core combines the message of its
// last child on the way to its own parent, instead of storing it first. Order: own vector, then children from the
// nearest to the farthest. The vectors must fill whole words.
void add_tree_reduce(const phase& in, const lines& on, const vector_spec& v, const reduce_tree& tree, bool streaming);

// The pattern of a plan.
void add_reduce(const phase& in, const lines& on, const vector_spec& v, const reduce_plan& plan);

}  // namespace scribeline::collectives
