// Layer normalisation of a vector that is split along one axis and repeated along the other one:
// output = (input - mean) / sqrt(variance + epsilon) * weights + bias.
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

struct layer_norm_slice {
  int elements = 1;  // of the core; none may be padding
  int total = 1;     // of the whole vector
  int input = 0;     // byte addresses
  int weights = 0;
  int bias = 0;
  int output = 0;  // may be the input
  int sum = 0;     // one element of scratch
  double epsilon = 1e-5;
  fabric::element_type type = fabric::element_type::fp16;
};

// Two all-reduces: the mean first, then the squares of what is left, which keeps its digits where the mean is large.
// Summed in the type of the elements.
std::vector<mesh_kernel> layer_norm(const std::string& name, const layer_norm_slice& slice, collectives::axis along);

}  // namespace scribeline::kernels
