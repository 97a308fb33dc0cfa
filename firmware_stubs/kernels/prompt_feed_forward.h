// The dense feed-forward block of a decoder for all tokens of a prompt: norm, up and gate, SiLU gate, down.
#pragma once

#include "firmware_stubs/kernels/prompt_stream.h"

namespace scribeline::kernels {

struct prompt_feed_forward {
  prompt_feed_forward(int width, prompt_stream& stream, address_counter& sram);

  std::vector<mesh_step> steps(const prompt_stream& stream, const fabric::fabric_chip& chip,
                               const gemm_schedule& schedule = {}) const;

  int elements;      // per column
  int norm_weights;  // byte addresses
  int weights;       // elements of the stream x (elements of up, elements of gate)
  int down_weights;  // elements x elements of the stream
  int up;            // elements x tokens
  int gate;
  int gated;
};

}  // namespace scribeline::kernels
