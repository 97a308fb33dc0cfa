#include "rtl_tlm/fabric/wavelet/wavelet_step.h"

#include <array>

#include "rtl_tlm/fabric/program/element_math.h"
#include "rtl_tlm/fabric/program/vector_timing.h"

namespace scribeline::fabric {
namespace {

std::uint32_t element_address(const operand& o, std::uint32_t first, std::uint32_t element, element_type type) {
  const std::uint32_t position = o.wrap > 0 ? element % static_cast<std::uint32_t>(o.wrap) : element;
  return first + position * static_cast<std::uint32_t>(o.stride * bytes_of(type));
}

std::uint32_t element_of_word(std::uint32_t word, std::uint32_t lane, element_type type) {
  return bytes_of(type) == 4 ? word : word >> (16 * lane) & 0xffffu;
}

// Element `element` of a packed vector of integers, as a number of the type.
std::uint32_t fetch_packed(const sram_pages& sram, std::uint32_t core, const vector_op& v, std::uint32_t first,
                           std::uint32_t element) {
  const auto bits = static_cast<std::uint32_t>(packed_bits(v.op));
  std::uint8_t byte = 0;
  sram.read(core, first + element * bits / 8, &byte, 1);
  const std::uint32_t shifted = std::uint32_t{byte} >> (element * bits % 8);
  const std::uint32_t sign = 1u << (bits - 1);
  const std::uint32_t value = shifted & (2 * sign - 1);
  return element_bits(v.type, static_cast<double>(value) - ((value & sign) != 0 ? 2.0 * sign : 0.0));
}

std::uint32_t fetch(const sram_pages& sram, std::uint32_t core, const operand& o, std::uint32_t first,
                    std::uint32_t element, std::uint32_t lane, std::uint32_t word, element_type type) {
  switch (o.where) {
    case operand::kind::sram:
      return load_element(sram, core, type, element_address(o, first, element, type));
    case operand::kind::fabric_in:
      return element_of_word(word, lane, type);
    case operand::kind::constant:
      return element_bits(type, o.value);
    default:
      return 0;
  }
}

}  // namespace

thread_state make_thread(const vector_op& v, const fabric_chip& chip) {
  thread_state thread;
  thread.op = &v;
  const vector_timing timing = timing_of(v, chip);
  thread.elements = timing.elements_per_word;
  thread.kind = timing.uses_fabric ? thread_kind::fabric : thread_kind::local;
  thread.step_cycles = timing.step_cycles;
  thread.closing = v.closing_control ? 1 : 0;
  return thread;
}

std::uint32_t load_element(const sram_pages& sram, std::uint32_t core, element_type type, std::uint32_t address) {
  std::uint32_t bits = 0;
  sram.read(core, address, &bits, static_cast<std::uint32_t>(bytes_of(type)));
  return bits;
}

std::uint32_t compute_word(sram_pages& sram, std::uint32_t core, const thread_operands& operands,
                           std::uint32_t elements, std::uint32_t a, std::uint32_t b) {
  const vector_op& v = *operands.op;
  std::uint32_t word = 0;
  for (std::uint32_t lane = 0; lane < elements; ++lane) {
    const std::uint32_t element = operands.element + lane;
    const std::uint32_t x = packed_bits(v.op) != 0 ? fetch_packed(sram, core, v, operands.a, element)
                                                   : fetch(sram, core, v.a, operands.a, element, lane, a, v.type);
    const std::uint32_t y = fetch(sram, core, v.b, operands.b, element, lane, b, v.type);
    const std::uint32_t z =
        v.op == opcode::multiply_accumulate
            ? load_element(sram, core, v.type, element_address(v.dst, operands.dst, element, v.type))
            : operands.scalar;
    const std::uint32_t result = compute_element(v.op, v.type, x, y, z);
    word |= result << (16 * lane);
    if (v.dst.where == operand::kind::sram)
      sram.write(core, element_address(v.dst, operands.dst, element, v.type), &result,
                 static_cast<std::uint32_t>(bytes_of(v.type)));
  }
  return word;
}

void compute_local(sram_pages& sram, std::uint32_t core, const thread_operands& operands, std::uint32_t elements) {
  thread_operands now = operands;
  for (std::uint32_t done = 0; done < elements; ++done, ++now.element)
    compute_word(sram, core, now, 1, 0, 0);
}

bool banks_conflict(const fabric_chip& chip, const thread_operands& operands) {
  const vector_op& v = *operands.op;
  const auto bank_bytes = static_cast<std::uint32_t>(chip.sram_bytes / chip.sram_banks);
  std::array<std::uint32_t, 3> addresses{};
  std::size_t count = 0;
  const auto look_at = [&](const operand& o, std::uint32_t first) {
    if (o.where != operand::kind::sram) return false;
    const std::uint32_t address = element_address(o, first, operands.element, v.type);
    for (std::size_t i = 0; i < count; ++i)
      if (addresses[i] != address && addresses[i] / bank_bytes == address / bank_bytes) return true;
    addresses[count++] = address;
    return false;
  };
  const bool a = look_at(v.a, operands.a);
  const bool b = look_at(v.b, operands.b);
  const bool dst = look_at(v.dst, operands.dst);
  return a || b || dst;
}

}  // namespace scribeline::fabric
