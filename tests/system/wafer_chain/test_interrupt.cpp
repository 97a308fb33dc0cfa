#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;
using Catch::Contains;

TEST_CASE("Ctrl-C ends a run with 130 and leaves files that can be read") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_dense.json")));
  process started(folder,
                  {file, "--out", folder / "out", "--waves", "window", "--set", "workload.requests=1000000000"});
  // The waves appear when the run has begun.
  for (int i = 0; i < 3000 && !folder.has("out/waves.vcd"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  REQUIRE(folder.has("out/waves.vcd"));
  REQUIRE(kill(started.id(), SIGINT) == 0);
  const outcome result = started.wait();
  INFO(result.err);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.err, Contains("interrupted") && Contains("metrics.json") && Contains("requests.csv"));

  const auto metrics = nlohmann::json::parse(folder.read("out/metrics.json"));
  CHECK(metrics["partial"] == true);
  CHECK(metrics["requests.finished"] <= metrics["requests.arrived"]);
  CHECK_THAT(folder.read("out/requests.csv"), Catch::StartsWith("request,arrival_ms"));
  CHECK_THAT(folder.read("out/waves.vcd"), Contains("$enddefinitions"));
  CHECK_NOTHROW(nlohmann::json::parse(folder.read("out/timeline.json")));
  for (const auto& [name, text] : files_of(folder / "out"))
    CHECK(name.find(".tmp") == std::string::npos);
}
