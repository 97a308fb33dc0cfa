// Comparing the results of two runs.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>

namespace scenario_binary {

// Two folders hold the same files with the same bytes: contents by name.
inline void check_same(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, text] : a) {
    INFO(name);
    REQUIRE(b.count(name) == 1);
    CHECK((text == b.at(name)));
  }
}

}  // namespace scenario_binary
