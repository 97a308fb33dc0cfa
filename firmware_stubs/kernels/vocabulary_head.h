// The end of a decoder for one token: norm, product with the vocabulary, choice of the next token.
#pragma once

#include "firmware_stubs/kernels/token_choice.h"

namespace scribeline::kernels {

struct vocabulary_head {
  // Throws std::invalid_argument for a stream that is not fp16, and as token_choice does.
  vocabulary_head(int vocabulary, const residual_stream& stream, address_counter& sram);

  std::vector<mesh_kernel> logits_kernels(const residual_stream& stream) const;
  // With the choice. Greedy for a temperature of 0.
  std::vector<mesh_kernel> kernels(const residual_stream& stream, double temperature) const;

  int tokens;        // per column
  int norm_weights;  // byte addresses
  int weights;       // elements of the stream x tokens
  int logits;        // tokens, at all cores of a column
  token_choice choice;
};

}  // namespace scribeline::kernels
