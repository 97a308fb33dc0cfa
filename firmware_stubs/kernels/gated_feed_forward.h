// The dense feed-forward block of a decoder for one token: norm, up and gate, SiLU gate, down.
#pragma once

#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

struct gated_feed_forward {
  gated_feed_forward(int width, const residual_stream& stream, address_counter& sram);

  std::vector<mesh_kernel> kernels(const residual_stream& stream) const;

  int elements;      // per column
  int norm_weights;  // byte addresses
  int up_weights;    // elements of the stream x elements
  int gate_weights;
  int down_weights;  // elements x elements of the stream
  int up;
  int gate;
  int gated;
};

}  // namespace scribeline::kernels
