// Matrix times vector on a mesh, weights resident: every core multiplies its tile with its slice of the input, which
// the cores along one axis share, and the partial sums are all-reduced along the other one.
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

// A tile: weight (i, o) of input i and output o lies at weights + bytes * (i * outputs + o).
struct gemv_tile {
  int inputs = 1;
  int outputs = 1;
  int weights = 0;
  int input = 0;  // byte addresses of the vectors
  int output = 0;
  fabric::element_type type = fabric::element_type::fp16;
};

// In a row of multiply-adds into one sum, the sum's descriptors (destination and first source) stay loaded: two cycles
// of set-up where a lone operation takes four.
inline constexpr int kept_in_sum = 2;

// output = weights^T input: one multiply-add over all outputs per input, unrolled.
void add_gemv(std::vector<fabric::instruction>& body, const gemv_tile& tile);

// Products of one input whose outputs lie behind each other share an all-reduce along `along`, the axis that splits the
// input.
mesh_kernel gemv(std::string name, const std::vector<gemv_tile>& tiles, collectives::axis along);

}  // namespace scribeline::kernels
