// Loops of vector operations, unrolled as compilers do.
#pragma once

#include <vector>

#include "rtl_tlm/fabric/program.h"

namespace scribeline::kernels {

// Which turn of a loop an operation belongs to: first + per_iteration * (count of the loop around it).
struct loop_index {
  int first = 0;
  int per_iteration = 0;

  // base + stride * turn.
  fabric::affine at(int base, int stride) const {
    return fabric::affine(base + first * stride).with_iteration(per_iteration * stride);
  }
};

// operation(index) for the turns first..first + count - 1, `unroll` of them per iteration; 0 unrolls all. What the loop
// costs besides its operations is core_timing::loop_back_edge_cycles per iteration.
template <class Operation>
void add_loop(std::vector<fabric::instruction>& body, int first, int count, int unroll, const Operation& operation) {
  const int iterations = unroll > 0 ? count / unroll : 0;
  if (iterations > 0) {
    body.push_back(fabric::begin_loop{iterations});
    for (int i = 0; i < unroll; ++i)
      body.push_back(operation(loop_index{first + i, unroll}));
    body.push_back(fabric::end_loop{});
  }
  for (int i = iterations * unroll; i < count; ++i)
    body.push_back(operation(loop_index{first + i, 0}));
}

}  // namespace scribeline::kernels
