#include <catch2/catch.hpp>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;
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
                             Contains("results in " + (b.folder / "out")));
  for (const char* file : {"metrics.json", "effective.toml", "requests.csv", "stages.csv", "operations.csv"})
    CHECK(b.folder.has(std::string("out/") + file));
}

TEST_CASE("values of the wrong type, out of range or at odds with others are refused by key") {
  bench b;
  const auto refused = [&](const std::string& setting, const std::string& expected) {
    const outcome result = b.with({setting});
    INFO(setting << ": " << result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(setting.substr(0, setting.find('='))) && Contains(expected));
    CHECK_FALSE(b.folder.has("out/metrics.json"));
  };
  refused("workload.users=many", "integer");
  refused("workload.users=0", "must be in 1..");
  refused("machine.link.latency_ns=-1", "0");
  refused("machine.preset=wse9", "wse3");
  refused("mapping.layers_per_wafer=some", "fit");
  refused("mapping.embedding_and_head=above", "own_wafers");
  refused("workload.cached_tokens=40", "be less than workload.prompt_tokens");
  refused("workload.speculation.acceptance=0.5,1.5", "1");
  refused("machine.wafer.vector.peak_fma_fp16_per_cycle=1", "be at least machine.wafer.vector.fma_fp16_per_cycle");
  refused("machine.link.frame_payload_bytes=8", "46");
}

TEST_CASE("a link whose buffer can never hold a frame or a pass is refused with what it would take") {
  bench b;
  outcome result = b.with({"machine.link.receive_buffer_bytes=1000"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("machine.link.receive_buffer_bytes = 1000") && Contains("at least 108000"));
  result = b.with(
      {"machine.link.receive_buffer_bytes=1900", "machine.link.lanes=1", "machine.link.frame_payload_bytes=100"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("machine.link.receive_buffer_bytes = 1900") &&
                             Contains("a pass of 16 tokens leaves embedding as a message of 16 x 128 B") &&
                             Contains("at least 2048") && Contains("workload.chunk_tokens"));
  result = b.with(
      {"machine.link.receive_buffer_bytes=2048", "machine.link.lanes=1", "machine.link.frame_payload_bytes=100"});
  CHECK(result.exit_code == 0);
}

TEST_CASE("a model that is missing, broken or of an unknown family is refused by name") {
  bench b;
  outcome result = b.of("[workload]\nusers = 1\n");
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("model.config"));
  result = b.of(scenario("nowhere.json"));
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("nowhere.json") && Contains("bad.toml:2:"));
  result = b.of(scenario(b.folder.file("broken.json", "{ \"model_type\": ")));
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("broken.json"));
  result = b.of(scenario(b.folder.file("empty.json", "")));
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("empty.json"));
  result = b.of(scenario(b.folder.file("new.json", "{ \"model_type\": \"telepathy\" }")));
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("telepathy"));
}

TEST_CASE("what does not fit ends with 3 and names stage, wafer, core, needed and available") {
  bench b;
  outcome result = b.with({"workload.output_tokens=100000000"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Contains("stage 1 (layer 0) does not fit on wafer 1: region 'layer 0 region': cache needs") &&
                             Contains("B more on core (row") && Contains("B free"));
  result = b.with({"machine.wafer.sram_bytes_per_core=4300"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Contains("wafer 0: region 'link receive buffer'"));
  result = b.with({"machine.wafer.sram_bytes_per_core=4000"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Contains("wafer 0: region 'runtime': code needs"));
}

TEST_CASE("more stages than the wafer can be cut for are refused") {
  bench b;
  std::string model = contents(data("tiny_dense.json"));
  model.replace(model.find("\"num_hidden_layers\": 4"), 22, "\"num_hidden_layers\": 90");
  const outcome result = run(
      b.folder,
      with_settings({b.folder.file("s2.toml", scenario(b.folder.file("deep.json", model))), "--out", b.folder / "out"},
                    {"mapping.layers_per_wafer=90", "machine.wafer.columns=8", "machine.wafer.rows=8",
                     "machine.link.receive_buffer_bytes=108000"}));
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("stages cannot share") && Contains("fewer layers per wafer"));
}

TEST_CASE("a key that is set and not used is told, and the run goes on") {
  bench b;
  const outcome result = b.with({"workload.rate_per_s=5"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Contains("workload.rate_per_s has no effect"));
}
