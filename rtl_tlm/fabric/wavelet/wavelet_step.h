// Steps of vector operations: how many cycles they take, and what they compute when words carry values.
#pragma once

#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

namespace scribeline::fabric {

// Everything of a thread that the operation alone decides: kind, words, whether a control word closes it.
thread_state make_thread(const vector_op& v, const fabric_chip& chip);

// The elements of one word: operands that come from the fabric are in a and b. Returns the result as a word, and stores
// it when the destination is in SRAM.
std::uint32_t compute_word(sram_pages& sram, std::uint32_t core, const thread_operands& operands,
                           std::uint32_t elements, std::uint32_t a, std::uint32_t b);

// `elements` elements of an operation between SRAM vectors.
void compute_local(sram_pages& sram, std::uint32_t core, const thread_operands& operands, std::uint32_t elements);

std::uint32_t load_element(const sram_pages& sram, std::uint32_t core, element_type type, std::uint32_t address);

// Whether two of the operands' next elements lie in one SRAM bank. An operand that is used in place (the same address
// twice) is one access to read and one to write, which the banks serve together.
bool banks_conflict(const fabric_chip& chip, const thread_operands& operands);

}  // namespace scribeline::fabric
