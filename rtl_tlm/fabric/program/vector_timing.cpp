#include "rtl_tlm/fabric/program/vector_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace scribeline::fabric {
namespace {

double elements_per_cycle(const vector_op& v, const core::core_timing& core) {
  const bool multiplies_and_adds = v.op == opcode::multiply_add || v.op == opcode::multiply_accumulate;
  const core::vector_rate& rate = v.op == opcode::copy || packed_bits(v.op) != 0 ? core.copy
                                  : multiplies_and_adds                          ? core.multiply_add
                                  : is_special(v.op)                             ? core.special
                                                                                 : core.arithmetic;
  return bytes_of(v.type) == 2 ? rate.elements_16_bit : rate.elements_32_bit;
}

std::uint8_t word_cycles(const vector_op& v, double cycles) {
  constexpr double most = 255;
  const double whole = std::max(1.0, std::ceil(cycles - 1e-9));
  if (whole > most)
    throw std::invalid_argument(fmt::format("{} of a word of the fabric takes {} cycles; at most {} can be simulated",
                                            name(v.op), whole, most));
  return static_cast<std::uint8_t>(whole);
}

}  // namespace

vector_timing timing_of(const vector_op& v, const fabric_chip& chip) {
  const double rate = elements_per_cycle(v, chip.core);
  vector_timing timing;
  timing.uses_fabric = v.a.is_fabric() || v.b.is_fabric() || v.dst.is_fabric();
  timing.elements_per_word = static_cast<std::uint8_t>(elements_per_word(v.type));
  if (timing.uses_fabric) timing.step_cycles = word_cycles(v, timing.elements_per_word / rate);
  timing.elements_per_cycle = static_cast<std::uint32_t>(std::ceil(rate * (1u << rate_fraction_bits)));
  return timing;
}

}  // namespace scribeline::fabric
