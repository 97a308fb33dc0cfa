// Whole runs at the fidelities of the fabric.
#include <catch2/catch.hpp>

#include "tests/support/sanitizers.h"
#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;

namespace {

std::string scenario_file(const std::string& name) {
  return std::string(SCRIBELINE_SOURCE_DIR) + "/scenarios/wafer_chain/" + name + ".toml";
}

nlohmann::json metrics_of(const scratch_folder& folder, const std::string& file, const std::string& fidelity) {
  const outcome result = run(folder, {file, "--fidelity", fidelity, "--out", folder / fidelity, "--budgets", "ignore",
                                      "--set", "workload.requests=1", "--set", "workload.output_tokens=4"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(folder.read(fidelity + "/metrics.json"));
}

}  // namespace

TEST_CASE("shipped scenarios take the same time at burst and wavelet fidelity within a few percent") {
  scratch_folder folder;
  for (const char* name : {"llama-3.1-8b", "sol"}) {
    if (scribeline::tests::sanitized && name == std::string("sol")) continue;
    const std::string file = scenario_file(name);
    const auto burst = metrics_of(folder, file, "burst");
    const auto wavelet = metrics_of(folder, file, "wavelet");
    INFO(name);
    for (const char* what : {"kernels.simulated", "fabric.simulated_collectives"}) {
      CHECK(burst[what] == wavelet[what]);
      CHECK(wavelet[what] > 3);
    }
    for (const char* key : {"tpot_ms.p50", "ttft_ms.p50", "pass_us.compute", "pass_us.fabric"}) {
      INFO(key << ": burst " << burst[key] << ", wavelet " << wavelet[key]);
      CHECK(burst[key].get<double>() == Approx(wavelet[key].get<double>()).epsilon(0.01));
    }
    for (const char* group : {"kernels", "fabric"}) {
      const std::string mean = std::string(group) + ".over_closed_form_mean";
      INFO(mean << ": burst " << burst[mean] << ", wavelet " << wavelet[mean]);
      CHECK(burst[mean].get<double>() == Approx(wavelet[mean].get<double>()).margin(0.01));
    }
  }
}

// Positions grow with every token, those of a core only once in many: what was simulated is reused.
TEST_CASE("more tokens of an answer hardly need more simulated kernels") {
  scratch_folder folder;
  const auto kernels = [&](const std::string& tokens) {
    const outcome result = run(folder, {scenario_file("llama-3.1-8b"), "--fidelity", "burst", "--out", folder / tokens,
                                        "--budgets", "ignore", "--set", "workload.requests=1", "--set",
                                        "workload.cached_tokens=1023", "--set", "workload.output_tokens=" + tokens});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(folder.has(tokens + "/kernels.csv"));
    return nlohmann::json::parse(folder.read(tokens + "/metrics.json"))["kernels.simulated"].get<int>();
  };
  const int few = kernels("2");
  CHECK(kernels("512") < 3 * few);
}

TEST_CASE("what was simulated does not stay beside the results of a later run by closed form") {
  scratch_folder folder;
  const std::string file = folder.file("tiny.toml", scenario(data("tiny_experts.json")));
  for (const auto& [fidelity, simulated] : {std::pair{"burst", true}, std::pair{"formula", false}}) {
    const outcome result = run(folder, {file, "--fidelity", fidelity, "--out", folder / "out"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    for (const char* name : {"out/kernels.csv", "out/collectives.csv"})
      CHECK(folder.has(name) == simulated);
  }
}
