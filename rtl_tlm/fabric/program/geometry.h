// Places on the fabric: cores, directions and the sets of both that programs are written in.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace scribeline::fabric {

// A core of the program's rectangle. Column 0 is the west edge, row 0 the north edge.
struct coordinate {
  int column = 0;
  int row = 0;
  friend constexpr bool operator==(coordinate a, coordinate b) { return a.column == b.column && a.row == b.row; }
  friend constexpr bool operator!=(coordinate a, coordinate b) { return !(a == b); }
};

// The five sides of a router; `ramp` is its own core.
enum class port : std::uint8_t { north, east, south, west, ramp };
inline constexpr int ports = 5;
inline constexpr int link_ports = 4;

constexpr int index(port p) {
  return static_cast<int>(p);
}
// The side of the neighbour that a link ends at. The ramp has no opposite.
constexpr port opposite(port p) {
  return static_cast<port>((static_cast<int>(p) + 2) & 3);
}
constexpr coordinate neighbour(coordinate c, port p) {
  switch (p) {
    case port::north:
      return {c.column, c.row - 1};
    case port::east:
      return {c.column + 1, c.row};
    case port::south:
      return {c.column, c.row + 1};
    case port::west:
      return {c.column - 1, c.row};
    case port::ramp:
      break;
  }
  return c;
}

class port_set {
 public:
  constexpr port_set() = default;
  constexpr port_set(port p) : bits_(static_cast<std::uint8_t>(1u << index(p))) {}  // NOLINT: a port is a set of one
  constexpr port_set(std::initializer_list<port> members) {
    for (const port p : members)
      bits_ = static_cast<std::uint8_t>(bits_ | 1u << index(p));
  }
  constexpr bool contains(port p) const { return (bits_ >> index(p) & 1u) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const {
    int n = 0;
    for (int i = 0; i < ports; ++i)
      n += bits_ >> i & 1;
    return n;
  }
  constexpr std::uint8_t bits() const { return bits_; }
  constexpr port_set with(port p) const {
    port_set larger = *this;
    larger.bits_ = static_cast<std::uint8_t>(larger.bits_ | 1u << index(p));
    return larger;
  }
  friend constexpr bool operator==(port_set a, port_set b) { return a.bits_ == b.bits_; }

 private:
  std::uint8_t bits_ = 0;
};

// A rectangle of cores, or every column_step-th column and row_step-th row of one: columns first.column + i *
// column_step for i in 0..columns-1, rows likewise. Negative counts are empty.
struct region {
  coordinate first;
  int columns = 1;
  int rows = 1;
  int column_step = 1;
  int row_step = 1;

  constexpr bool empty() const { return columns <= 0 || rows <= 0; }
  constexpr std::int64_t size() const { return empty() ? 0 : std::int64_t{columns} * rows; }
  constexpr coordinate last() const {
    return {first.column + (columns - 1) * column_step, first.row + (rows - 1) * row_step};
  }
  constexpr bool has_column(int column) const { return on_axis(column - first.column, columns, column_step); }
  constexpr bool has_row(int row) const { return on_axis(row - first.row, rows, row_step); }
  constexpr bool contains(coordinate c) const { return has_column(c.column) && has_row(c.row); }

 private:
  static constexpr bool on_axis(int offset, int count, int step) {
    return offset >= 0 && offset % step == 0 && offset / step < count;
  }
};

constexpr region core_at(int column, int row) {
  return {{column, row}, 1, 1};
}
constexpr region rectangle(int column, int row, int columns, int rows) {
  return {{column, row}, columns, rows};
}

std::string to_string(port p);
std::string to_string(port_set set);     // "east+ramp"
std::string to_string(coordinate c);     // "(column 3, row 7)"
std::string to_string(const region& r);  // "columns 0..510 step 2, row 0"

}  // namespace scribeline::fabric
