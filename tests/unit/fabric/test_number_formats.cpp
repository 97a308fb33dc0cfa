#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "rtl_tlm/core/number_formats.h"
#include "rtl_tlm/fabric/program/element_math.h"

using namespace scribeline;

TEST_CASE("every fp16 and bf16 pattern survives the way through fp32") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float from_fp16 = core::float_from_fp16(half);
    if (!std::isnan(from_fp16)) REQUIRE(core::fp16_from_float(from_fp16) == half);
    const float from_bf16 = core::float_from_bf16(half);
    if (!std::isnan(from_bf16)) REQUIRE(core::bf16_from_float(from_bf16) == half);
  }
}

TEST_CASE("fp16 rounds to nearest even, overflows to infinity and has subnormals") {
  CHECK(core::fp16_from_float(1.0f) == 0x3c00);
  CHECK(core::fp16_from_float(2049.0f) == core::fp16_from_float(2048.0f));  // halfway, even below
  CHECK(core::fp16_from_float(2051.0f) == core::fp16_from_float(2052.0f));  // halfway, even above
  CHECK(core::fp16_from_float(65519.0f) == 0x7bff);
  CHECK(core::fp16_from_float(65520.0f) == 0x7c00);
  CHECK(core::fp16_from_float(std::ldexp(1.0f, -24)) == 0x0001);
  CHECK(core::fp16_from_float(std::ldexp(1.0f, -25)) == 0x0000);  // halfway to the smallest, even is zero
  CHECK(core::fp16_from_float(std::ldexp(1.5f, -25)) == 0x0001);
  CHECK(core::fp16_from_float(-std::numeric_limits<float>::infinity()) == 0xfc00);
  CHECK(std::isnan(core::float_from_fp16(core::fp16_from_float(std::nanf("")))));
  CHECK(core::bf16_from_float(1.00390625f) == 0x3f80);  // 1 + 2^-8: halfway, even below
}

TEST_CASE("elements are computed in their type") {
  using namespace fabric;
  CHECK(compute_element(opcode::add, element_type::int32, 0x7fffffffu, 1, 0) == 0x80000000u);
  CHECK(compute_element(opcode::multiply, element_type::int16, 300, 300, 0) == (90000u & 0xffffu));
  CHECK(compute_element(opcode::maximum, element_type::int16, 0xffffu, 1, 0) == 1);
  CHECK(compute_element(opcode::minimum, element_type::int32, 0xffffffffu, 1, 0) == 0xffffffffu);
  const auto half = [](double x) { return element_bits(element_type::fp16, x); };
  CHECK(element_value(element_type::fp16, compute_element(opcode::add, element_type::fp16, half(2048), half(1), 0)) ==
        2048);
  CHECK(element_value(element_type::fp16,
                      compute_element(opcode::multiply_add, element_type::fp16, half(1), half(3), half(0.5))) == 2.5);
}
