// Rotary position embedding of vectors whose pairs lie in one core: the first half of a slice holds the first elements
// of the pairs, the second half the second ones. (Columns of the projections are put in this order when weights are
// loaded.)
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

struct rotary_slice {
  int vectors = 1;
  int distance = 2;  // of vectors, in elements
  int elements = 2;  // of each that turn; the last one of an odd number turns with itself
  int data = 0;      // byte addresses
  int cosines = 0;   // one per pair
  int sines = 0;
  int scratch = 0;  // three times the pairs
  fabric::element_type type = fabric::element_type::fp16;
};

// (x, y) becomes (x cos - y sin, y cos + x sin).
void add_rotary(std::vector<fabric::instruction>& body, const rotary_slice& slice);

}  // namespace scribeline::kernels
