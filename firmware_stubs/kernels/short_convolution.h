// Short causal convolution over the tokens of a sequence, channel by channel, and SiLU behind it: what recurrent layers
// apply to their projections. The last inputs stay in SRAM, next to the channels.
//
// output[c] = SiLU(bias[c] + sum over the taps t of weights[t, c] * the input of channel c, taps - 1 - t tokens ago).
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"
#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

// Addresses are bytes.
struct short_convolution {
  // Two taps at least, otherwise throws std::invalid_argument.
  short_convolution(int channels, int taps, fabric::element_type type, address_counter& sram);

  // Replaces the channels at `address`, one token's, and remembers them.
  void add(std::vector<fabric::instruction>& body, int address) const;

  int channels;
  int taps;
  fabric::element_type type;
  int weights;  // taps x channels, for the oldest input first
  int bias;     // channels; zeros where a model has none
  int history;  // taps - 1 x channels, the oldest first
  int sum;      // channels, scratch
};

}  // namespace scribeline::kernels
