#include "rtl_tlm/fabric/program/element_math.h"

#include <cmath>

#include "rtl_tlm/core/number_formats.h"

namespace scribeline::fabric {
namespace {

template <class Number>
Number combine(opcode op, Number a, Number b, Number scalar) {
  switch (op) {
    case opcode::copy:
      return a;
    case opcode::add:
      return a + b;
    case opcode::subtract:
      return a - b;
    case opcode::multiply:
      return a * b;
    case opcode::maximum:
      return a < b ? b : a;
    case opcode::minimum:
      return b < a ? b : a;
    case opcode::multiply_add:
      return a + b * scalar;
    case opcode::multiply_accumulate:
      return scalar + a * b;
    case opcode::at_least:
      return a < b ? Number{0} : Number{1};
    default:
      return a;
  }
}

float special(opcode op, float a) {
  switch (op) {
    case opcode::exponential:
      return std::exp(a);
    case opcode::reciprocal:
      return 1 / a;
    case opcode::logarithm:
      return std::log(a);
    default:
      return 1 / std::sqrt(a);
  }
}

// Two's complement: wraps where signed arithmetic would overflow, compares signed.
std::int32_t combine_integers(opcode op, std::int32_t a, std::int32_t b, std::int32_t scalar) {
  if (op == opcode::maximum || op == opcode::minimum || op == opcode::at_least) return combine(op, a, b, scalar);
  return static_cast<std::int32_t>(
      combine(op, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(scalar)));
}

float to_float(element_type type, std::uint32_t bits) {
  switch (type) {
    case element_type::fp16:
      return core::float_from_fp16(static_cast<std::uint16_t>(bits));
    case element_type::bf16:
      return core::float_from_bf16(static_cast<std::uint16_t>(bits));
    default:
      return core::float_of(bits);
  }
}

std::uint32_t from_float(element_type type, float value) {
  switch (type) {
    case element_type::fp16:
      return core::fp16_from_float(value);
    case element_type::bf16:
      return core::bf16_from_float(value);
    default:
      return core::bits_of(value);
  }
}

std::int32_t to_integer(element_type type, std::uint32_t bits) {
  return type == element_type::int16 ? static_cast<std::int16_t>(bits) : static_cast<std::int32_t>(bits);
}

std::uint32_t from_integer(element_type type, std::int32_t value) {
  return type == element_type::int16 ? static_cast<std::uint16_t>(value) : static_cast<std::uint32_t>(value);
}

bool is_integer(element_type type) {
  return type == element_type::int32 || type == element_type::int16;
}

}  // namespace

std::uint32_t compute_element(opcode op, element_type type, std::uint32_t a, std::uint32_t b, std::uint32_t scalar) {
  if (op == opcode::copy || packed_bits(op) != 0) return a;
  if (is_special(op)) return from_float(type, special(op, to_float(type, a)));
  if (is_integer(type))
    return from_integer(type, combine_integers(op, to_integer(type, a), to_integer(type, b), to_integer(type, scalar)));
  return from_float(type, combine(op, to_float(type, a), to_float(type, b), to_float(type, scalar)));
}

std::uint32_t element_bits(element_type type, double value) {
  if (is_integer(type)) return from_integer(type, static_cast<std::int32_t>(std::llround(value)));
  return from_float(type, static_cast<float>(value));
}

double element_value(element_type type, std::uint32_t bits) {
  return is_integer(type) ? static_cast<double>(to_integer(type, bits)) : static_cast<double>(to_float(type, bits));
}

}  // namespace scribeline::fabric
