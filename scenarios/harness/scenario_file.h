// Reads a scenario: a TOML file, and the settings of the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/harness/budgets.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::harness {

struct scenario_input {
  std::vector<setting> settings;  // in the order of the file
  std::vector<budget> budgets;    // in the order of the file
};

// Reads TOML text; `name` stands at the beginning of error messages.
// Throws base::bad_input with line and column for text that is not TOML, or budgets that are not numbers.
scenario_input parse_scenario(const std::string& text, const std::string& name);

// Adds one `key=value` of the command line; `option` is the option as typed, for messages. `budgets.METRIC.max=4`
// sets a budget. Throws base::bad_input for text without "=", and for a key given twice on the command line.
void add_setting(scenario_input& input, const std::string& key_and_value, const std::string& option);

}  // namespace scribeline::harness
