// One layer of a decoder for all tokens of a prompt, as WaferLLM (OSDI'25, arXiv 2502.04563) runs it on a square mesh:
// nine MeshGEMMs (query, key, value, scores, values, output, up, gate, down), two RMS norms, rotary embedding, softmax
// and the gate between them. Attention is that of one head as wide as the layer.
//
// Tokens are split along the rows, features along the columns; a tile lies feature after feature. The kernels between
// the products work on tiles of the right shape, not on each other's results: for timing only. prompt_attention.h and
// prompt_feed_forward.h compute a layer with values.
#pragma once

#include <variant>

#include "firmware_stubs/kernels/mesh_gemm.h"
#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

struct prefill_dimensions {
  int hidden = 1;
  int feed_forward = 1;
  int tokens = 1;
  fabric::element_type type = fabric::element_type::fp16;
};

struct prefill_step {
  std::string name;
  std::variant<mesh_kernel, gemm_tiles> work;
};

std::vector<prefill_step> prefill_layer(const prefill_dimensions& dimensions, int side);

// Of the busiest moment of the layer: weights, activations and buffers of a core.
std::int64_t prefill_bytes_per_core(const prefill_dimensions& dimensions, int side);

}  // namespace scribeline::kernels
