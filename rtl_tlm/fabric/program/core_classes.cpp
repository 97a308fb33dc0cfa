#include "rtl_tlm/fabric/program/core_classes.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "rtl_tlm/fabric/program/rule_contents.h"

namespace scribeline::fabric {
namespace {

constexpr std::size_t rule_kinds = 6;

// The regions of all rules, one kind of rule behind the other.
std::vector<region> regions_of(const program& p) {
  std::vector<region> regions;
  const auto append = [&](const auto& rules) {
    for (const auto& rule : rules)
      regions.push_back(rule.where);
  };
  append(p.routes);
  append(p.inputs);
  append(p.outputs);
  append(p.tasks);
  append(p.edge_inputs);
  append(p.edge_outputs);
  return regions;
}

// Positions first, first + step, ... of an axis.
struct axis_set {
  int first = 0;
  int count = 0;
  int step = 1;
  friend bool operator<(const axis_set& a, const axis_set& b) {
    return std::tie(a.first, a.count, a.step) < std::tie(b.first, b.count, b.step);
  }
};
axis_set columns_of(const region& r) {
  return {r.first.column, r.columns, r.columns > 1 ? r.column_step : 1};
}
axis_set rows_of(const region& r) {
  return {r.first.row, r.rows, r.rows > 1 ? r.row_step : 1};
}

template <class Visit>
void for_positions(const axis_set& set, int length, Visit&& visit) {
  for (int i = 0; i < set.count; ++i)
    if (const int position = set.first + i * set.step; position >= 0 && position < length) visit(position);
}

// Sorts the positions of an axis into kinds that lie in the same sets. Every set splits the kinds that it cuts.
class axis_partition {
 public:
  explicit axis_partition(int length) : kind_(static_cast<std::size_t>(std::max(0, length)), 0) {}

  void split_by(const axis_set& set) {
    ++stamp_;
    for_positions(set, static_cast<int>(kind_.size()), [this](int position) {
      std::uint32_t& kind = kind_[static_cast<std::size_t>(position)];
      split& s = splits_[kind];
      if (s.stamp != stamp_) {
        s = {stamp_, static_cast<std::uint32_t>(splits_.size())};
        kind = s.to;
        splits_.emplace_back();
      } else {
        kind = s.to;
      }
    });
  }

  // Numbered by their first positions.
  std::vector<std::uint32_t> kinds() const {
    constexpr std::uint32_t unknown = ~0u;
    std::vector<std::uint32_t> number(splits_.size(), unknown);
    std::vector<std::uint32_t> kinds;
    kinds.reserve(kind_.size());
    std::uint32_t count = 0;
    for (const std::uint32_t kind : kind_) {
      if (number[kind] == unknown) number[kind] = count++;
      kinds.push_back(number[kind]);
    }
    return kinds;
  }

 private:
  struct split {
    std::uint32_t stamp = 0;
    std::uint32_t to = 0;
  };
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> kind_;
  std::vector<split> splits_{1};  // by kind
};

// The first position of every kind.
std::vector<int> examples_of(const std::uint32_t* kinds, int length) {
  std::vector<int> examples;
  for (int i = 0; i < length; ++i)
    if (kinds[i] == examples.size()) examples.push_back(i);
  return examples;
}

core_class make_class(const program& p, const std::vector<std::uint32_t>& rules, coordinate example) {
  core_class result;
  result.example = example;
  const std::array<std::size_t, rule_kinds> sizes{p.routes.size(), p.inputs.size(),      p.outputs.size(),
                                                  p.tasks.size(),  p.edge_inputs.size(), p.edge_outputs.size()};
  const std::array<std::vector<std::uint32_t>*, rule_kinds> lists{
      &result.routes, &result.inputs, &result.outputs, &result.tasks, &result.edge_inputs, &result.edge_outputs};
  std::size_t kind = 0;
  std::size_t first = 0;
  for (const std::uint32_t rule : rules) {
    for (; rule - first >= sizes[kind]; ++kind)
      first += sizes[kind];
    lists[kind]->push_back(static_cast<std::uint32_t>(rule - first));
  }
  return result;
}

// The rule that stands for a rule: the first of its kind that says the same, or itself.
std::vector<std::uint32_t> aliases_of(const program& p, class_sorting sorting) {
  std::vector<std::uint32_t> alias;
  const auto append = [&](const auto& rules) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (const auto& rule : rules) {
      const auto number = static_cast<std::uint32_t>(alias.size());
      alias.push_back(known.try_emplace(contents_of(rule), number).first->second);
    }
  };
  if (sorting == class_sorting::by_contents) {
    append(p.routes);
    append(p.inputs);
    append(p.outputs);
    append(p.tasks);
  }
  const std::size_t same = alias.size();
  alias.resize(p.routes.size() + p.inputs.size() + p.outputs.size() + p.tasks.size() + p.edge_inputs.size() +
               p.edge_outputs.size());
  std::iota(alias.begin() + static_cast<std::ptrdiff_t>(same), alias.end(), static_cast<std::uint32_t>(same));
  return alias;
}

auto place_key(coordinate c) {
  return std::tuple(c.row, c.column);
}

}  // namespace

