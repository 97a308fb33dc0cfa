#include "rtl_tlm/fabric/defects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/random.h"

namespace scribeline::fabric {
namespace {

using core_flags = std::vector<std::uint8_t>;  // by core of the wafer

std::int64_t cores_of(const wafer_extent& wafer) {
  return std::int64_t{wafer.columns} * wafer.rows;
}
std::int64_t horizontal_links(const wafer_extent& wafer) {
  return std::int64_t{wafer.columns - 1} * wafer.rows;
}
std::int64_t links_of(const wafer_extent& wafer) {
  return horizontal_links(wafer) + std::int64_t{wafer.columns} * (wafer.rows - 1);
}

coordinate place(std::int64_t number, int columns) {
  return {static_cast<int>(number % columns), static_cast<int>(number / columns)};
}

// Different numbers below `limit`, ascending.
std::vector<std::int64_t> draw(std::int64_t count, std::int64_t limit, base::random_stream random) {
  core_flags taken(static_cast<std::size_t>(limit), 0);
  std::vector<std::int64_t> numbers;
  while (static_cast<std::int64_t>(numbers.size()) < count) {
    const std::uint64_t number = random.below(static_cast<std::uint64_t>(limit));
    if (taken[number] != 0) continue;
    taken[number] = 1;
    numbers.push_back(static_cast<std::int64_t>(number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void require_on_wafer(coordinate c, const wafer_extent& wafer, const std::string& what) {
  if (c.column >= 0 && c.row >= 0 && c.column < wafer.columns && c.row < wafer.rows) return;
  throw base::bad_input(fmt::format("{} {} is not on the wafer, which has columns 0..{} and rows 0..{}", what,
                                    to_string(c), wafer.columns - 1, wafer.rows - 1));
}

core_flags unusable_cores(const defect_map& defects) {
  core_flags dead(static_cast<std::size_t>(cores_of(defects.wafer)), 0);
  const auto mark = [&](coordinate c) {
    dead[static_cast<std::size_t>(std::int64_t{c.row} * defects.wafer.columns + c.column)] = 1;
  };
  for (const coordinate c : defects.dead_cores) {
    require_on_wafer(c, defects.wafer, "dead core");
    mark(c);
  }
  for (const dead_link& link : defects.dead_links) {
    if (link.side == port::ramp)
      throw base::bad_input(fmt::format("dead link at {}: the ramp is part of the core", to_string(link.from)));
    require_on_wafer(link.from, defects.wafer, "dead link at");
    const coordinate to = neighbour(link.from, link.side);
    require_on_wafer(to, defects.wafer, fmt::format("dead link at {}: its other end", to_string(link.from)));
    mark(link.side == port::east || link.side == port::south ? to : link.from);
  }
  return dead;
}

std::string row_list(const std::vector<int>& rows) {
  std::string text;
  for (const int row : rows)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", row);
  return text;
}

}  // namespace

defect_map random_defects(const wafer_extent& wafer, std::int64_t dead_cores, std::int64_t dead_links,
                          std::uint64_t seed) {
  if (dead_cores < 0 || dead_links < 0 || dead_cores > cores_of(wafer) || dead_links > links_of(wafer))
    throw std::invalid_argument(fmt::format("{} dead cores and {} dead links on a wafer with {} cores and {} links",
                                            dead_cores, dead_links, cores_of(wafer), links_of(wafer)));
  defect_map map;
  map.wafer = wafer;
  for (const std::int64_t n : draw(dead_cores, cores_of(wafer), base::random_stream::of(seed, 1)))
    map.dead_cores.push_back(place(n, wafer.columns));
  for (const std::int64_t n : draw(dead_links, links_of(wafer), base::random_stream::of(seed, 2))) {
    const std::int64_t across = horizontal_links(wafer);
    if (n < across)
      map.dead_links.push_back({place(n, wafer.columns - 1), port::east});
    else
      map.dead_links.push_back({place(n - across, wafer.columns), port::south});
  }
  return map;
}

repaired_mesh::repaired_mesh(const defect_map& defects, int columns, int rows) : columns_(columns), rows_(rows) {
  const wafer_extent& wafer = defects.wafer;
  if (columns < 1 || rows < 1) throw std::invalid_argument("a mesh has at least one column and one row");
  if (columns > wafer.columns || rows > wafer.rows)
    throw base::does_not_fit(fmt::format("a mesh of {} columns and {} rows on a wafer of {} columns and {} rows",
                                         columns, rows, wafer.columns, wafer.rows));
  const core_flags dead = unusable_cores(defects);
  for (int row = 0; row < wafer.rows && static_cast<int>(wafer_row_.size()) < rows; ++row) {
    const auto begin = dead.begin() + std::ptrdiff_t{row} * wafer.columns;
    const auto dead_here = static_cast<int>(std::count(begin, begin + wafer.columns, 1));
    const int spare_columns = wafer.columns - columns;
    if (dead_here > spare_columns) {
      const int spare_rows = wafer.rows - rows;
      if (static_cast<int>(left_out_rows_.size()) == spare_rows)
        throw base::does_not_fit(fmt::format(
            "row {} of the wafer: {} working cores needed, {} available ({} dead, {} spare columns); spare rows: {}{}",
            row, columns, wafer.columns - dead_here, dead_here, spare_columns, spare_rows,
            left_out_rows_.empty() ? "" : ", taken for rows " + row_list(left_out_rows_)));
      left_out_rows_.push_back(row);
      continue;
    }
    wafer_row_.push_back(row);
    for (int column = 0, found = 0; found < columns; ++column) {
      if (begin[column] != 0) continue;
      wafer_column_.push_back(static_cast<std::uint16_t>(column));
      ++found;
    }
  }
  measure_links();
}

void repaired_mesh::measure_links() {
  const auto measured = std::make_shared<link_lengths>(columns_, rows_);
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column) {
      const coordinate here = core_of({column, row});
      if (column + 1 < columns_) measured->set_east({column, row}, core_of({column + 1, row}).column - here.column);
      if (row + 1 == rows_) continue;
      const coordinate below = core_of({column, row + 1});
      measured->set_south({column, row}, below.row - here.row + std::abs(below.column - here.column));
    }
  lengths_ = measured;
}

coordinate repaired_mesh::core_of(coordinate c) const {
  return {wafer_column_[index_of(c)], wafer_row_[static_cast<std::size_t>(c.row)]};
}

std::int64_t repaired_mesh::moved_cores() const {
  std::int64_t moved = 0;
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column)
      moved += core_of({column, row}) != coordinate{column, row} ? 1 : 0;
  return moved;
}

int repaired_mesh::longest_link_hops() const {
  int longest = 1;
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column)
      longest =
          std::max({longest, lengths_->hops({column, row}, port::east), lengths_->hops({column, row}, port::south)});
  return longest;
}

double repaired_mesh::mean_hops_of_longest_line() const {
  double mean = 1;
  const auto take = [&mean](std::int64_t hops, int links) {
    if (links > 0) mean = std::max(mean, static_cast<double>(hops) / links);
  };
  std::vector<std::int64_t> down(static_cast<std::size_t>(columns_), 0);
  for (int row = 0; row < rows_; ++row) {
    std::int64_t across = 0;
    for (int column = 0; column < columns_; ++column) {
      if (column + 1 < columns_) across += lengths_->hops({column, row}, port::east);
      if (row + 1 < rows_) down[static_cast<std::size_t>(column)] += lengths_->hops({column, row}, port::south);
    }
    take(across, columns_ - 1);
  }
  for (const std::int64_t hops : down)
    take(hops, rows_ - 1);
  return mean;
}

}  // namespace scribeline::fabric
