// Matrix times vector with weights stored in 8 or 4 bit, expanded on the fly: every row of the tile is unpacked to 16
// bit and multiplied at once; the sums of a group of inputs are multiplied with the group's scales, one per output.
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

// Byte addresses. Weights are two's complement; each row begins with a new 16-bit element. Scales lie group after
// group, `outputs` each.
struct quantised_tile {
  int inputs = 1;
  int outputs = 1;
  int bits = 8;   // or 4
  int group = 1;  // inputs that share scales
  int weights = 0;
  int scales = 0;
  int input = 0;
  int output = 0;
  int expanded = 0;   // scratch: outputs
  int group_sum = 0;  // scratch: outputs
  fabric::element_type type = fabric::element_type::fp16;

  int row_bytes() const { return (outputs * bits + 15) / 16 * 2; }
  int groups() const { return (inputs + group - 1) / group; }
};

// Throws std::invalid_argument for other widths.
void add_quantised_gemv(std::vector<fabric::instruction>& body, const quantised_tile& tile);

mesh_kernel quantised_gemv(std::string name, const quantised_tile& tile, collectives::axis along);

}  // namespace scribeline::kernels
