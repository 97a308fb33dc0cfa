// What the operation alone decides about the time of a vector operation: how its elements become steps of the datapath.
#pragma once

#include <cstdint>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/vector_op.h"

namespace scribeline::fabric {

// Bits behind the point of elements per cycle.
inline constexpr int rate_fraction_bits = 24;

struct vector_timing {
  bool uses_fabric = false;  // some operand is a stream: a step is a word. Otherwise a step is a cycle.
  std::uint8_t elements_per_word = 1;
  std::uint8_t step_cycles = 1;          // of a full word of the fabric; 1 without
  std::uint32_t elements_per_cycle = 0;  // all operands in SRAM; fixed point
};

// Throws std::invalid_argument when a word of the fabric takes more than 255 cycles.
vector_timing timing_of(const vector_op& v, const fabric_chip& chip);

}  // namespace scribeline::fabric
