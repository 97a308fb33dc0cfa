#include "tests/system/every_binary/every_binary.h"

using namespace every_binary;
using Catch::Contains;

namespace {

// Of what the run measures, the first number above 0.
std::string some_metric(const nlohmann::ordered_json& metrics) {
  for (const auto& [name, value] : metrics.items()) {
    const bool says_how = name.find("config") == 0 || name.find("unit.") == 0 || name.find("bound.") == 0;
    if (!says_how && value.is_number() && value.get<double>() > 0) return name;
  }
  return "";
}

}  // namespace

TEST_CASE("budgets that are met end with 0 and a table, one that is missed with 1, unless they are ignored") {
  for_each([](const subject& s) {
    const std::string budget = "budgets." + some_metric(nlohmann::ordered_json::parse(s.with({"--json"}).out));
    const std::string met = budget + ".min=0", missed = budget + ".max=0";
    outcome result = s.with({"--set", met});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("budget") && Contains(">= 0") && Contains("met") && !Contains("MISSED"));

    result = s.with({"--set", missed});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.out, Contains("<= 0") && Contains("MISSED"));
    CHECK_THAT(result.err, Contains("a budget is missed"));
    CHECK(s.folder.has("out/" + s.name + "/metrics.json"));

    CHECK(s.with({"--set", missed, "--budgets", "ignore"}).exit_code == 0);
    result = s.with({"--set", missed, "--json"});
    CHECK(result.exit_code == 1);
    CHECK_NOTHROW(nlohmann::json::parse(result.out));  // the table goes to stderr
    CHECK_THAT(result.err, Contains("MISSED"));
  });
}

TEST_CASE("a budget for a metric that does not exist is refused with the nearest name") {
  for_each([](const subject& s) {
    const std::string metric = some_metric(nlohmann::ordered_json::parse(s.with({"--json"}).out));
    const outcome result = s.with({"--set", "budgets." + metric + "x.max=1"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(metric + "x\"; did you mean \"" + metric + "\"?"));
  });
}
