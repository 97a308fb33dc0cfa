// The command line, the same for every scenario binary.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace scribeline::harness {

struct command_line {
  std::string scenario_file;
  // Key and value with the option as typed: {"run.seed=3", "--seed 3"}. In the order given.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string out;  // "" means out/<name of the scenario file>
  bool check_budgets = true;
  bool json = false;
  enum class listing { none, text, markdown } list_keys = listing::none;
  // Set by --help and --version: print it and leave.
  std::optional<std::string> print_and_leave;
};

// Throws base::bad_input with what is wrong and a pointer to --help.
command_line parse_command_line(int argc, const char* const* argv, const std::string& binary,
                                const std::string& summary);

}  // namespace scribeline::harness
