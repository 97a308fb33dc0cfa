// A state-space block of a decoder for one token (selective scan, as in Mamba-2): norm, projections, short convolution
// of x, B and C, update of the resident state, read-out, gate, output projection.
//
// Channels are split along the columns, the elements of a channel's state along the rows; the state stays where it is
// and is read and written by every token. For channel c and state element n:
//   step = ln(1 + e^(raw step)), h[n, c] = h[n, c] e^(step A[c]) + step x[c] B[n], y[c] = sum_n C[n] h[n, c] + D[c]
//   x[c].
#pragma once

#include "firmware_stubs/kernels/residual_stream.h"
#include "firmware_stubs/kernels/short_convolution.h"

namespace scribeline::kernels {

struct state_space_dimensions {
  int channels = 1;
  int state = 1;  // elements per channel
  int taps = 0;   // of the short convolution; 0: none
};

// Addresses are bytes.
struct state_space {
  state_space(const state_space_dimensions& d, const residual_stream& stream, address_counter& sram);

  std::vector<mesh_kernel> kernels(const residual_stream& stream) const;

  int channels;  // per column
  int state;     // elements per row
  int norm_weights;
  int channel_weights;  // three matrices, elements of the stream x channels: x, gate, raw step
  int read_weights;     // elements of the stream x (all of B, all of C), padded to the rows
  int decay;            // A, per channel
  int skip;             // D, per channel
  int output_weights;   // channels x elements of the stream
  int gate;             // these three and B, C come from one product
  int step;
  int x;
  int b;
  int c;
  int h;  // state x channels
  int decayed;
  int read_out;
  int gated;
  std::optional<short_convolution> convolution;  // of x, B, C; B and C padded
};

}  // namespace scribeline::kernels
