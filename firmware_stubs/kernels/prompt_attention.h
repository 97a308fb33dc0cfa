// The attention block of a decoder for all tokens of a prompt at once: norm, query, key and value, rotary embedding,
// causal attention, output projection; keys and values go into the cache that decode continues with.
//
// The heads' elements lie in the same columns as those of grouped_attention.h, whose cache this fills: the first
// `tokens` positions, which no token may have filled before.
#pragma once

#include "firmware_stubs/kernels/attention_gemm.h"
#include "firmware_stubs/kernels/grouped_attention.h"
#include "firmware_stubs/kernels/prompt_stream.h"

namespace scribeline::kernels {

// Addresses are bytes. Elements of a query and of a key lie in pairs, as rotary.h needs them.
struct prompt_attention {
  // Throws std::invalid_argument when a core's share of a head is odd, or the cache is too small for the prompt.
  prompt_attention(const attention_slice& cache, prompt_stream& stream, address_counter& sram);

  // For a prompt of `length` tokens.
  std::vector<mesh_step> steps(int length, const prompt_stream& stream, const fabric::fabric_chip& chip,
                               const gemm_schedule& schedule = {}) const;
  // What a core holds at `mask`, once: for each of its `tokens` keys all its `tokens` queries, 0 or far below zero.
  std::vector<double> causal_mask(fabric::coordinate core) const;

  attention_slice cache;
  attention_tiles tiles;
  int norm_weights;
  int weights;         // elements of the stream x (queries x elements, elements of key, elements of value)
  int output_weights;  // queries x elements x elements of the stream
  int mask;
  int statistics;
  int cosines;  // pairs x tokens
  int sines;
  int scratch;

 private:
  mesh_kernel rotary() const;
  std::vector<mesh_kernel> append(int length) const;
};

}  // namespace scribeline::kernels
