#include <catch2/catch.hpp>
#include <random>

#include "scenarios/harness/effective_config.h"
#include "scenarios/harness/scenario_file.h"
#include "tests/unit/harness/pipe_scenario.h"
#include "tests/unit/harness/scratch_folder.h"

using namespace scribeline;
using namespace scribeline::harness;
using namespace scribeline::harness::test;

namespace {

struct loaded {
  pipe_scenario scenario;
  key_table keys;
  scenario_input input;
  std::vector<unused_key> unused;

  explicit loaded(const std::string& text, const std::string& folder = "") {
    scenario.declare_keys(keys);
    input = parse_scenario(text, "a.toml");
    unused = keys.apply(input.settings, folder);
  }
  std::string effective() const { return effective_toml(keys, input.budgets, "pipe"); }
  std::string hash() const { return config_hash(keys, "pipe"); }
  // Every field, used or not.
  std::string config() const {
    std::string text;
    for (const key& one : keys.keys())
      text += one.path() + "=" + to_toml(one.current()) + "\n";
    return text;
  }
};

// A scenario that sets each key with probability 1/2, to any value the key takes.
std::string random_scenario(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto number = [&](double low, double high) {
    return shortest(low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53));
  };
  const auto text = [&] {
    std::string any;
    for (auto length = below(8); length > 0; --length)
      any += static_cast<char>(1 + below(127));
    return in_quotes(any + (below(2) == 0 ? "\u00e9\u4e16" : ""));
  };
  const auto list = [&](const auto& item) {
    std::string items;
    for (auto length = below(4); length > 0; --length)
      items += item() + ", ";
    return "[" + items + "]";
  };
  static const std::vector<std::string> tags{"\"chat\"", "\"code\"", "\"batch\""};
  std::vector<std::string> lines{
      "machine.preset = " + std::string(below(2) == 0 ? "'wse2'" : "'wse3'"),
      "machine.cores = " + std::to_string(1 + below(1'000'000)),
      "machine.clock_ghz = " + number(0.1, 10),
      "machine.link.latency_ns = " + number(0, 1e9),
      "machine.stages_per_wafer = " + (below(2) == 0 ? std::string("'fit'") : std::to_string(1 + below(84))),
      "workload.title = " + text(),
      "workload.arrivals = " + std::string(below(2) == 0 ? "'fixed'" : "'poisson'"),
      "workload.rate_per_s = " + number(1e-3, 1e9),
      "workload.prompt_tokens = " + list([&] { return std::to_string(1 + below(10'000'000)); }),
      "workload.tags = " + list([&] { return tags[below(3)]; }),
      "workload.speculate = " + std::string(below(2) == 0 ? "true" : "false"),
      "workload.tokens = " + std::to_string(2 * (1 + below(500'000))),
      "budgets.tokens = { max = " + number(0, 1e6) + " }"};
  std::string scenario;
  for (const std::string& line : lines)
    scenario += below(2) == 0 ? line + "\n" : "";
  return scenario;
}

}  // namespace

TEST_CASE("the effective configuration read back is the same configuration with the same hash") {
  const std::uint64_t seed = GENERATE(range(1, 201));
  std::mt19937_64 random(seed);
  const std::string text = random_scenario(random);
  INFO("seed " << seed << "\n" << text);
  const loaded first(text);
  const loaded second(first.effective());
  CHECK(second.config() == first.config());
  CHECK(second.hash() == first.hash());
  CHECK(second.effective() == first.effective());
  CHECK(second.unused.size() == first.unused.size());
}

TEST_CASE("running the effective configuration reproduces every result byte for byte") {
  const scratch_folder scratch;
  scratch.file("sub/models/m.json", "{\"layers\": 80}");
  const auto file =
      scratch.file("sub/a.toml",
                   "[model]\nfile = \"models/m.json\"\n[workload]\nrate_per_s = 2\n[budgets]\ntokens = { min = 1 "
                   "}\n");
  const outcome first = run_pipe({file, "--out", scratch / "one", "--seed", "7"});
  REQUIRE(first.code == 0);
  const outcome second = run_pipe({scratch / "one/effective.toml", "--out", scratch / "two"});
  INFO(second.err);
  REQUIRE(second.code == 0);
  for (const std::string name : {"metrics.json", "effective.toml", "stages.csv", "inputs/model.file/m.json"}) {
    CHECK(scratch.read("one/" + name) == scratch.read("two/" + name));
  }
  // Into its own folder as well.
  const std::string before = scratch.read("one/metrics.json");
  CHECK(run_pipe({scratch / "one/effective.toml", "--out", scratch / "one"}).code == 0);
  CHECK(scratch.read("one/metrics.json") == before);
}

TEST_CASE("the hash follows every used key and the contents of files and nothing else") {
  const scratch_folder scratch;
  scratch.file("m.json", "one");
  const std::string base = loaded("").hash();
  CHECK(base.size() == 16);
  CHECK(loaded("").hash() == base);
  CHECK(loaded("machine.link.latency_ns = 5000").hash() == base);
  CHECK(loaded("machine.link.latency_ns = 5001").hash() != base);
  CHECK(loaded("workload.rate_per_s = 77").hash() == base);  // not used with fixed arrivals
  CHECK(loaded("budgets.tokens.max = 3").hash() == base);

  const std::string text = "model.file = 'm.json'";
  const std::string with_file = loaded(text, scratch / "").hash();
  CHECK(with_file != base);
  scratch.file("m.json", "two");
  CHECK(loaded(text, scratch / "").hash() != with_file);
  scratch.file("elsewhere/m.json", "one");
  CHECK(loaded(text, scratch / "elsewhere").hash() == with_file);
}

TEST_CASE("recording waves changes neither hash nor metrics") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "");
  REQUIRE(run_pipe({file, "--out", scratch / "off"}).code == 0);
  REQUIRE(run_pipe({file, "--out", scratch / "on", "--waves", "window"}).code == 0);
  CHECK(scratch.read("off/metrics.json") == scratch.read("on/metrics.json"));
}
