#include "scenarios/wafer_fabric/collective_choice.h"

#include <cmath>
#include <stdexcept>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/validate.h"

namespace scribeline::scenarios {
namespace {

using base::cycles;
using collectives::reduce_kind;
using collectives::reduce_plan;
using fabric::fabric_timing;

cycles reduce_form(const fabric_timing& t, std::int64_t words, int cores, reduce_kind pattern, int group) {
  switch (pattern) {
    case reduce_kind::chain:
      return fabric::chain(t, words, cores);
    case reduce_kind::star:
      return fabric::star(t, words, cores);
    case reduce_kind::tree:
      return fabric::tree(t, words, cores);
    case reduce_kind::two_phase:
      return group > 0 ? fabric::two_phase(t, words, cores, group) : fabric::best_group(t, words, cores).cycles;
    case reduce_kind::generated:
      break;
  }
  const collectives::reduce_tree tree = collectives::generated_tree(t, cores, static_cast<int>(words));
  return cycles{static_cast<std::int64_t>(std::ceil(collectives::predicted_cycles(t, tree, static_cast<int>(words))))};
}

cycles reduces_form(const collective_settings& s, const fabric_timing& t, int columns, int rows) {
  const cycles across = reduce_form(t, s.words, columns, s.pattern, s.group);
  return s.reduces_columns() ? across + reduce_form(t, s.words, rows, s.column_pattern, s.column_group) : across;
}

fabric::program build(const collective_settings& s, const fabric::fabric_chip& chip, int columns, int rows) {
  const collectives::vector_spec v = s.vector();
  const reduce_plan plan{s.pattern, s.group};
  const reduce_plan column_plan{s.column_pattern, s.column_group};
  const collectives::launch_spec launch{s.call_cycles};
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
      break;
  }
  return collectives::all_reduce_xy(chip, columns, rows, v, plan, column_plan, launch);
}

}  // namespace

const std::vector<std::pair<std::string, collective>>& collective_names() {
  static const std::vector<std::pair<std::string, collective>> names = {
      {"reduce_rows", collective::reduce_rows},         {"reduce_xy", collective::reduce_xy},
      {"reduce_snake", collective::reduce_snake},       {"broadcast", collective::broadcast},
      {"all_reduce_rows", collective::all_reduce_rows}, {"all_reduce_xy", collective::all_reduce_xy}};
  return names;
}

const std::vector<std::pair<std::string, reduce_kind>>& pattern_names() {
  static const std::vector<std::pair<std::string, reduce_kind>> names = {{"chain", reduce_kind::chain},
                                                                         {"star", reduce_kind::star},
                                                                         {"tree", reduce_kind::tree},
                                                                         {"two_phase", reduce_kind::two_phase},
                                                                         {"generated", reduce_kind::generated}};
  return names;
}

collectives::vector_spec collective_settings::vector() const {
  collectives::vector_spec v;
  v.type = type;
  v.elements = static_cast<int>(words) * fabric::elements_per_word(type);
  v.op = op;
  return v;
}

fabric::program program_of(const collective_settings& settings, const fabric::fabric_chip& chip, int columns,
                           int rows) {
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

cycles closed_form(const collective_settings& s, const fabric_timing& t, int columns, int rows) {
  const auto spread = [&] {
    return columns > 1 && rows > 1 ? fabric::broadcast_2d(t, s.words, columns, rows)
                                   : fabric::broadcast(t, s.words, std::int64_t{columns} * rows);
  };
  switch (s.what) {
    case collective::reduce_rows:
    case collective::reduce_xy:
      return reduces_form(s, t, columns, rows);
    case collective::reduce_snake:
      return fabric::reduce_snake(t, s.words, columns, rows);
    case collective::broadcast:
      return spread();
    case collective::all_reduce_rows:
      return reduces_form(s, t, columns, rows) + fabric::broadcast(t, s.words, columns);
    case collective::all_reduce_xy:
      break;
  }
  return reduces_form(s, t, columns, rows) + spread();
}

cycles distance_bound(const collective_settings& s, const fabric_timing& t, int columns, int rows) {
  const int hops = columns - 1 + (s.by_rows() ? 0 : rows - 1);
  if (hops == 0) return cycles{0};
  const double least = static_cast<double>(s.words - 1) * t.word_cycles + hops * t.hop_cycles + t.stage_cycles();
  return cycles{static_cast<std::int64_t>(std::floor(least))};
}

std::optional<cycles> paper_bound(const collective_settings& s, const fabric_timing& t, int columns) {
  if (s.what != collective::reduce_rows) return std::nullopt;
  return fabric::reduce_lower_bound(t, s.words, columns);
}

}  // namespace scribeline::scenarios
