#include <catch2/catch.hpp>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;

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
