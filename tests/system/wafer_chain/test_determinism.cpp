#include <catch2/catch.hpp>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;

namespace {

void check_same(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, text] : a) {
    INFO(name);
    REQUIRE(b.count(name) == 1);
    CHECK((text == b.at(name)));
  }
}

const char* const random_workload = "arrivals = \"poisson\"\nrate_per_s = 20000\nspeculation.acceptance = [0.7, 0.4]\n";

}  // namespace

TEST_CASE("two runs write the same bytes in every file, from whatever directory they are started") {
  scratch_folder folder;
  folder.file("model.json", contents(data("tiny_experts.json")));
  const std::string text = scenario("model.json", random_workload);
  folder.file("s.toml", text);
  folder.file("elsewhere/nothing", "");
  REQUIRE(run(folder, {"s.toml", "--out", "a", "--waves", "on"}, folder / "").exit_code == 0);
  REQUIRE(run(folder, {folder / "s.toml", "--out", folder / "b", "--waves", "on"}, "/").exit_code == 0);
  REQUIRE(run(folder, {"../s.toml", "--out", "../c", "--waves", "on"}, folder / "elsewhere").exit_code == 0);
  const auto a = files_of(folder / "a");
  CHECK(a.size() >= 8);
  for (const char* name : {"metrics.json", "requests.csv", "stages.csv", "waves.vcd", "waves.gtkw", "timeline.json"})
    CHECK(a.count(name) == 1);
  check_same(a, files_of(folder / "b"));
  check_same(a, files_of(folder / "c"));
  // No path of this machine in any of them.
  for (const auto& [name, contents] : a) {
    INFO(name);
    CHECK(contents.find(folder / "") == std::string::npos);
  }
}

TEST_CASE("a run into a used folder leaves nothing of the run before") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_experts.json")));
  REQUIRE(run(folder, {file, "--out", folder / "used", "--waves", "on"}).exit_code == 0);
  REQUIRE(run(folder, {file, "--out", folder / "used"}).exit_code == 0);
  REQUIRE(run(folder, {file, "--out", folder / "fresh"}).exit_code == 0);
  check_same(files_of(folder / "used"), files_of(folder / "fresh"));
}

TEST_CASE("the effective configuration, run again, gives the same results") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_experts.json"), random_workload));
  REQUIRE(run(folder, {file, "--out", folder / "first", "--seed", "7", "--set", "machine.link.latency_ns=1234"})
              .exit_code == 0);
  const outcome again = run(folder, {folder / "first/effective.toml", "--out", folder / "second"});
  INFO(again.err);
  REQUIRE(again.exit_code == 0);
  check_same(files_of(folder / "first"), files_of(folder / "second"));
}

TEST_CASE("another seed gives other random choices, and says so in the configuration hash") {
  scratch_folder folder;
  const auto with_seed = [&](const char* seed) {
    return measure(folder, data("tiny_experts.json"),
                   {"workload.arrivals=poisson", "workload.rate_per_s=20000", std::string("run.seed=") + seed});
  };
  const auto a = with_seed("1"), b = with_seed("2");
  CHECK(a["ttft_ms.p50"] != b["ttft_ms.p50"]);
  CHECK(a["config_hash"] != b["config_hash"]);
}

TEST_CASE("waves change no result") {
  scratch_folder folder;
  for (const char* model : {"tiny_dense.json", "tiny_experts.json"}) {
    INFO(model);
    const std::string file = folder.file("s.toml", scenario(data(model), random_workload));
    REQUIRE(run(folder, {file, "--out", folder / "off"}).exit_code == 0);
    REQUIRE(run(folder, {file, "--out", folder / "on", "--waves", "on"}).exit_code == 0);
    REQUIRE(run(folder, {file, "--out", folder / "window", "--waves", "window"}).exit_code == 0);
    for (const char* other : {"on", "window"}) {
      for (const char* name : {"requests.csv", "stages.csv", "operations.csv"})
        CHECK((folder.read(std::string("off/") + name) == folder.read(std::string(other) + "/" + name)));
      auto a = nlohmann::json::parse(folder.read("off/metrics.json"));
      auto b = nlohmann::json::parse(folder.read(std::string(other) + "/metrics.json"));
      for (auto* metrics : {&a, &b})
        metrics->erase("config.trace.waves");
      CHECK(a == b);
    }
  }
}
