// How the numbers of one weight matrix are stored: bits per weight and the scales that come with them.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/base/units.h"

namespace scribeline::model {

// A storage format. A scale (and a zero point, if any) covers a block of group_outputs x group_inputs
// weights; 0 means the whole dimension, so 0 x 0 is one scale for the matrix and 1 x 0 one for each output.
// tensor_scale_bits is a second-level scale of the whole matrix (NVFP4).
struct weight_format {
  std::string name = "16-bit";
  std::uint32_t bits_per_weight = 16;
  std::uint32_t scale_bits = 0;       // 0: no scales
  std::uint32_t zero_point_bits = 0;  // 0: symmetric
  std::uint32_t group_outputs = 0;
  std::uint32_t group_inputs = 0;
  std::uint32_t tensor_scale_bits = 0;

  bool quantized() const { return scale_bits != 0; }
};

bool operator==(const weight_format& a, const weight_format& b);
inline bool operator!=(const weight_format& a, const weight_format& b) {
  return !(a == b);
}

// Unquantised storage of 16 or 32 bits.
weight_format plain_format(std::uint32_t bits);

// OCP Microscaling MXFP4: 4-bit E2M1 values, one 8-bit E8M0 scale for 32 of them along the inputs.
weight_format mxfp4_format();
// NVFP4: 4-bit E2M1 values, one 8-bit E4M3 scale for 16 of them and a 32-bit scale of the matrix.
weight_format nvfp4_format();

// Bytes of `matrices` matrices of inputs x outputs weights: packed weights (the inputs of one output padded
// to whole bytes) + scales + zero points (each kind padded to whole bytes per matrix).
base::bytes stored_bytes(const weight_format& format, std::uint64_t inputs, std::uint64_t outputs,
                         std::uint64_t matrices = 1);

}  // namespace scribeline::model
