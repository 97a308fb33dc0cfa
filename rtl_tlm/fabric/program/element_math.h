// One element through the datapath of a core: dst = op(a, b), on the bit patterns of its type.
//
// fp16 and bf16 are computed in fp32 and rounded once; multiply_add rounds its fp32 product and sum before that (no
// fused multiply-add). Integers wrap. Special functions are the host's in fp32, rounded once. What is packed comes
// expanded. `scalar` is the third number of multiply_add and multiply_accumulate.
#pragma once

#include <cstdint>

#include "rtl_tlm/fabric/program/vector_op.h"

namespace scribeline::fabric {

std::uint32_t compute_element(opcode op, element_type type, std::uint32_t a, std::uint32_t b, std::uint32_t scalar);

// The bit pattern of a number in a type, rounded to nearest.
std::uint32_t element_bits(element_type type, double value);
// The number that a bit pattern stands for.
double element_value(element_type type, std::uint32_t bits);

}  // namespace scribeline::fabric
