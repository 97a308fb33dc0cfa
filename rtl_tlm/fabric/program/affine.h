// An integer that depends on where and in which iteration it is used: base + (offset + per_column * column +
// per_row * row + per_iteration[0] * inner loop + per_iteration[1] * outer loop) mod modulus.
//
// With it one task body serves a whole region although every core uses another address or length. Loops count from 0;
// the inner loop is the innermost one around the instruction. Modulus 0 means none, otherwise the result of the
// modulo is in 0..modulus-1.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "rtl_tlm/fabric/program/geometry.h"

namespace scribeline::fabric {

struct affine {
  std::int32_t base = 0;
  std::int32_t offset = 0;
  std::int32_t per_column = 0;
  std::int32_t per_row = 0;
  std::array<std::int32_t, 2> per_iteration{};
  std::int32_t modulus = 0;

  constexpr affine() = default;
  constexpr affine(std::int32_t constant) : base(constant) {}  // NOLINT: a constant is one
  constexpr affine(std::int32_t base_, std::int32_t per_column_, std::int32_t per_row_)
      : base(base_), per_column(per_column_), per_row(per_row_) {}

  constexpr affine with_iteration(std::int32_t inner, std::int32_t outer = 0) const {
    affine a = *this;
    a.per_iteration = {inner, outer};
    return a;
  }
  constexpr affine wrapped(std::int32_t offset_, std::int32_t modulus_) const {
    affine a = *this;
    a.offset = offset_;
    a.modulus = modulus_;
    return a;
  }

  constexpr bool is_constant() const {
    return per_column == 0 && per_row == 0 && per_iteration[0] == 0 && per_iteration[1] == 0;
  }
  constexpr std::int64_t at(coordinate c, std::int64_t inner = 0, std::int64_t outer = 0) const {
    std::int64_t value = offset + std::int64_t{per_column} * c.column + std::int64_t{per_row} * c.row +
                         per_iteration[0] * inner + per_iteration[1] * outer;
    if (modulus > 0) value = ((value % modulus) + modulus) % modulus;
    return base + value;
  }
};

std::string to_string(const affine& a);  // "64 + (8 column - 8 k) mod 512"

}  // namespace scribeline::fabric
