// Softmax of vectors that are spread over the cores of a line: maximum over the line, exponentials, sum over the line.
#pragma once

#include <optional>

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

// Vectors behind each other: the elements of a vector lie together.
struct softmax_rows {
  int vectors = 1;
  int elements = 1;  // of each, in this core
  int data = 0;      // byte addresses; replaced by the result
  int mask = 0;      // per element: 0, or a large negative number for what does not count
  int maxima = 0;    // vectors
  int sums = 0;      // vectors
  double scale = 1;  // of the data, before the mask
  fabric::element_type type = fabric::element_type::fp16;
  // Per vector: a number that joins maximum and sum as one more element would, the same in all cores of the line.
  std::optional<int> sinks;
};
std::vector<mesh_kernel> softmax(const softmax_rows& rows, collectives::axis along);

// Vectors beside each other, as the tiles of a product lie: the first elements of all vectors lie together, then the
// second ones. Several such tiles share a mask.
struct softmax_tiles {
  int tiles = 1;
  int vectors = 1;  // of a tile
  int elements = 1;
  int data = 0;        // byte addresses; replaced by the result
  int mask = -1;       // elements x vectors; -1: everything counts
  int statistics = 0;  // tiles x vectors of scratch
  double scale = 1;
  fabric::element_type type = fabric::element_type::fp16;
};
std::vector<mesh_kernel> softmax(const softmax_tiles& tiles, collectives::axis along);

}  // namespace scribeline::kernels
