#include <catch2/catch.hpp>

#include "tests/system/asic_rack/asic_rack_binary.h"

using namespace asic_rack_binary;
using Catch::Contains;

namespace {

struct bench : scenario_bench {
  bench() : scenario_bench(scenario(data("tiny_experts.json"))) {}
};

}  // namespace

TEST_CASE("a good scenario ends with 0, its tables on stdout and nothing on stderr") {
  bench b;
  const outcome result = b.with({});
  CHECK(result.exit_code == 0);
  CHECK(result.err == "");
  CHECK_THAT(result.out, Contains("tokens/s/user") && Contains("Where a decode pass spends its time") &&
                             Contains("Exchanges of a decode pass") && Contains("results in " + (b.folder / "out")));
  for (const char* file :
       {"metrics.json", "effective.toml", "requests.csv", "stages.csv", "operations.csv", "collectives.csv"})
    CHECK(b.folder.has(std::string("out/") + file));
}

TEST_CASE("one rank has no exchanges to simulate, and shows no number for them") {
  bench b;
  const outcome result = b.with({"mapping.tensor=1", "run.fidelity=packet"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("exchanges simulated packet by packet") && !Contains("nan"));
}

TEST_CASE("keys that are unknown, out of range or at odds with each other are refused by name") {
  bench b;
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& text) {
    const outcome result = b.with(settings);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(text));
  };
  refused({"mapping.tensr=4"}, "did you mean \"mapping.tensor\"");
  refused({"mapping.expert=3"}, "must divide mapping.tensor");
  refused({"mapping.data=3"}, "multiple of mapping.data");
  refused({"mapping.tensor=1", "mapping.data=4", "mapping.expert=2"}, "tensor x mapping.data");
  refused({"mapping.tensor=129"}, "a scale-up domain has 128 ranks");
  refused({"mapping.pipeline=1000"}, "layers, embedding and head included");
  refused({"machine.preset=h20"}, "did you mean \"h200\"");
  refused({"workload.cached_tokens=400"}, "less than workload.prompt_tokens");
  refused({"mapping.tensor=1", "mapping.data=4", "mapping.expert=4", "mapping.dispatch_bits=5"}, "4, 8 or 16");
}

TEST_CASE("what does not fit into HBM names rank, needed and available, and ends with 3") {
  bench b;
  const outcome result = b.with({"machine.accelerator.hbm_bytes=3000000000", "workload.users=40000"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Contains("rank 0") && Contains("need") && Contains("0.85 GB of HBM are available"));
}

TEST_CASE("a key without effect is said to have none") {
  bench b;
  const outcome result = b.with({"mapping.combine_bits=4"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Contains("mapping.combine_bits has no effect"));
}
