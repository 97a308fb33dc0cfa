// The attention block of a decoder for one token: norm, query, key and value, rotary embedding, attention over a
// resident cache with queries that share key-value heads, output projection.
#pragma once

#include "firmware_stubs/kernels/attention.h"
#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

struct grouped_attention_dimensions {
  int kv_heads = 1;
  int queries_per_kv_head = 1;
  int head_dim = 1;
  int positions = 1;     // capacity of the cache
  bool sliding = false;  // the cache is a window: a token takes the place of the oldest one
  bool sinks = false;    // a learned logit per query, as in attention.h
};

// Addresses are bytes. Elements of a query and of a key lie in pairs, as rotary.h needs them.
struct grouped_attention {
  // Throws std::invalid_argument when the columns do not divide by the key-value heads.
  grouped_attention(const grouped_attention_dimensions& d, const residual_stream& stream, address_counter& sram);

  std::vector<mesh_kernel> kernels(const residual_stream& stream) const;
  // Of them, those before the token's key and value are in the cache: norm, product, rotary embedding.
  static constexpr std::ptrdiff_t kernels_before_append = 3;
  // For the token at `position`; between the rotary embedding and the scores. See kernels_at().
  mesh_kernel append(int position, const residual_stream& stream) const;
  // All of it, with the token's own key and value in the cache.
  std::vector<mesh_kernel> kernels_at(int position, const residual_stream& stream) const;

  attention_slice slice;
  std::optional<int> window;
  int norm_weights;
  int query_weights;  // elements of the stream x queries x elements
  int key_weights;
  int value_weights;
  int output_weights;  // queries x elements x elements of the stream
  int key;             // of the token; behind the queries: all three come from one product
  int value;
  int cosines;  // per pair
  int sines;
  int scratch;
};

}  // namespace scribeline::kernels
