#include "rtl_tlm/fabric/program/core_classes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>

namespace scribeline::fabric {
namespace {

constexpr int rule_kinds = 6;
using rule_list = std::vector<std::uint32_t>;
using rule_lists = std::array<rule_list, rule_kinds>;

// Rules of every kind that cover each position of one axis.
struct axis {
  std::vector<std::uint32_t> kind;  // of each position
  std::vector<rule_lists> rules;    // of each kind
  std::vector<int> example;         // first position of each kind
};

template <class Rules>
void mark(std::vector<rule_lists>& covered, int rule_kind, const Rules& rules, bool columns) {
  const int length = static_cast<int>(covered.size());
  std::uint32_t number = 0;
  for (const auto& rule : rules) {
    const region& r = rule.where;
    const int first = columns ? r.first.column : r.first.row;
    const int count = columns ? r.columns : r.rows;
    const int step = columns ? r.column_step : r.row_step;
    for (int i = 0; i < count; ++i) {
      const int position = first + i * step;
      if (position < 0 || position >= length) continue;
      covered[static_cast<std::size_t>(position)][static_cast<std::size_t>(rule_kind)].push_back(number);
    }
    ++number;
  }
}

axis sort_axis(const program& p, bool columns) {
  std::vector<rule_lists> covered(static_cast<std::size_t>(std::max(0, columns ? p.columns : p.rows)));
  mark(covered, 0, p.routes, columns);
  mark(covered, 1, p.inputs, columns);
  mark(covered, 2, p.outputs, columns);
  mark(covered, 3, p.tasks, columns);
  mark(covered, 4, p.edge_inputs, columns);
  mark(covered, 5, p.edge_outputs, columns);
  axis result;
  std::map<rule_lists, std::uint32_t> known;
  int position = 0;
  for (const rule_lists& rules : covered) {
    const auto [entry, is_new] = known.try_emplace(rules, static_cast<std::uint32_t>(result.rules.size()));
    if (is_new) {
      result.rules.push_back(rules);
      result.example.push_back(position);
    }
    result.kind.push_back(entry->second);
    ++position;
  }
  return result;
}

rule_list both(const rule_list& a, const rule_list& b) {
  rule_list common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

}  // namespace

core_classes::core_classes(const program& p) {
  const axis columns = sort_axis(p, true);
  const axis rows = sort_axis(p, false);
  column_kind_ = columns.kind;
  row_kind_ = rows.kind;
  column_kinds_ = columns.rules.size();
  std::map<rule_lists, std::uint32_t> known;
  for (std::size_t r = 0; r < rows.rules.size(); ++r)
    for (std::size_t c = 0; c < columns.rules.size(); ++c) {
      rule_lists rules;
      for (std::size_t k = 0; k < rule_kinds; ++k)
        rules[k] = both(columns.rules[c][k], rows.rules[r][k]);
      const auto [entry, is_new] = known.try_emplace(rules, static_cast<std::uint32_t>(classes_.size()));
      if (is_new)
        classes_.push_back(
            {rules[0], rules[1], rules[2], rules[3], rules[4], rules[5], {columns.example[c], rows.example[r]}});
      class_of_.push_back(entry->second);
    }
}

}  // namespace scribeline::fabric
