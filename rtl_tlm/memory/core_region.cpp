#include "rtl_tlm/memory/core_region.h"

#include <algorithm>

namespace scribeline::memory {

namespace {

core_rectangle common(const core_rectangle& a, const core_rectangle& b) {
  const std::uint32_t top = std::max(a.row, b.row);
  const std::uint32_t left = std::max(a.column, b.column);
  const std::uint32_t bottom = std::min(a.row + a.rows, b.row + b.rows);
  const std::uint32_t right = std::min(a.column + a.columns, b.column + b.columns);
  if (bottom <= top || right <= left) return {};
  return {top, left, bottom - top, right - left};
}

}  // namespace

core_set::core_set(const core_rectangle& rectangle) {
  add(rectangle);
}

core_set::core_set(core_coordinates first, std::int64_t cores, std::uint32_t columns) {
  // The rest of the first row, whole rows, the beginning of the last row.
  const std::int64_t in_first_row =
      first.column == 0 && cores >= columns ? 0 : std::min<std::int64_t>(cores, columns - first.column);
  add({first.row, first.column, 1, static_cast<std::uint32_t>(in_first_row)});
  const std::uint32_t next_row = first.row + (in_first_row > 0 ? 1 : 0);
  const auto whole_rows = static_cast<std::uint32_t>((cores - in_first_row) / columns);
  const auto in_last_row = static_cast<std::uint32_t>((cores - in_first_row) % columns);
  add({next_row, 0, whole_rows, columns});
  add({next_row + whole_rows, 0, 1, in_last_row});
}

void core_set::add(const core_rectangle& rectangle) {
  if (rectangle.cores() > 0) rectangles_.push_back(rectangle);
}

std::int64_t core_set::cores() const {
  std::int64_t sum = 0;
  for (const core_rectangle& r : rectangles_)
    sum += r.cores();
  return sum;
}

core_coordinates core_set::first() const {
  core_coordinates first = rectangles_.front().first();
  for (const core_rectangle& r : rectangles_)
    first = std::min(first, r.first());
  return first;
}

bool core_set::contains(core_coordinates core) const {
  return std::any_of(rectangles_.begin(), rectangles_.end(),
                     [core](const core_rectangle& r) { return r.contains(core); });
}

core_set core_set::intersection(const core_set& other) const {
  core_set result;
  for (const core_rectangle& a : rectangles_)
    for (const core_rectangle& b : other.rectangles_)
      result.add(common(a, b));
  return result;
}

core_set core_set::difference(const core_set& other) const {
  core_set rest = *this;
  for (const core_rectangle& hole : other.rectangles_) {
    core_set next;
    for (const core_rectangle& r : rest.rectangles_) {
      const core_rectangle cut = common(r, hole);
      if (cut.cores() == 0) {
        next.add(r);
        continue;
      }
      // The bands above and below the hole, then what is left and right of it.
      const std::uint32_t below = cut.row + cut.rows;
      const std::uint32_t right = cut.column + cut.columns;
      next.add({r.row, r.column, cut.row - r.row, r.columns});
      next.add({below, r.column, r.row + r.rows - below, r.columns});
      next.add({cut.row, r.column, cut.rows, cut.column - r.column});
      next.add({cut.row, right, cut.rows, r.column + r.columns - right});
    }
    rest = next;
  }
  return rest;
}

}  // namespace scribeline::memory
