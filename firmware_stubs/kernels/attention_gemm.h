// The two products of attention over a whole prompt, of all heads at once, by compute-shift on a square mesh.
//
// Elements of the heads lie along the columns, cut into as many equal parts as there are key-value heads; tokens lie
// along the rows. A core of key-value head g adds to the scores of g's queries only, but scores of all heads travel
// along its row, so no head has to be moved out of its columns and no core multiplies for nothing.
//
// scores: keys go round the columns, scores round the rows until every column has added its elements. Keys come where
// their tokens are and are aligned first. At the end the core of column rank i and row rank j has the scores of its
// row's tokens with the keys of row rank i + j (aligned_position() of mesh_gemm.h), which the second product begins
// with. output: scores go round the rows, values round the columns; every core gets its own elements of its row's
// tokens.
#pragma once

#include "firmware_stubs/kernels/gemm_tiles.h"

namespace scribeline::kernels {

struct attention_tiles {
  int side = 2;
  int kv_heads = 1;  // divides the side
  int queries = 1;   // heads that share a key-value head
  int elements = 1;  // of a key and of a value, in this core
  int tokens = 1;    // of the core's row
  int query = 0;     // byte addresses: queries x elements x tokens
  int key = 0;       // elements x tokens
  int value = 0;     // elements x tokens
  int output = 0;    // queries x elements x tokens
  int scores = 0;    // three buffers of kv_heads x queries x tokens of keys x tokens
  int shifted = 0;   // three buffers of elements x tokens, for keys and values on their way
  fabric::element_type type = fabric::element_type::fp16;

  int heads() const { return kv_heads * queries; }
  int tile_elements() const { return elements * tokens; }
  int score_elements() const { return heads() * tokens * tokens; }
  // Where scores lie between the products.
  int finished_scores() const { return scores + side % 3 * buffer_bytes(score_elements()); }
  // Whole words, as address_counter hands them out.
  int buffer_bytes(int count) const { return (count * fabric::bytes_of(type) + 3) / 4 * 4; }
};

// Mark begin and end as collectives do. Throw std::invalid_argument when the side does not divide by the key-value
// heads or is less than 2.
fabric::program attention_scores(const fabric::fabric_chip& chip, const attention_tiles& tiles,
                                 const gemm_schedule& schedule = {});
fabric::program attention_output(const fabric::fabric_chip& chip, const attention_tiles& tiles,
                                 const gemm_schedule& schedule = {});

}  // namespace scribeline::kernels
