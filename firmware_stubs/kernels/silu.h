// Gates of a layer, element by element: output = f(gate) * up, where f is SiLU, gate / (1 + e^-gate), or the logistic
// function, 1 / (1 + e^-gate).
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
void add_logistic_gate(std::vector<fabric::instruction>& body, const gate_slice& slice);

// output = 1 / (1 + e^-input), in place or not; byte addresses.
void add_logistic(std::vector<fabric::instruction>& body, fabric::element_type type, int output, int input,
                  int elements);
// output = input / (1 + e^-input), not in place.
void add_silu(std::vector<fabric::instruction>& body, fabric::element_type type, int output, int input, int elements);

}  // namespace scribeline::kernels
