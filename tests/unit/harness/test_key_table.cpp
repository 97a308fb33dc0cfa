#include <catch2/catch.hpp>

#include "scenarios/harness/command_line.h"
#include "scenarios/harness/key_listing.h"
#include "scenarios/harness/scenario_file.h"
#include "tests/unit/harness/pipe_scenario.h"

using namespace scribeline;
using namespace scribeline::harness;
using namespace scribeline::harness::test;
using Catch::Matchers::Contains;

namespace {

// The config of a pipe after a scenario text and command-line settings.
struct loaded {
  pipe_scenario scenario;
  key_table keys;
  std::vector<unused_key> unused;

  explicit loaded(const std::string& text, const std::vector<std::string>& sets = {}) {
    scenario.declare_keys(keys);
    scenario_input input = parse_scenario(text, "a.toml");
    for (const std::string& set : sets)
      add_setting(input, set, "--set " + set);
    unused = keys.apply(input.settings, "");
  }
  const pipe_config& config() const { return scenario.config; }
};

}  // namespace

TEST_CASE("values of every type reach their fields") {
  const loaded run(
      "[machine]\nstages_per_wafer = 4\nlink.latency_ns = 2000\n"
      "[workload]\ntitle = 'x'\narrivals = \"poisson\"\nprompt_tokens = [1, 2, 3]\ntags = [\"chat\"]\nspeculate = "
      "true\n");
  CHECK(run.config().stages_per_wafer == 4);
  CHECK(run.config().latency_ns == 2000.0);  // an integer will do for a number
  CHECK(run.config().title == "x");
  CHECK(run.config().arrivals == arrivals::poisson);
  CHECK(run.config().prompt_tokens == std::vector<std::int64_t>{1, 2, 3});
  CHECK(run.config().tags == std::vector<std::string>{"chat"});
  CHECK(run.config().speculate);
}

TEST_CASE("settings on the command line need no quotes and win over the file") {
  const loaded run("[workload]\ntokens = 2\n",
                   {"workload.tokens=6", "workload.title=two words", "workload.prompt_tokens=7,8",
                    "workload.tags=[chat, code]", "machine.stages_per_wafer=fit", "machine.link.latency_ns=2e3",
                    "workload.speculate=true", "machine.cores = 10_000", "workload.arrivals=\"poisson\""});
  CHECK(run.config().tokens == 6);
  CHECK(run.config().title == "two words");
  CHECK(run.config().prompt_tokens == std::vector<std::int64_t>{7, 8});
  CHECK(run.config().tags == std::vector<std::string>{"chat", "code"});
  CHECK(run.config().stages_per_wafer == 0);
  CHECK(run.config().latency_ns == 2000.0);
  CHECK(run.config().speculate);
  CHECK(run.config().cores == 10000);
  CHECK(run.config().arrivals == arrivals::poisson);
}

TEST_CASE("the command line takes several settings after one option or many and the scenario anywhere") {
  const char* argv[] = {"pipe", "--set", "a=1", "b=2", "s.toml", "--set", "c=-3", "--seed=5", "--waves", "on"};
  const command_line line = parse_command_line(10, argv, "pipe", "");
  CHECK(line.scenario_file == "s.toml");
  std::vector<std::string> texts;
  for (const auto& [text, option] : line.settings)
    texts.push_back(text);
  CHECK(texts == std::vector<std::string>{"a=1", "c=-3", "b=2", "run.seed=5", "trace.waves=on"});
  CHECK(line.check_budgets);
  CHECK_FALSE(line.json);
}

TEST_CASE("a number may be the text of a string key and lists may be empty") {
  const loaded run("", {"workload.title=123", "workload.tags=", "workload.prompt_tokens=[]"});
  CHECK(run.config().title == "123");
  CHECK(run.config().tags.empty());
  CHECK(run.config().prompt_tokens.empty());
}

TEST_CASE("a preset fills its keys first wherever it stands and single keys override it") {
  const loaded wse2("", {"machine.clock_ghz=1.1", "machine.preset=wse2"});
  CHECK(wse2.config().cores == 850'000);
  CHECK(wse2.config().clock_ghz == 1.1);
  const loaded in_file("[machine]\ncores = 7\npreset = \"wse2\"\n");
  CHECK(in_file.config().cores == 7);
  CHECK(in_file.config().clock_ghz == 0.85);
  const loaded by_default("");
  CHECK(by_default.config().cores == 900'000);
}

TEST_CASE("a key that has no effect is reported with its place and reason and only if it was set") {
  const loaded set("[workload]\nrate_per_s = 3\n");
  REQUIRE(set.unused.size() == 1);
  CHECK(set.unused[0].path == "workload.rate_per_s");
  CHECK(set.unused[0].where == "a.toml:2:1");
  CHECK(set.unused[0].condition == "workload.arrivals = \"poisson\"");
  CHECK(loaded("").unused.empty());
  CHECK(loaded("[workload]\nrate_per_s = 3\narrivals = \"poisson\"\n").unused.empty());
}

TEST_CASE("a required key must be set") {
  int wafers = 0;
  key_table keys;
  keys.add("machine.wafers", wafers).range(1, 1000).required().meaning("wafers in the chain");
  CHECK_THROWS_WITH(keys.apply({}, ""),
                    "machine.wafers is not set and has no default: wafers in the chain (integer 1..1000)");
  keys.apply({{"machine.wafers", config_value{scalar{std::int64_t{3}}}, "here", ""}}, "");
  CHECK(wafers == 3);
}

TEST_CASE("declaring a key twice or below another or with a bad name is a defect") {
  int a = 0, b = 0;
  key_table keys;
  keys.add("machine.link", a);
  CHECK_THROWS_AS(keys.add("machine.link", b), std::logic_error);
  CHECK_THROWS_AS(keys.add("machine.link.latency", b), std::logic_error);
  CHECK_THROWS_AS(keys.add("machine", b), std::logic_error);
  for (const char* bad : {"", ".a", "a.", "a..b", "A", "a b"})
    CHECK_THROWS_AS(keys.add(bad, b), std::logic_error);
}

TEST_CASE("unsigned and narrow fields refuse what they cannot hold") {
  std::uint16_t port = 1;
  std::uint64_t bytes = 1;
  key_table keys;
  keys.add("port", port);
  keys.add("bytes", bytes);
  const auto set = [&](const char* path, std::int64_t value) {
    keys.apply({{path, config_value{scalar{value}}, "here", ""}}, "");
  };
  set("port", 65535);
  CHECK(port == 65535);
  CHECK_THROWS_AS(set("port", 65536), base::bad_input);
  CHECK_THROWS_AS(set("port", -1), base::bad_input);
  set("bytes", 1'000'000'000'000);
  CHECK(bytes == 1'000'000'000'000u);
  CHECK_THROWS_AS(set("bytes", -1), base::bad_input);
}

TEST_CASE("the key list shows type and unit and default and source and meaning of every key") {
  pipe_scenario scenario;
  key_table keys;
  scenario.declare_keys(keys);
  const std::string text = list_keys(keys);
  for (const std::string& path : keys.paths())
    CHECK_THAT(text, Contains(path));
  CHECK_THAT(text, Contains("preset (900000)"));
  CHECK_THAT(text, Contains("integer 1..84 or \"fit\""));
  const std::string markdown = list_keys_markdown(keys);
  CHECK_THAT(markdown, Contains("| machine.link.latency_ns | number 0..1e9 | ns | 5000.0 | one way, port to port | "
                                "vendor, 2024 |\n"));
  CHECK_THAT(markdown, Contains("fixed \\| poisson"));
}
