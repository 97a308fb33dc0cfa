// The index of sparse attention (DeepSeek-V3.2): small heads score all cached tokens, and the best are attended to.
//
// Score of a token: the sum over the heads of weight * max(0, query . key), with one key per token for all heads and
// weights that the token at hand computes. Index keys lie as the cache does: elements along the columns, positions
// along the rows. Tokens that are not chosen are masked: attention takes as long as over the whole cache. Which are
// chosen, and ties: top_k_search.h. The norm of index keys is not modelled; scale factors do not change the order.
#pragma once

#include "firmware_stubs/kernels/attention.h"
#include "firmware_stubs/kernels/residual_stream.h"
#include "firmware_stubs/kernels/rotary.h"
#include "firmware_stubs/kernels/top_k_search.h"

namespace scribeline::kernels {

struct index_dimensions {
  int heads = 1;
  int plain = 1;   // elements of a head without position; it has as many with position as the attention
  int chosen = 1;  // tokens
};

// A query and a key of a core: plain elements, then rotary ones in pairs. Addresses are bytes.
struct sparse_index {
  // `rotary`: of the core, with tables and scratch; its data, vectors and distance are set here.
  sparse_index(const index_dimensions& d, const attention_slice& cache, const rotary_slice& rotary,
               const residual_stream& stream, address_counter& sram);

  // Queries, key and head weights of the token.
  mesh_kernel products(const residual_stream& stream) const;
  // Beside the cache's own append: the key to the same position.
  void add_append(mesh_kernel& append, int slot) const;
  // The mask of the attention: 0 for the best of the entries whose `mask` is 0.
  std::vector<mesh_kernel> choose(int mask) const;

  int heads;
  int plain;     // elements per column
  int elements;  // plain and rotary
  int positions;
  fabric::element_type type;
  rotary_slice rotary;
  top_k_search search;
  int query_weights;  // elements of the stream x heads x elements
  int key_weights;    // elements of the stream x elements
  int head_weights;   // elements of the stream x heads, the same in all columns
  int query;          // these come from one product
  int key;
  int weights;
  int keys;    // elements x positions
  int scores;  // heads x positions
  int total;   // positions
  int selection;
};

}  // namespace scribeline::kernels