core_classes::core_classes(const program& p, class_sorting sorting)
    : columns_(std::max(0, p.columns)), rows_(std::max(0, p.rows)) {
  const std::vector<region> rules = regions_of(p);
  const std::vector<rule_list> rules_of_kind = sort_columns(rules);
  sort_rows(rules, rules_of_kind);
  find_classes(p, rules, rules_of_kind, aliases_of(p, sorting));
  number_by_example();
}

// The rules of every kind of column.
std::vector<core_classes::rule_list> core_classes::sort_columns(const std::vector<region>& rules) {
  axis_partition partition(columns_);
  for (const region& rule : rules)
    partition.split_by(columns_of(rule));
  kind_of_column_ = partition.kinds();
  for (const int example : examples_of(kind_of_column_.data(), columns_))
    kinds_.push_back({0, 0, example});
  std::vector<rule_list> rules_of_kind(kinds_.size());
  for (std::uint32_t rule = 0; rule < rules.size(); ++rule)
    for_positions(columns_of(rules[rule]), columns_, [&](int column) {
      const std::uint32_t kind = kind_of_column_[static_cast<std::size_t>(column)];
      if (kinds_[kind].example == column) rules_of_kind[kind].push_back(rule);
    });
  return rules_of_kind;
}

// Kinds of columns whose rules cover the same sets of rows sort their rows the same way.
void core_classes::sort_rows(const std::vector<region>& rules, const std::vector<rule_list>& rules_of_kind) {
  std::vector<std::uint32_t> set_of_rule;
  std::map<axis_set, std::uint32_t> sets;
  for (const region& rule : rules)
    set_of_rule.push_back(sets.try_emplace(rows_of(rule), static_cast<std::uint32_t>(sets.size())).first->second);
  std::vector<axis_set> set_of_number(sets.size());
  for (const auto& [set, number] : sets)
    set_of_number[number] = set;

  std::map<std::vector<std::uint32_t>, std::size_t> known;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    std::vector<std::uint32_t> used;
    for (const std::uint32_t rule : rules_of_kind[kind])
      used.push_back(set_of_rule[rule]);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    const auto [entry, is_new] = known.try_emplace(used, row_kinds_.size());
    kinds_[kind].first_row = entry->second;
    if (!is_new) continue;
    axis_partition partition(rows_);
    for (const std::uint32_t set : used)
      partition.split_by(set_of_number[set]);
    const std::vector<std::uint32_t> found = partition.kinds();
    row_kinds_.insert(row_kinds_.end(), found.begin(), found.end());
  }
}

void core_classes::find_classes(const program& p, const std::vector<region>& rules,
                                const std::vector<rule_list>& rules_of_kind, const rule_list& alias) {
  std::map<rule_list, std::uint32_t> known;
  rule_list here;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    kinds_[k].first_class = class_of_.size();
    for (const int row : examples_of(row_kinds_.data() + kinds_[k].first_row, rows_)) {
      here.clear();
      for (const std::uint32_t rule : rules_of_kind[k])
        if (rules[rule].has_row(row)) here.push_back(alias[rule]);
      std::sort(here.begin(), here.end());
      const coordinate place{kinds_[k].example, row};
      const auto [entry, is_new] = known.try_emplace(here, static_cast<std::uint32_t>(classes_.size()));
      if (is_new) classes_.push_back(make_class(p, here, place));
      class_of_.push_back(entry->second);
      coordinate& example = classes_[entry->second].example;
      if (place_key(place) < place_key(example)) example = place;
    }
  }
}

void core_classes::number_by_example() {
  std::vector<std::uint32_t> order(classes_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return place_key(classes_[a].example) < place_key(classes_[b].example);
  });
  std::vector<core_class> sorted;
  std::vector<std::uint32_t> number(classes_.size());
  for (const std::uint32_t old : order) {
    number[old] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(classes_[old]));
  }
  classes_ = std::move(sorted);
  for (std::uint32_t& c : class_of_)
    c = number[c];
}

}  // namespace scribeline::fabric
