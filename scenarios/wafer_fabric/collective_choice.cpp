#include "scenarios/wafer_fabric/collective_choice.h"

#include <fmt/format.h>

#include <stdexcept>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/program/validate.h"

namespace scribeline::scenarios {
namespace {

using collectives::axis;
using collectives::reduce_plan;

fabric::program build(const collective_settings& s, const fabric::fabric_chip& chip, int columns, int rows) {
  const collectives::vector_spec v = s.vector();
  const reduce_plan plan{s.pattern, s.group};
  const reduce_plan column_plan{s.column_pattern, s.column_group};
  const collectives::launch_spec launch{s.call_cycles};
  const int line = s.along == axis::row ? columns : rows;
  switch (s.what) {
    case collective::reduce_rows:
      return collectives::reduce_rows(chip, columns, rows, v, plan, launch);
    case collective::reduce_xy:
      return collectives::reduce_xy(chip, columns, rows, v, plan, column_plan, launch);
    case collective::reduce_snake:
      return collectives::reduce_snake(chip, columns, rows, v, launch);
    case collective::broadcast:
      return collectives::broadcast(chip, columns, rows, v, launch);
    case collective::all_reduce_rows:
      return collectives::all_reduce_rows(chip, columns, rows, v, plan, launch);
    case collective::all_reduce_xy:
      return collectives::all_reduce_xy(chip, columns, rows, v, plan, column_plan, launch);
    case collective::all_reduce_ring:
      return collectives::all_reduce_ring(chip, columns, rows, s.along, v, launch);
    case collective::all_reduce_two_tree:
      return collectives::all_reduce_two_tree(chip, columns, rows, s.along, v, s.groups, launch);
    case collective::all_to_all:
      return collectives::all_to_all(chip, columns, rows, s.along, {v, s.staging_address(line), s.target_address(line)},
                                     launch);
    case collective::scatter:
      return collectives::scatter(chip, columns, rows, s.along, v, s.target_address(line), launch);
    case collective::gather:
      return collectives::gather(chip, columns, rows, s.along, v, s.target_address(line), launch);
    case collective::edge_multicast:
      break;
  }
  // Words come from outside from the cycle in which the cores begin.
  return collectives::edge_multicast(chip, columns, rows, 0, fabric::rectangle(0, 0, columns, rows), v,
                                     chip.core.task_dispatch_cycles, launch);
}

}  // namespace

const std::vector<std::pair<std::string, collective>>& collective_names() {
  static const std::vector<std::pair<std::string, collective>> names = {
      {"reduce_rows", collective::reduce_rows},
      {"reduce_xy", collective::reduce_xy},
      {"reduce_snake", collective::reduce_snake},
      {"broadcast", collective::broadcast},
      {"all_reduce_rows", collective::all_reduce_rows},
      {"all_reduce_xy", collective::all_reduce_xy},
      {"all_reduce_ring", collective::all_reduce_ring},
      {"all_reduce_two_tree", collective::all_reduce_two_tree},
      {"all_to_all", collective::all_to_all},
      {"scatter", collective::scatter},
      {"gather", collective::gather},
      {"edge_multicast", collective::edge_multicast}};
  return names;
}

const std::vector<std::pair<std::string, collectives::reduce_kind>>& pattern_names() {
  static const std::vector<std::pair<std::string, collectives::reduce_kind>> names = {
      {"chain", collectives::reduce_kind::chain},
      {"star", collectives::reduce_kind::star},
      {"tree", collectives::reduce_kind::tree},
      {"two_phase", collectives::reduce_kind::two_phase},
      {"generated", collectives::reduce_kind::generated}};
  return names;
}

bool collective_settings::has_pattern() const {
  return what == collective::reduce_rows || what == collective::all_reduce_rows || has_column_pattern();
}

bool collective_settings::has_column_pattern() const {
  return what == collective::reduce_xy || what == collective::all_reduce_xy;
}

bool collective_settings::has_axis() const {
  return what == collective::all_reduce_ring || what == collective::all_reduce_two_tree || moves_chunks();
}

bool collective_settings::combines() const {
  return what != collective::broadcast && what != collective::edge_multicast && !moves_chunks();
}

bool collective_settings::moves_chunks() const {
  return what == collective::all_to_all || what == collective::scatter || what == collective::gather;
}

std::vector<fabric::region> collective_settings::teams(int columns, int rows) const {
  std::vector<fabric::region> found;
  const bool by_rows = what == collective::reduce_rows || what == collective::all_reduce_rows;
  if (by_rows || (has_axis() && along == axis::row)) {
    for (int row = 0; row < rows; ++row)
      found.push_back(fabric::rectangle(0, row, columns, 1));
  } else if (has_axis()) {
    for (int column = 0; column < columns; ++column)
      found.push_back(fabric::rectangle(column, 0, 1, rows));
  } else {
    found.push_back(fabric::rectangle(0, 0, columns, rows));
  }
  return found;
}

// Sources, and room for two rounds of chunks on their way through a core, lie before the targets.
int collective_settings::staging_address(int cores) const {
  return vector().bytes() * cores;
}
int collective_settings::target_address(int cores) const {
  return vector().bytes() * cores * (what == collective::all_to_all ? 3 : 1);
}

collectives::vector_spec collective_settings::vector() const {
  collectives::vector_spec v;
  v.type = type;
  v.elements = static_cast<int>(words) * fabric::elements_per_word(type);
  v.op = op;
  return v;
}

namespace {

void require_groups(const char* key, collectives::reduce_kind pattern, int group, const char* line, int cores) {
  if (pattern == collectives::reduce_kind::two_phase && group > cores)
    throw base::bad_input(
        fmt::format("collective.{} = {}: {} have {} cores; groups have at most that many", key, group, line, cores));
}

}  // namespace

fabric::program program_of(const collective_settings& settings, const fabric::fabric_chip& chip, int columns,
                           int rows) {
  if (settings.has_pattern()) require_groups("group", settings.pattern, settings.group, "rows", columns);
  if (settings.has_column_pattern())
    require_groups("column_group", settings.column_pattern, settings.column_group, "columns", rows);
  try {
    fabric::program p = build(settings, chip, columns, rows);
    fabric::require_valid(p, chip);
    return p;
  } catch (const fabric::program_error& invalid) {
    throw base::bad_input(invalid.what());
  } catch (const std::invalid_argument& impossible) {
    throw base::bad_input(std::string("collective: ") + impossible.what());
  } catch (const std::length_error& impossible) {
    throw base::bad_input(std::string("collective: ") + impossible.what());
  }
}

}  // namespace scribeline::scenarios
