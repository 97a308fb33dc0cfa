// Whole runs at the fidelities of the fabric.
#include <catch2/catch.hpp>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;

namespace {

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
    const std::string file = std::string(SCRIBELINE_SOURCE_DIR) + "/scenarios/wafer_chain/" + name + ".toml";
    const auto burst = metrics_of(folder, file, "burst");
    const auto wavelet = metrics_of(folder, file, "wavelet");
    INFO(name);
    CHECK(burst["fabric.simulated_collectives"] == wavelet["fabric.simulated_collectives"]);
    CHECK(wavelet["fabric.simulated_collectives"] > 3);
    for (const char* key : {"tpot_ms.p50", "ttft_ms.p50"}) {
      INFO(key << ": burst " << burst[key] << ", wavelet " << wavelet[key]);
      CHECK(burst[key].get<double>() == Approx(wavelet[key].get<double>()).epsilon(0.01));
    }
    INFO("worst over closed form: burst " << burst["fabric.over_closed_form_worst"] << ", wavelet "
                                          << wavelet["fabric.over_closed_form_worst"]);
    CHECK(burst["fabric.over_closed_form_mean"].get<double>() ==
          Approx(wavelet["fabric.over_closed_form_mean"].get<double>()).margin(0.01));
  }
}
