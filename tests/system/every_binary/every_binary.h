// Every scenario binary, one after the other, on the small scenario of its name.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/same_files.h"
#include "tests/support/scenario_binary.h"

namespace every_binary {

using namespace scenario_binary;

inline const std::vector<std::pair<std::string, std::string>>& names_and_paths() {
  static const std::vector<std::pair<std::string, std::string>> all = {
#include "scenario_binaries.inc"
  };
  return all;
}

// One binary with its scenario and a folder of its own.
struct subject {
  std::string name;
  scratch_folder folder;
  std::string file = std::string(SCRIBELINE_SOURCE_DIR) + "/tests/system/every_binary/small/" + name + ".toml";

  explicit subject(std::string binary_name) : name(std::move(binary_name)) {}

  // Runs the scenario with more arguments.
  outcome with(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder, arguments, folder / "");
  }
};

template <class Test>
void for_each(Test test) {
  for (const auto& [name, path] : names_and_paths()) {
    INFO(name);
    binary() = path;
    test(subject(name));
  }
}

}  // namespace every_binary
