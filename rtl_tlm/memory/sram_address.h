// The address of a byte in the SRAM of a wafer's cores.
//
//   63        37 36      26 25        16 15         0
//   |  wafer   |    row   |   column   |   offset   |
//
// Each core owns a window of 64 KiB, of which its SRAM fills the lower part (48 KiB on WSE-2 and WSE-3).
// Ten bits of column and eleven of row hold the 762 x 1172 cores of a WSE-3 fabric.
#pragma once

#include <cstdint>

namespace scribeline::memory {

constexpr int offset_bits = 16;
constexpr int column_bits = 10;
constexpr int row_bits = 11;
constexpr int wafer_bits = 64 - offset_bits - column_bits - row_bits;

// Where a core stands on its wafer: (0, 0) is the north-west corner.
struct core_coordinates {
  std::uint32_t row = 0;
  std::uint32_t column = 0;

  friend constexpr bool operator==(core_coordinates a, core_coordinates b) {
    return a.row == b.row && a.column == b.column;
  }
  friend constexpr bool operator!=(core_coordinates a, core_coordinates b) { return !(a == b); }
  // Row-major order.
  friend constexpr bool operator<(core_coordinates a, core_coordinates b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  }
};

struct sram_address {
  std::uint32_t wafer = 0;
  core_coordinates core;
  std::uint32_t offset = 0;

  friend constexpr bool operator==(sram_address a, sram_address b) {
    return a.wafer == b.wafer && a.core == b.core && a.offset == b.offset;
  }
};

// Fields that exceed their width lose their upper bits.
constexpr std::uint64_t encode(sram_address a) {
  const auto field = [](std::uint32_t value, int bits) { return value & ((std::uint64_t{1} << bits) - 1); };
  std::uint64_t address = field(a.wafer, wafer_bits);
  address = address << row_bits | field(a.core.row, row_bits);
  address = address << column_bits | field(a.core.column, column_bits);
  return address << offset_bits | field(a.offset, offset_bits);
}

constexpr sram_address decode(std::uint64_t address) {
  const auto take = [&address](int bits) {
    const auto value = static_cast<std::uint32_t>(address & ((std::uint64_t{1} << bits) - 1));
    address >>= bits;
    return value;
  };
  sram_address a;
  a.offset = take(offset_bits);
  a.core.column = take(column_bits);
  a.core.row = take(row_bits);
  a.wafer = take(wafer_bits);
  return a;
}

}  // namespace scribeline::memory
