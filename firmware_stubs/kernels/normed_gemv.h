// Root mean square norm and matrix times vector in one: the sum of squares travels with the sums of the product, which
// is scaled by the root afterwards. output = weights^T (input / sqrt(mean(input^2) + epsilon)).
//
// The norm's own weights are multiplied into those of the product when they are loaded. Distance is what an all-reduce
// costs on a large mesh, and one is enough.
#pragma once

#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

struct normed_tile {
  gemv_tile product;
  int total = 1;  // elements of the whole input
  int sum = 0;    // address of one element behind the outputs
  double epsilon = 1e-5;
};

// Throws std::invalid_argument unless the sum lies behind the outputs.
mesh_kernel normed_gemv(std::string name, const normed_tile& tile, collectives::axis along);

}  // namespace scribeline::kernels
