#include "scenarios/harness/scenario_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

#include "rtl_tlm/base/error.h"

namespace scribeline::harness {
namespace {

struct position {
  toml::source_position at;
  friend bool operator<(const position& a, const position& b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  }
};

class reader {
 public:
  explicit reader(const std::string& name) : name_(name) {}

  scenario_input read(const toml::table& root) {
    for (const auto& [name, node] : root) {
      if (name == "budgets") {
        read_budgets(name, node);
      } else {
        read_node(std::string(name.str()), name, node);
      }
    }
    // Tables of toml++ are sorted by name; people expect the order of their file.
    const auto by_position = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(settings_.begin(), settings_.end(), by_position);
    std::stable_sort(budgets_.begin(), budgets_.end(), by_position);
    scenario_input input;
    for (auto& [at, one] : settings_)
      input.settings.push_back(std::move(one));
    for (auto& [at, one] : budgets_)
      input.budgets.push_back(std::move(one));
    return input;
  }

 private:
  std::string where(const toml::source_region& region) const {
    return fmt::format("{}:{}:{}", name_, region.begin.line, region.begin.column);
  }

  static scalar to_scalar(const toml::node& node, std::string& unsupported) {
    if (const auto* flag = node.as_boolean()) return flag->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* text = node.as_string()) return text->get();
    unsupported = node.is_table() ? "a table" : node.is_array() ? "a list" : "a date or time";
    return false;
  }

  static config_value to_value(const toml::node& node) {
    std::string unsupported;
    if (const auto* array = node.as_array()) {
      scalar_list list;
      for (const toml::node& item : *array)
        list.push_back(to_scalar(item, unsupported));
      if (!unsupported.empty()) return unsupported_value{"a list with " + unsupported + " in it"};
      return list;
    }
    scalar one = to_scalar(node, unsupported);
    if (!unsupported.empty()) return unsupported_value{unsupported};
    return one;
  }

  void read_node(const std::string& path, const toml::key& name, const toml::node& node) {
    const auto* table = node.as_table();
    if (table != nullptr && !table->empty()) {
      for (const auto& [child, child_node] : *table)
        read_node(path + "." + std::string(child.str()), child, child_node);
      return;
    }
    settings_.push_back({{name.source().begin}, {path, to_value(node), where(name.source()), where(node.source())}});
  }

  void read_budgets(const toml::key& name, const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) throw base::bad_input(where(name.source()) + ": budgets must be a table: [budgets]");
    for (const auto& [metric, limits] : *table)
      read_budget(std::string(metric.str()), metric, limits);
  }

  // "tpot_ms.p50" = { max = 4 } names a metric in one key; tpot_ms.p50 = { max = 4 } in nested ones.
  void read_budget(const std::string& metric, const toml::key& name, const toml::node& node) {
    const std::string at = where(name.source()) + ": budget \"" + metric + "\"";
    const auto* table = node.as_table();
    if (table == nullptr || table->empty()) {
      throw base::bad_input(at + ": must be written { max = 4.0 }, { min = 1.0 } or both");
    }
    budget one{metric, {}, {}, where(name.source())};
    for (const auto& [limit, value] : *table) {
      if (value.is_table()) {
        read_budget(metric + "." + std::string(limit.str()), limit, value);
      } else if ((limit == "max" || limit == "min") && value.is_number()) {
        (limit == "max" ? one.max : one.min) = value.value<double>();
      } else {
        throw base::bad_input(
            fmt::format("{}: \"{}\" is not a limit; write max = NUMBER or min = NUMBER", at, limit.str()));
      }
    }
    if (one.max || one.min) {
      check_budget(one);
      budgets_.push_back({{name.source().begin}, one});
    }
  }

  std::string name_;
  std::vector<std::pair<position, setting>> settings_;
  std::vector<std::pair<position, budget>> budgets_;
};

void add_budget(scenario_input& input, const std::string& path, const std::string& text, const std::string& option) {
  const std::string limit = path.substr(path.rfind('.') + 1);
  const auto number = parse_value(text, {scalar_type::number, false});
  double value = 0;
  try {
    value = from_scalar<double>(std::get<scalar>(number));
  } catch (const value_problem& problem) {
    throw base::bad_input(fmt::format("{}: {} = {}: {}", option, path, text, problem.what()));
  }
  const std::size_t prefix = std::string("budgets.").size();
  if ((limit != "max" && limit != "min") || path.size() <= prefix + limit.size() + 1) {
    throw base::bad_input(fmt::format("{}: a budget is set with budgets.METRIC.max=NUMBER or .min=NUMBER", option));
  }
  std::string metric = path.substr(prefix, path.size() - prefix - limit.size() - 1);
  metric.erase(std::remove(metric.begin(), metric.end(), '"'), metric.end());
  auto found =
      std::find_if(input.budgets.begin(), input.budgets.end(), [&](const budget& b) { return b.metric == metric; });
  if (found == input.budgets.end()) found = input.budgets.insert(found, budget{metric, {}, {}, option});
  (limit == "max" ? found->max : found->min) = value;
  found->where = option;
  check_budget(*found);
}

}  // namespace

scenario_input parse_scenario(const std::string& text, const std::string& name) {
  try {
    const toml::table root = toml::parse(text, name);
    return reader(name).read(root);
  } catch (const toml::parse_error& problem) {
    const auto& at = problem.source().begin;
    throw base::bad_input(fmt::format("{}:{}:{}: not TOML: {}", name, at.line, at.column, problem.description()));
  }
}

void add_setting(scenario_input& input, const std::string& key_and_value, const std::string& option) {
  const auto equals = key_and_value.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw base::bad_input(option + ": must be written --set key=value");
  }
  const auto last = key_and_value.find_last_not_of(" \t", equals - 1);
  const std::string path = key_and_value.substr(0, last + 1);
  const std::string text = key_and_value.substr(equals + 1);
  if (path.rfind("budgets.", 0) == 0) return add_budget(input, path, text, option);
  for (const setting& other : input.settings) {
    if (other.path == path && std::holds_alternative<std::string>(other.value)) {
      throw base::bad_input(fmt::format("{}: {} was already set by {}", option, path, other.where));
    }
  }
  input.settings.push_back({path, text, option, ""});
}

}  // namespace scribeline::harness
