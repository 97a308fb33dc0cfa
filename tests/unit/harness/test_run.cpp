#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/unit/harness/pipe_scenario.h"
#include "tests/unit/harness/scratch_folder.h"

using namespace scribeline::harness;
using namespace scribeline::harness::test;
using Catch::Matchers::Contains;

TEST_CASE("a run prints its headline, writes its results and ends with 0") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "[machine.link]\nlatency_ns = 2000\n[workload]\ntokens = 2\n");
  const outcome run = run_pipe({file, "--out", scratch / "deep/er"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(run.err.empty());
  CHECK_THAT(run.out, Contains("TPOT, median") && Contains("link latency"));
  CHECK(scratch.has("deep/er/effective.toml"));
  CHECK(scratch.read("deep/er/stages.csv") == "stage,name,time_ns\n0,pipe,3142.857142857143\n");

  const auto metrics = nlohmann::json::parse(scratch.read("deep/er/metrics.json"));
  // (1000 / 0.875 + 2000) ns for the first token, 1 % more for the second.
  CHECK(metrics["tpot_ms.p50"] == Approx(3142.857142857143e-6 * 1.005));
  CHECK(metrics["bound.tpot_ms.p50"] == Approx(2000e-6));
  CHECK(metrics["binds.tpot_ms.p50"] == "link latency");
  CHECK(metrics["idle_share"].is_null());
  CHECK(metrics["config.machine.cores"] == 900000);
  CHECK(metrics["partial"] == false);
  CHECK(metrics["unit.tpot_ms.p50"] == "ms");
}

TEST_CASE("with --json stdout is exactly metrics.json") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "[budgets]\ntokens = { min = 1 }\n");
  const outcome run = run_pipe({file, "--out", scratch / "out", "--json"});
  CHECK(run.code == 0);
  CHECK(run.out == scratch.read("out/metrics.json"));
  CHECK_THAT(run.err, Contains("tokens"));
}

TEST_CASE("two runs with the same input write the same bytes, wherever they write") {
  const scratch_folder scratch;
  const auto model = scratch.file("models/m.json", "{}");
  const auto file = scratch.file("a.toml", "[model]\nfile = \"models/m.json\"\n");
  REQUIRE(run_pipe({file, "--out", scratch / "one"}).code == 0);
  REQUIRE(run_pipe({file, "--out", scratch / "some/where/else"}).code == 0);
  for (const std::string name : {"metrics.json", "effective.toml", "stages.csv", "inputs/model.file/m.json"}) {
    CHECK(scratch.read("one/" + name) == scratch.read("some/where/else/" + name));
  }
}
