// In which order the cores and cycles of a block of cycles are run, so that what is touched stays in the cache.
//
// All effects take a cycle per hop at least. So a strip of columns that moves west by a column per cycle may run
// through all cycles of the block before the strip to the east of it, and in a strip every row may be a cycle ahead of
// the row below it: the same results as cycle by cycle. Seen from a strip, column c takes the places c, c + 1, ... of a
// line, one a cycle; strips are pieces of that line.
//
// Rows that exchange no words within a strip need no order there: each runs through all cycles of the block on its own,
// and the strip may be as wide as that holds. What such rows exchange through columns further away comes too late to
// matter: on the way out of the strip and back again it takes longer than the block.
#pragma once

#include <vector>

#include "rtl_tlm/fabric/wavelet/wavelet_layout.h"

namespace scribeline::fabric {

// Places begin..end - 1 of the line.
struct sweep {
  int begin = 0;
  int end = 0;
  std::vector<int> bands;  // first rows of the bands of rows that exchange words, and one behind the last row
};

struct sweep_plan {
  explicit sweep_plan(const wavelet_layout& layout);

  int block_cycles = 0;       // the most that a block may have
  std::vector<sweep> sweeps;  // from west to east
};

}  // namespace scribeline::fabric
