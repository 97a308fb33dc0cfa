#include <algorithm>
#include <cmath>

#include "rtl_tlm/fabric/formula/formula_exchange.h"
#include "scenarios/wafer_fabric/collective_choice.h"

namespace scribeline::scenarios {
namespace {

using base::cycles;
using collectives::reduce_kind;
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
  return s.has_column_pattern() ? across + reduce_form(t, s.words, rows, s.column_pattern, s.column_group) : across;
}

cycles floor_of(double value) {
  return cycles{static_cast<std::int64_t>(std::floor(value))};
}

}  // namespace

cycles closed_form(const collective_settings& s, const fabric_timing& t, int columns, int rows) {
  const auto spread = [&] {
    return columns > 1 && rows > 1 ? fabric::broadcast_2d(t, s.words, columns, rows)
                                   : fabric::broadcast(t, s.words, std::int64_t{columns} * rows);
  };
  const int line = s.along == collectives::axis::row ? columns : rows;
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
      return reduces_form(s, t, columns, rows) + spread();
    case collective::all_reduce_ring:
      return fabric::ring_all_reduce(t, s.words, line);
    case collective::all_reduce_two_tree:
      return fabric::two_tree_all_reduce(t, s.words, line,
                                         s.groups > 0 ? s.groups : collectives::two_tree_groups(line));
    case collective::all_to_all:
      return fabric::ring_all_to_all(t, s.words, line);
    case collective::scatter:
      return fabric::scatter(t, s.words, line);
    case collective::gather:
      return fabric::gather(t, s.words, line);
    case collective::edge_multicast:
      break;
  }
  return fabric::edge_multicast(t, s.words, columns, rows);
}

cycle_bound least_cycles(const collective_settings& s, const fabric_timing& t, int columns, int rows) {
  const fabric::region team = s.teams(columns, rows).front();
  const auto cores = static_cast<double>(team.size());
  const auto words = static_cast<double>(s.words);
  const int hops = team.columns + team.rows - 2;
  const bool from_outside = s.what == collective::edge_multicast;
  if (hops == 0 && !from_outside) return {cycles{0}, "nothing to do"};
  const double way = from_outside ? t.ramp_receive_cycles : t.stage_cycles();
  const double far = (words - 1) * t.word_cycles + hops * t.hop_cycles + way;
  double many = 0;
  const char* binds = "words of the root's ramp";
  if (s.what == collective::scatter || s.what == collective::gather) {
    many = words * (cores - 1);
  } else if (s.what == collective::all_to_all) {
    const double across = words * std::floor(cores / 2) * std::ceil(cores / 2);
    many = std::max(words * (cores - 1), across);
    binds = "words over the middle link";
  }
  const double last = (many - 1) * t.word_cycles + t.hop_cycles + way;
  if (far >= last) return {floor_of(far), "last word of the farthest core"};
  return {floor_of(last), binds};
}

std::optional<cycles> paper_bound(const collective_settings& s, const fabric_timing& t, int columns) {
  if (s.what != collective::reduce_rows) return std::nullopt;
  return fabric::reduce_lower_bound(t, s.words, columns);
}

}  // namespace scribeline::scenarios
