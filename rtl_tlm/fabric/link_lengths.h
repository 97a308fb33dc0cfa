// How far apart the neighbours of a program's rectangle are on the wafer, in hops. One hop everywhere, unless defects
// are repaired with spare cores (defects.h): then a link may pass by cores that are not used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "rtl_tlm/fabric/program/geometry.h"

namespace scribeline::fabric {

class link_lengths {
 public:
  link_lengths(int columns, int rows)
      : columns_(columns),
        rows_(rows),
        east_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 1),
        south_(east_) {}

  int columns() const { return columns_; }
  int rows() const { return rows_; }

  // Hops of the link through a side of a core, the same both ways. 1 at the edge of the rectangle.
  int hops(coordinate c, port side) const {
    const coordinate to = neighbour(c, side);
    if (to.column < 0 || to.row < 0 || to.column >= columns_ || to.row >= rows_) return 1;
    switch (side) {
      case port::east:
        return east_[index_of(c)];
      case port::south:
        return south_[index_of(c)];
      case port::west:
        return east_[index_of(to)];
      case port::north:
        return south_[index_of(to)];
      case port::ramp:
        break;
    }
    return 1;
  }
  void set_east(coordinate c, int hops) { east_[index_of(c)] = static_cast<std::uint8_t>(hops); }
  void set_south(coordinate c, int hops) { south_[index_of(c)] = static_cast<std::uint8_t>(hops); }

 private:
  std::size_t index_of(coordinate c) const {
    return static_cast<std::size_t>(c.row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c.column);
  }

  int columns_;
  int rows_;
  std::vector<std::uint8_t> east_;
  std::vector<std::uint8_t> south_;
};

// Throws std::invalid_argument for lengths of another rectangle.
inline void require_size(const link_lengths& lengths, int columns, int rows) {
  if (lengths.columns() == columns && lengths.rows() == rows) return;
  const auto size = [](int c, int r) { return std::to_string(c) + " x " + std::to_string(r); };
  throw std::invalid_argument("link lengths of " + size(lengths.columns(), lengths.rows()) +
                              " cores for a program of " + size(columns, rows));
}

}  // namespace scribeline::fabric
