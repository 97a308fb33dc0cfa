// The gate of a feed-forward layer: output = gate / (1 + e^-gate) * up, element by element.
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

struct gate_slice {
  int elements = 1;
  int gate = 0;  // byte addresses
  int up = 0;
  int output = 0;  // neither gate nor up
  fabric::element_type type = fabric::element_type::fp16;
};

void add_silu_gate(std::vector<fabric::instruction>& body, const gate_slice& slice);

}  // namespace scribeline::kernels
