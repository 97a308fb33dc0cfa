#include <catch2/catch.hpp>

#include "firmware_stubs/plan/make_plan.h"
#include "platforms/wafer_chain/chain_memory.h"
#include "rtl_tlm/base/error.h"
#include "tests/unit/wafer_chain/tiny_chain.h"

using namespace scribeline;
using namespace scribeline::platforms;
using memory::owner;

namespace {

serving::request request_of(const chain_config& config) {
  serving::request r;
  r.prompt_tokens = config.load.prompt_tokens;
  r.output_tokens = config.load.output_tokens;
  return r;
}

}  // namespace

TEST_CASE("what does not fit is told with stage, wafer, region, owner, core, needed and available") {
  auto config = tiny_chain(tiny_dense());
  config.wafer.sram_bytes_per_core = 40 + config.wafer.code_bytes_per_core;
  config.link.receive_buffer_bytes = 2048;
  const auto plan = plan_chain(config);
  // Layers have 57,600 B on 1024 cores, and the buffers of 8 tokens come on top.
  CHECK_THROWS_WITH(
      chain_memory(config, plan),
      Catch::Matches("stage 1 \\(layer 0\\) does not fit on wafer 1: region 'layer 0 region': weights needs "
                     "[0-9]+ B more on core \\(row [0-9]+, column [0-9]+\\), which has 38 of 64 B free"));
}

TEST_CASE("a runtime or receive buffer larger than the wafer is told before any stage") {
  auto config = tiny_chain(tiny_dense());
  const auto plan = plan_chain(config);
  config.wafer.code_bytes_per_core = config.wafer.sram_bytes_per_core + 1;
  CHECK_THROWS_WITH(chain_memory(config, plan), Catch::Contains("wafer 0: region 'runtime': code needs 4121 B"));
  config.wafer.code_bytes_per_core = 24;
  config.link.receive_buffer_bytes = 1 << 30;
  CHECK_THROWS_WITH(chain_memory(config, plan),
                    Catch::Contains("wafer 0: region 'link receive buffer': buffers needs"));
}

TEST_CASE("one request that cannot fit at its longest is refused at the start") {
  auto config = tiny_chain(tiny_dense());
  config.load.output_tokens = 10000000;
  CHECK_THROWS_WITH(chain_memory(config, plan_chain(config)), Catch::Contains("cache needs"));
}

TEST_CASE("requests are admitted while their cache fits on every stage, a refused one changes nothing") {
  auto config = tiny_chain(tiny_dense());
  config.load.prompt_tokens = 5000;  // 5005 positions of 64 B on each of 2 layers
  const auto plan = plan_chain(config);
  chain_memory memory(config, plan);
  const auto most = memory.most_requests();
  CHECK(most >= 1);
  // All SRAM of a wafer could not hold more.
  CHECK(most <= 4096 * 1024 / (5005 * 64));
  std::vector<base::bytes> empty, full;
  const auto taken = [&] {
    std::vector<base::bytes> all;
    for (std::size_t w = 0; w < plan.wafers; ++w)
      all.push_back(memory.wafer(w).taken());
    return all;
  };
  empty = taken();
  for (std::int64_t i = 0; i < most; ++i)
    REQUIRE(memory.admit(request_of(config)));
  CHECK(memory.held(1, owner::cache).held.value() == most * 5005 * 64);
  full = taken();
  CHECK_FALSE(memory.admit(request_of(config)));
  CHECK(taken() == full);
  CHECK(memory.most_requests() == most);  // a property of the workload, not of the moment
  memory.retire(request_of(config));
  CHECK(memory.admit(request_of(config)));
  for (std::int64_t i = 0; i < most; ++i)
    memory.retire(request_of(config));
  CHECK(taken() == empty);
}

TEST_CASE("weights, code and buffers are where the plan puts them, byte by byte") {
  auto config = tiny_chain(tiny_dense());
  config.link.receive_buffer_bytes = 10240;
  const auto plan = plan_chain(config);
  chain_memory memory(config, plan);
  CHECK(memory.held(1, owner::weights).held.value() == 57600);
  CHECK(memory.held(3, owner::weights).held.value() == 2 * (6400 + 64));
  CHECK(memory.held(0, owner::weights).held.value() == 2 * 6400);
  for (std::size_t w = 0; w < plan.wafers; ++w) {
    CHECK(memory.wafer(w).held(owner::code).held.value() == 24 * 1024);
    CHECK(memory.wafer(w).held(owner::buffers).held.value() == 10240 + memory.held(w, owner::buffers).held.value());
  }
}

TEST_CASE("with drafts a recurrent layer keeps its state twice, and others keep what they did") {
  auto config = tiny_chain(tiny_dense());
  const auto model = model::read_model(std::string(SCRIBELINE_SOURCE_DIR) + "/models/kimi-k3.json");
  const auto plan = plan::make_plan(model);
  const auto& recurrent = plan[2];
  const auto& latent = plan[4];
  const auto without = config.kept_by_request(recurrent, 1000).total();
  CHECK(without.value() == 6291456 + 221184);
  const auto cache = config.kept_by_request(latent, 1000).total();
  config.load.acceptance = {0.8};
  CHECK(config.kept_by_request(recurrent, 1000).total() == without + without);
  CHECK(config.kept_by_request(latent, 1000).total() == cache);
}
