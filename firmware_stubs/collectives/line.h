// Lines of cores that collectives run on: every row, or every column, of a rectangle at the same time.
//
// Positions on a line count from 0 at its root. A set of positions gives regions that cover these positions on all the
// lines, so that a program grows with what is different along a line and not with the number of lines.
#pragma once

#include "rtl_tlm/fabric/program/affine.h"

namespace scribeline::collectives {

enum class axis { row, column };  // a line is a row, or a column

struct lines {
  fabric::region cores;  // a full rectangle (steps of 1) with all lines
  axis along = axis::row;
  bool root_last = false;  // the root is at the east or south end instead of the west or north one

  int length() const { return along == axis::row ? cores.columns : cores.rows; }
  int count() const { return along == axis::row ? cores.rows : cores.columns; }

  // Sides of a core that look towards the root and away from it.
  fabric::port toward() const {
    if (along == axis::row) return root_last ? fabric::port::east : fabric::port::west;
    return root_last ? fabric::port::south : fabric::port::north;
  }
  fabric::port away() const { return fabric::opposite(toward()); }

  // Positions first, first + step, ... , `n` of them, on all lines. Empty for n <= 0.
  fabric::region at(int first, int n = 1, int step = 1) const {
    const int begin = root_last ? length() - 1 - (first + (n - 1) * step) : first;
    fabric::region r = cores;
    if (along == axis::row) {
      r.first.column += begin;
      r.columns = n;
      r.column_step = step;
    } else {
      r.first.row += begin;
      r.rows = n;
      r.row_step = step;
    }
    return r;
  }
  // Positions first..last, none when last < first.
  fabric::region between(int first, int last) const { return at(first, last - first + 1); }
  // Positions first, first + step, ... up to last.
  fabric::region strided(int first, int last, int step) const {
    return at(first, last < first ? 0 : (last - first) / step + 1, step);
  }
  fabric::region root() const { return at(0); }

  // base + per_position * position, as a number that a program can hold.
  fabric::affine position_times(int per_position, int base = 0) const {
    const int begin = along == axis::row ? cores.first.column : cores.first.row;
    const int slope = root_last ? -per_position : per_position;
    const int at_begin = base + (root_last ? per_position * (length() - 1) : 0);
    const int constant = at_begin - slope * begin;
    return along == axis::row ? fabric::affine(constant, slope, 0) : fabric::affine(constant, 0, slope);
  }

  // The line of the roots: the collective that goes on from here runs along the other axis.
  lines of_roots(bool other_root_last = false) const {
    return {root(), along == axis::row ? axis::column : axis::row, other_root_last};
  }
};

inline lines rows_of(const fabric::region& rectangle, bool root_last = false) {
  return {rectangle, axis::row, root_last};
}
inline lines columns_of(const fabric::region& rectangle, bool root_last = false) {
  return {rectangle, axis::column, root_last};
}

}  // namespace scribeline::collectives
