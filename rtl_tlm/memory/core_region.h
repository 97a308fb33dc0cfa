// Sets of cores of a wafer, as rectangles.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/memory/sram_address.h"

namespace scribeline::memory {

// The cores of rows [row, row + rows) and columns [column, column + columns).
struct core_rectangle {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;

  constexpr std::int64_t cores() const { return static_cast<std::int64_t>(rows) * columns; }
  constexpr core_coordinates first() const { return {row, column}; }
  constexpr bool contains(core_coordinates c) const {
    return c.row >= row && c.row - row < rows && c.column >= column && c.column - column < columns;
  }
};

// Disjoint rectangles.
class core_set {
 public:
  core_set() = default;
  explicit core_set(const core_rectangle& rectangle);
  // `cores` cores from `first` on in row-major order, on a wafer `columns` wide.
  core_set(core_coordinates first, std::int64_t cores, std::uint32_t columns);

  const std::vector<core_rectangle>& rectangles() const { return rectangles_; }
  bool empty() const { return rectangles_.empty(); }
  std::int64_t cores() const;
  // First core in row-major order; the set is not empty.
  core_coordinates first() const;
  bool contains(core_coordinates core) const;

  core_set intersection(const core_set& other) const;
  core_set difference(const core_set& other) const;

 private:
  void add(const core_rectangle& rectangle);

  std::vector<core_rectangle> rectangles_;
};

}  // namespace scribeline::memory
