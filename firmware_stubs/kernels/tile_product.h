// Products on a core's own vectors, in loops: the multiply-adds of gemv.h and quantised_gemv.h for any number of
// tokens, in code that does not grow with the tile.
//
// Every product sums over `reduced`. Which of its extents the vector operations run along is the caller's choice: an
// operation takes its set-up whatever its length, so the longest is best, and the data must lie accordingly.
#pragma once

#include <vector>

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::kernels {

// output[s][l] = sum over r of scalars[s][r] * vectors[r][l]. Byte addresses of arrays that lie row after row.
struct tile_product {
  int reduced = 1;
  int repeats = 1;  // of s
  int length = 1;   // of l
  int scalars = 0;
  int vectors = 0;
  int output = 0;
  fabric::element_type type = fabric::element_type::fp16;
};

// Along l: `reduced` multiply-adds of `length` for every s; of one s the operations of add_gemv().
void add_multiply_adds(std::vector<fabric::instruction>& body, const tile_product& tile);

// Along r: a scalar product for every s and l. The vectors lie by l: vectors[l][r].
void add_scalar_products(std::vector<fabric::instruction>& body, const tile_product& tile);

// Whichever takes fewer vector operations.
void add_product(std::vector<fabric::instruction>& body, const tile_product& tile);

// output[t][o] = sum over i of input[t][i] * weight[i][o] * scale[i / group][o]. Weights are integers of 8 or 4 bit,
// packed in 16-bit elements; each row of the array begins with a new one. They are expanded once for all tokens.
struct packed_tile {
  int inputs = 1;
  int outputs = 1;
  int tokens = 1;
  int bits = 8;
  int group = 1;  // inputs that share scales
  int weights = 0;
  int scales = 0;
  int input = 0;
  int output = 0;
  int expanded = 0;  // scratch: a row of weights
  int sums = 0;      // scratch: tokens x outputs, by output as many for every group
  fabric::element_type type = fabric::element_type::fp16;

  int groups() const { return (inputs + group - 1) / group; }
  int row_bytes(int elements) const { return (elements * bits + 15) / 16 * 2; }
};

// Vector operations run along outputs; weights by input, scales by group: of one token the operations of
// add_quantised_gemv().
void add_packed_by_input(std::vector<fabric::instruction>& body, const packed_tile& tile);
// Along inputs; weights by output, scales by group.
void add_packed_by_output(std::vector<fabric::instruction>& body, const packed_tile& tile);
// Along tokens; weights and scales by output, input[i][t], output[o][t].
void add_packed_by_token(std::vector<fabric::instruction>& body, const packed_tile& tile);

// The one of the three that takes the fewest vector operations. `along_tokens`: whether the third is possible.
void add_packed_product(std::vector<fabric::instruction>& body, const packed_tile& tile, bool along_tokens);

}  // namespace scribeline::kernels
