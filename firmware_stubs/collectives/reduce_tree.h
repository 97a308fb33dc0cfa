// Pre-order reduce trees over a line of cores: core 0 is the root, every subtree is a contiguous piece of the line that
// begins with its root, and a core receives its children's messages from the nearest to the farthest.
#pragma once

#include <vector>

#include "rtl_tlm/fabric/formula/formula.h"

namespace scribeline::collectives {

struct reduce_tree {
  std::vector<int> parent;  // by core; -1 for core 0

  int size() const { return static_cast<int>(parent.size()); }
  std::vector<std::vector<int>> children() const;  // by core, ascending
  std::vector<int> depth() const;                  // messages to the root
};

// log2 P rounds: core k 2^(l+1) receives from core k 2^(l+1) + 2^l in round l.
reduce_tree binary_tree(int cores);

// The tree of the least predicted time max(B C, B E / (P - 1) + P - 1) + (2 T_R + 1) D for vectors of `words` words,
// where C bounds the messages a core receives, D the depth and E is the energy: dynamic programming over how many cores
// the last child of the root collects, as in HPDC'24. Searched up to 12 messages per core and depth 256; chain and star
// compete too.
reduce_tree generated_tree(const fabric::fabric_timing& timing, int cores, int words);

// The prediction for a tree.
double predicted_cycles(const fabric::fabric_timing& timing, const reduce_tree& tree, int words);

}  // namespace scribeline::collectives
