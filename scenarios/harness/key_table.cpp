#include "scenarios/harness/key_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/closest_name.h"
#include "scenarios/harness/input_file.h"

namespace scribeline::harness {
namespace {

bool is_key_path(const std::string& path) {
  bool part_begins = true;
  for (const char c : path) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!word && (c != '.' || part_begins)) return false;
    part_begins = c == '.';
  }
  return !part_begins;
}

bool is_below(const std::string& path, const std::string& table) {
  return path.size() > table.size() && path.compare(0, table.size(), table) == 0 && path[table.size()] == '.';
}

std::string given_text(const setting& given) {
  if (const auto* value = std::get_if<config_value>(&given.value)) return to_toml(*value);
  return std::get<std::string>(given.value);
}

// The last setting of a path, which is the one that counts.
const setting* last_of(const std::vector<setting>& settings, const std::string& path) {
  const auto last = std::find_if(settings.rbegin(), settings.rend(), [&](const setting& s) { return s.path == path; });
  return last == settings.rend() ? nullptr : &*last;
}

}  // namespace

key& key_table::insert(std::string path, std::unique_ptr<field_binding> field) {
  if (!is_key_path(path)) throw std::logic_error("not a key path: " + path);
  for (const key& other : keys_) {
    if (other.path() == path) throw std::logic_error("key declared twice: " + path);
    if (is_below(path, other.path()) || is_below(other.path(), path)) {
      throw std::logic_error("a key cannot be a table too: " + path + ", " + other.path());
    }
  }
  return keys_.emplace_back(std::move(path), std::move(field));
}

key& key_table::add_preset(std::string path, std::string& field, std::vector<preset> presets) {
  key& added = add(std::move(path), field);
  std::vector<std::string> names;
  for (const preset& one : presets)
    names.push_back(one.name);
  added.one_of(std::move(names));
  added.presets_ = std::move(presets);
  std::vector<std::string> problems;
  apply_presets({}, problems);
  return added;
}

std::vector<std::string> key_table::paths() const {
  std::vector<std::string> paths;
  for (const key& one : keys_)
    paths.push_back(one.path());
  return paths;
}

const key* key_table::find(const std::string& path) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const key& one) { return one.path() == path; });
  return found == keys_.end() ? nullptr : &*found;
}

key& key_table::at(const std::string& path) {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const key& one) { return one.path() == path; });
  if (found == keys_.end()) throw std::logic_error("no such key: " + path);
  return *found;
}

bool key_table::was_set(const std::string& path) const {
  return std::find(set_.begin(), set_.end(), path) != set_.end();
}

std::string key_table::unknown_key(const setting& given) const {
  const bool is_table =
      std::any_of(keys_.begin(), keys_.end(), [&](const key& one) { return is_below(one.path(), given.path); });
  if (is_table) return fmt::format("{}: \"{}\" is a table of keys, not a key", given.where, given.path);
  for (const key& one : keys_) {
    if (is_below(given.path, one.path())) {
      return fmt::format("{}: \"{}\" is a key and takes {}, not a table", given.where, one.path(),
                         describe(one.type()));
    }
  }
  std::string hint = suggestion(given.path, paths());
  if (hint.empty()) hint = "; --list-keys prints the keys there are";
  return fmt::format("{}: unknown key \"{}\"{}", given.where, given.path, hint);
}

void key_table::assign(key& target, const setting& given, std::vector<std::string>& problems) {
  try {
    const auto* text = std::get_if<std::string>(&given.value);
    target.assign(text != nullptr ? parse_value(*text, target.type()) : std::get<config_value>(given.value));
  } catch (const value_problem& problem) {
    problems.push_back(fmt::format("{}: {} = {}: {}", given.value_where.empty() ? given.where : given.value_where,
                                   target.path(), given_text(given), problem.what()));
  }
}

void key_table::apply_presets(const std::vector<setting>& settings, std::vector<std::string>& problems) {
  for (key& one : keys_) {
    if (one.presets().empty()) continue;
    if (const setting* given = last_of(settings, one.path())) assign(one, *given, problems);
    const std::string name = std::get<std::string>(std::get<scalar>(one.current()));
    const auto chosen = std::find_if(one.presets().begin(), one.presets().end(),
                                     [&](const preset& candidate) { return candidate.name == name; });
    if (chosen != one.presets().end()) {
      chosen->apply();
    } else if (problems.empty()) {
      throw std::logic_error("the default of " + one.path() + " is not one of its presets: " + name);
    }
  }
}

void key_table::check_all(const std::vector<setting>& settings, std::vector<std::string>& problems) const {
  for (const key& one : keys_) {
    const setting* given = last_of(settings, one.path());
    if (one.is_required() && given == nullptr) {
      problems.push_back(
          fmt::format("{} is not set and has no default: {} ({})", one.path(), one.meaning(), one.type_text()));
    }
    if (!one.is_used()) continue;
    if (const auto rule = one.broken_rule()) {
      problems.push_back(fmt::format("{}{} = {}: must {}", given == nullptr ? "" : given->where + ": ", one.path(),
                                     to_toml(one.current()), *rule));
    }
  }
}

std::vector<unused_key> key_table::apply(const std::vector<setting>& settings,
                                         const std::filesystem::path& scenario_folder) {
  std::vector<std::string> problems;
  apply_presets(settings, problems);
  set_.clear();
  for (const setting& given : settings) {
    const key* target = find(given.path);
    if (target == nullptr) {
      problems.push_back(unknown_key(given));
      continue;
    }
    if (!was_set(given.path)) set_.push_back(given.path);
    if (target->presets().empty()) assign(at(given.path), given, problems);
  }
  // Rules look at fields, which are all as given only when nothing was refused.
  if (problems.empty()) check_all(settings, problems);
  if (problems.empty()) {
    for (key& one : keys_) {
      if (!one.is_file() || !one.is_used()) continue;
      const setting* given = last_of(settings, one.path());
      try {
        const std::string name = std::get<std::string>(std::get<scalar>(one.current()));
        if (!name.empty()) one.assign(scalar{find_input_file(name, scenario_folder).string()});
      } catch (const value_problem& problem) {
        problems.push_back(
            fmt::format("{}{}: {}", given == nullptr ? "" : given->where + ": ", one.path(), problem.what()));
      }
    }
  }
  if (!problems.empty()) throw base::bad_input(fmt::format("{}", fmt::join(problems, "\n")));

  std::vector<unused_key> unused;
  for (const key& one : keys_) {
    if (was_set(one.path()) && !one.is_used()) {
      unused.push_back({one.path(), last_of(settings, one.path())->where, one.condition(), one.is_observer()});
    }
  }
  return unused;
}

}  // namespace scribeline::harness
