// One layer of a decoder for one token, as kernels on a mesh of cores: RMS norm, attention with rotary embedding over a
// resident cache, output projection, RMS norm, gated feed-forward layer.
//
// Layout. The activation is split along the rows and known to whole rows. Products alternate: a product whose inputs
// are split along the rows has outputs split along the columns, known to whole columns, and the other way round, so no
// vector is ever transposed. Every dimension is padded to a multiple of the cores it is split over.
// The cache is not appended to here: see kv_append.h.
#pragma once

#include "firmware_stubs/kernels/attention.h"

namespace scribeline::kernels {

struct decode_dimensions {
  int hidden = 1;
  int feed_forward = 1;
  int kv_heads = 1;
  int queries_per_kv_head = 1;
  int head_dim = 1;
  int positions = 1;  // capacity of the cache
  double epsilon = 1e-5;
  fabric::element_type type = fabric::element_type::fp16;
};

// What a core holds, and where. Sizes are elements, addresses bytes.
struct decode_layout {
  int hidden = 0;        // of the activation, per row
  int feed_forward = 0;  // per column
  attention_slice attention;
  int key = 0;  // of the token; follow the queries: all three come from one product
  int value = 0;
  int cosines = 0;
  int sines = 0;
  int activation = 0;
  int normalised = 0;
  int norm_weights = 0;
  int second_norm_weights = 0;
  int query_weights = 0;
  int key_weights = 0;
  int value_weights = 0;
  int output_weights = 0;
  int up_weights = 0;
  int gate_weights = 0;
  int down_weights = 0;
  int gate = 0;
  int up = 0;
  int gated = 0;
  int projected = 0;  // what is added to the activation
  int scratch = 0;
  int bytes = 0;  // all of it

  // (queries + 2) x elements: what the first product gives a column.
  int qkv_elements() const { return (attention.queries + 2) * attention.elements; }
};

// Throws std::invalid_argument when the columns do not divide by the key-value heads. `columns` and `rows` must be
// those of the mesh.
decode_layout lay_out(const decode_dimensions& dimensions, int columns, int rows);

std::vector<mesh_kernel> decode_layer(const decode_dimensions& dimensions, const decode_layout& layout);

}  // namespace scribeline::kernels
