// What a vector descriptor makes one core do, as bodies of tasks: the routine's vector operations in loops over the
// extents, the longest of them innermost wherever the data may lie so.
//
// Products are those of tile_product.h, norms, rotary embeddings, gates and the choice of experts those of the kernels
// with values. What differs from attention.h: a softmax is not divided by its sum before it weighs the values, because
// values and sums travel together, and where there are more queries than positions on a core operations run along
// queries. Arrays of one descriptor begin at the same addresses each time: what a loop would move is left where it
// changes no time.
#pragma once

#include <vector>

#include "rtl_tlm/fabric/program/program.h"
#include "rtl_tlm/wafer/descriptor.h"

namespace scribeline::kernels {

// Extents of one round of a launch.
struct round_extents {
  int tokens = 1;
  int positions = 1;
  int pairs = 1;     // token-expert pairs
  int matrices = 1;  // expert matrices they are spread over
};

// So many times the same, in a loop around it.
struct core_part {
  std::int64_t times = 1;
  std::vector<fabric::instruction> body;
};

// Without empty parts. Throws std::invalid_argument for a routine that does not exist.
std::vector<core_part> core_work(const wafer::descriptor& d, const round_extents& round);

}  // namespace scribeline::kernels
