// Root mean square normalisation of a vector that is split along one axis and repeated along the other one:
// output = input / sqrt(mean(input^2) + epsilon) * weights.
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

struct rms_norm_slice {
  int elements = 1;  // of the core
  int total = 1;     // of the whole vector
  int input = 0;     // byte addresses
  int weights = 0;
  int output = 0;  // may be the input
  int sum = 0;     // one element of scratch
  double epsilon = 1e-5;
  fabric::element_type type = fabric::element_type::fp16;
};

// The squares are summed in the type of the elements.
mesh_kernel rms_norm(std::string name, const rms_norm_slice& slice, collectives::axis along);

// The same of several vectors beside each other: element by element those of all vectors, as tiles of products lie.
struct rms_norm_tile {
  int vectors = 1;
  int elements = 1;  // of the core
  int total = 1;     // of a whole vector
  int input = 0;     // byte addresses
  int weights = 0;
  int output = 0;  // may be the input
  int sums = 0;    // vectors
  double epsilon = 1e-5;
  fabric::element_type type = fabric::element_type::fp16;
};
mesh_kernel rms_norm(std::string name, const rms_norm_tile& tile, collectives::axis along);

}  // namespace scribeline::kernels
