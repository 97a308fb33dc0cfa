// Attention of one token over a cache that stays in SRAM, spread over a mesh: elements of the heads along the columns,
// positions along the rows.
//
// The columns are cut into as many equal parts as there are key-value heads. A core holds, for the positions of its row
// and the elements of its column, keys (element after element) and values (position after position), and works for all
// queries that share the key-value head. Queries, keys and values of the token are known to the whole column.
//
// The order of the entries does not matter, so a sliding window is a cache in which a token overwrites the oldest
// entry. An attention sink (gpt-oss) is a learned logit per query: a term of the softmax's denominator without a value.
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

struct attention_slice {
  int kv_heads = 1;          // parts of a row
  int queries = 1;           // heads that share a key-value head
  int elements = 1;          // of a key, in this core
  int value_elements = 1;    // of a value, in this core
  int positions = 1;         // of the cache, in this core
  double scale = 1;          // of the scores: 1 / sqrt(head_dim)
  int query = 0;             // byte addresses: queries x elements
  int keys = 0;              // elements x positions
  int values = 0;            // positions x value elements
  int mask = 0;              // per position: 0, or a large negative number where there is nothing yet
  std::optional<int> sinks;  // queries
  int scores = 0;            // queries x positions
  int maxima = 0;            // queries
  int sums = 0;              // queries
  int output = 0;            // queries x value elements
  fabric::element_type type = fabric::element_type::fp16;
};

// In masks of empty places: far below every score, its exponential is zero in 16 bit.
inline constexpr double nothing_here = -30000;

// Scores, summed over the elements of a head; the maximum over all positions; their exponentials and the sum; values
// weighted with them.
std::vector<mesh_kernel> attention(const attention_slice& slice);

// Key and value of the token at `position`, which begin at `key` and `value`, into the cache. Positions go round the
// rows, so that their shares of the cache never differ by more than one position. In a window, `position` is that in
// the ring: the position of the token modulo the window.
mesh_kernel append_to_cache(const attention_slice& slice, int key, int value, int position, int columns, int rows);

}  // namespace scribeline::kernels
