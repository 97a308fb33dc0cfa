// The activations of a whole prompt between the blocks of a decoder, as every block on a square mesh finds and leaves
// them, and how blocks multiply them.
//
// Tokens go round the rows, features are split along the columns: the core in row r holds tokens r, r + P, r + 2 P and
// so on, which is how the caches of decode lie (attention.h). A tile lies feature after feature, so that a vector
// operation works on all tokens of a core. Dimensions are padded; what is padded must hold zeros.
//
// Products are MeshGEMMs. The activation is shifted into alignment before each. Weights lie aligned from the beginning:
// a core holds the tile whose inputs are the features of column aligned_position() and whose outputs are those of its
// own column.
#pragma once

#include "firmware_stubs/kernels/mesh_gemm.h"
#include "firmware_stubs/kernels/mesh_machine.h"
#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

class prompt_stream {
 public:
  prompt_stream(int width, int most_tokens, int side, fabric::element_type type, double epsilon, address_counter& sram);

  // Blocks say, when they are made, how large the tiles are that they shift; then all get the same buffers. Throw
  // std::logic_error when a block is made after that, or steps before.
  void reserve(int elements_along_rows, int elements_along_columns);
  void take_buffers(address_counter& sram);

  // normalised = norm(activation).
  mesh_kernel norm(std::string name, int weights) const;
  // output = input x weights, tiles of tokens x inputs, inputs x outputs, tokens x outputs; copied into the buffers
  // first.
  std::vector<mesh_step> product(const std::string& name, int inputs, int outputs, int input, int weights, int output,
                                 const fabric::fabric_chip& chip, const gemm_schedule& schedule) const;
  // activation += projected, at the end of a block.
  mesh_kernel add_projected(std::string name) const;

  // The first of three buffers each.
  int buffers_along_rows() const { return taken(along_rows_); }
  int buffers_along_columns() const { return taken(along_columns_); }

  int total;
  int side;
  fabric::element_type type;
  double epsilon;
  int tokens;      // per row
  int elements;    // per column
  int activation;  // byte addresses, elements x tokens
  int normalised;
  int projected;  // what a block adds

 private:
  static int taken(int address);

  int sums_;
  int most_along_rows_ = 0;
  int most_along_columns_ = 0;
  int along_rows_ = -1;
  int along_columns_ = -1;
};

}  // namespace scribeline::kernels
