#include "scenarios/harness/effective_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/input_file.h"

namespace scribeline::harness {
namespace fs = std::filesystem;
namespace {

std::string named_file(const key& one) {
  return one.is_file() ? std::get<std::string>(std::get<scalar>(one.current())) : "";
}

std::string stored_input(const key& one) {
  return "inputs/" + one.path() + "/" + fs::path(named_file(one)).filename().string();
}

std::pair<std::string, std::string> table_and_name(const std::string& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos) return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

std::string comment(const key& one) {
  std::string text = one.unit().empty() ? "" : one.unit();
  if (!one.meaning().empty()) text += (text.empty() ? "" : "; ") + one.meaning();
  if (!one.is_used())
    text += (text.empty() ? "" : "; ") + std::string("no effect here: used only when ") + one.condition();
  return text.empty() ? "" : "  # " + text;
}

std::string budget_line(const budget& one) {
  std::string limits;
  if (one.min) limits += " min = " + shortest(*one.min);
  if (one.max) limits += std::string(one.min ? "," : "") + " max = " + shortest(*one.max);
  return in_quotes(one.metric) + " = {" + limits + " }\n";
}

}  // namespace

std::vector<const key*> effective_keys(const key_table& keys) {
  std::vector<const key*> effective;
  for (const key& one : keys.keys()) {
    if (one.is_used() || keys.was_set(one.path())) effective.push_back(&one);
  }
  return effective;
}

config_value portable_value(const key& one) {
  if (one.is_used() && !named_file(one).empty()) return scalar{stored_input(one)};
  return one.current();
}

std::string effective_toml(const key_table& keys, const std::vector<budget>& budgets, const std::string& scenario) {
  std::string text =
      "# The effective configuration of a run of " + scenario + ". As a scenario file it reproduces the run.\n";
  const auto effective = effective_keys(keys);
  // A table may be opened once only: tables in order of their first key.
  std::vector<std::string> tables{""};
  for (const key* one : effective) {
    const std::string table = table_and_name(one->path()).first;
    if (std::find(tables.begin(), tables.end(), table) == tables.end()) tables.push_back(table);
  }
  for (const std::string& table : tables) {
    if (!table.empty()) text += "\n[" + table + "]\n";
    for (const key* one : effective) {
      const auto [of_table, name] = table_and_name(one->path());
      if (of_table == table) text += name + " = " + to_toml(portable_value(*one)) + comment(*one) + "\n";
    }
  }
  if (!budgets.empty()) text += "\n[budgets]\n";
  for (const budget& one : budgets)
    text += budget_line(one);
  return text;
}

void copy_inputs(const key_table& keys, result_directory& results) {
  for (const key& one : keys.keys()) {
    if (!one.is_used() || named_file(one).empty()) continue;
    std::error_code ignored;
    const fs::path source = named_file(one);
    // Running a result folder's own effective.toml into the same folder.
    if (fs::equivalent(source, results.path() / stored_input(one), ignored)) {
      results.stream(stored_input(one));
    } else {
      results.write(stored_input(one), read_file(source));
    }
  }
  results.drop_old_inputs();
}

std::string config_hash(const key_table& keys, const std::string& scenario) {
  std::string canonical = scenario + "\n";
  for (const key& one : keys.keys()) {
    if (!one.is_used() || one.is_observer()) continue;
    canonical += one.path() + " = " + to_toml(portable_value(one));
    if (!named_file(one).empty()) canonical += fmt::format(" {:016x}", fnv1a_64(read_file(named_file(one))));
    canonical += "\n";
  }
  return fmt::format("{:016x}", fnv1a_64(canonical));
}

}  // namespace scribeline::harness
