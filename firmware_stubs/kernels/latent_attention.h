// The attention block of a decoder with a latent cache for one token, absorbed: the up-projections of keys and values
// are multiplied into the query and output projections when weights are loaded, so that all heads attend to the latent
// vectors themselves, as queries of one key-value head whose values are the latent part of its keys.
#pragma once

#include "firmware_stubs/kernels/attention.h"
#include "firmware_stubs/kernels/residual_stream.h"
#include "firmware_stubs/kernels/sparse_index.h"

namespace scribeline::kernels {

struct latent_attention_dimensions {
  int heads = 1;
  int latent = 1;     // width of the cached vector
  int rotary = 1;     // elements with position, shared by all heads
  double scale = 1;   // of the scores: 1 / sqrt of the width of a head before absorption
  int positions = 1;  // capacity of the cache
  std::optional<index_dimensions> index = std::nullopt;  // attention to the tokens that it chooses
};

// A query and a key of a core: its latent elements, then its rotary ones in pairs. Addresses are bytes.
struct latent_attention {
  latent_attention(const latent_attention_dimensions& d, const residual_stream& stream, address_counter& sram);

  std::vector<mesh_kernel> kernels_at(int position, const residual_stream& stream) const;

  attention_slice slice;
  int latent_total;
  int latent;  // elements per column
  int rotary;
  int norm_weights;
  int latent_norm_weights;
  int query_weights;   // elements of the stream x heads x (latent + rotary)
  int key_weights;     // elements of the stream x (latent + rotary)
  int output_weights;  // heads x latent x elements of the stream
  int key;             // of the token, behind the queries
  int sum;
  int cosines;
  int sines;
  int scratch;
  std::optional<sparse_index> index;
};

}  // namespace scribeline::kernels
