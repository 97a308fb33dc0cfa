// The stage behind the head that makes the drafts of speculative decoding.
#include <catch2/catch.hpp>

#include "platforms/wafer_chain/wafer_chain.h"
#include "rtl_tlm/base/error.h"
#include "tests/unit/wafer_chain/tiny_chain.h"

using namespace scribeline;
using namespace scribeline::platforms;

namespace {

chain_config drafting(drafter by, std::vector<double> acceptance) {
  auto config = tiny_chain(tiny_experts());
  config.drafts_by = by;
  config.load.acceptance = std::move(acceptance);
  config.load.output_tokens = 9;
  return config;
}

}  // namespace

TEST_CASE("a module joins behind the head, on a wafer of its own or beside it, when there are drafts to make") {
  auto config = drafting(drafter::module, {0.5, 0.5});
  auto plan = plan_chain(config);
  REQUIRE(plan.stages.size() == 6);
  CHECK(plan.stages.back().layer.what == plan::layer_plan::stage::draft);
  CHECK(plan.wafers == 6);
  // The head sends the token and the hidden state it was made of; the module the tokens to the host.
  CHECK(output_bytes_per_token(plan, 4) == 4 + 64 * 2);
  CHECK(output_bytes_per_token(plan, 5) == 4);
  config.embedding_and_head_beside_layers = true;
  CHECK(plan_chain(config).wafers == 3);
  config.load.acceptance.clear();
  CHECK(plan_chain(config).stages.size() == 5);
}

TEST_CASE("a smaller model is one stage with all its layers, and keeps a cache for each") {
  auto config = drafting(drafter::model, {0.5});
  config.draft_model = tiny_dense(3);
  const auto plan = plan_chain(config);
  const auto& draft = plan.stages.back().layer;
  CHECK(draft.name == "draft tiny_dense");
  CHECK(plan::request_bytes(draft, 10).cache.value() == 3 * 10 * 64);
  CHECK(output_bytes_per_token(plan, 4) == 4);
}

TEST_CASE("a drafter that does not match the model is refused with both") {
  auto config = drafting(drafter::model, {0.5});
  config.draft_model = model::parse_model(
      descriptions::replaced(descriptions::llama(), "\"vocab_size\": 100", "\"vocab_size\": 99"), "odd.json");
  CHECK_THROWS_WITH(plan_chain(config), Catch::Contains("the draft model odd has 99 token numbers, not 100"));
  config = drafting(drafter::module, {0.5});
  config.draft_model = model::parse_model(
      descriptions::replaced(descriptions::llama(), "\"hidden_size\": 64", "\"hidden_size\": 32"), "odd.json");
  CHECK_THROWS_WITH(plan_chain(config), Catch::Contains("the draft module of odd is 32 wide, not 64"));
  config = drafting(drafter::module, {0.5});
  config.model = tiny_dense();
  CHECK_THROWS_WITH(plan_chain(config), Catch::Contains("has no multi-token-prediction module"));
}

TEST_CASE("a draft stage launches once for the tokens of a pass and once for every guess, and the parts still add up") {
  const auto config = drafting(drafter::module, {1, 1, 1});
  const auto plan = plan_chain(config);
  wafer_chain chain("chain", config, plan);
  chain.run(sc_core::sc_time(1, sc_core::SC_MS), [] { return false; });
  REQUIRE(chain.host.done());
  // One token of the prompt, then two passes of four.
  REQUIRE(chain.host.decode_passes() == 2);
  const auto& program = plan.stages.back().placed.program;
  wafer::launch_timing timing(config.wafer);
  const auto cycles = [&](std::size_t first, std::size_t end, const wafer::launch_arguments& arguments) {
    double sum = 0;
    for (std::size_t i = first; i < end; ++i)
      sum += timing.cost_of(program.descriptors[i], arguments).cycles;
    return sum;
  };
  const std::size_t logits = program.first_logit_descriptor, all = program.descriptors.size();
  REQUIRE(logits > 0);
  REQUIRE(logits < all);
  // A single pass of four tokens at 20 positions, with every expert load there can be: the drawn one lies between.
  const auto least = cycles(0, logits, {4, 20, 1, 1}) + cycles(logits, all, {1, 20, 1, 1}) +
                     cycles(0, all, {1, 24, 1, 1}) + cycles(0, all, {1, 25, 1, 1});
  const auto most = cycles(0, logits, {4, 20, 8, 8}) + cycles(logits, all, {1, 20, 2, 2}) +
                    cycles(0, all, {1, 24, 2, 2}) + cycles(0, all, {1, 25, 2, 2});
  const double taken = static_cast<double>(chain.stage(5).decode.launch_ps()) / 2 / 1000;
  CHECK(taken >= least);
  CHECK(taken <= most * 1.01);  // the second pass is four positions further
  std::uint64_t parts = chain.host.decode_return_ps();
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    parts += chain.stage(s).decode.total_ps();
  const auto& r = chain.host.records().front();
  CHECK(parts == r.last_token_ps - r.first_token_ps);
}

TEST_CASE("stages of a wafer hand over from block to block, links meet the wafer's sides") {
  auto config = tiny_chain(tiny_dense(4));
  config.layers_per_wafer = 4;
  const auto plan = plan_chain(config);
  REQUIRE(plan.wafers == 3);
  for (std::size_t s = 1; s <= 4; ++s) {
    INFO("stage " << s);
    const auto& site = plan.stages[s];
    CHECK((site.hops_to_next == 0) == (s == 4));
    CHECK(site.hops_to_next <= 64);
    CHECK((site.placed.map.hops_from_link > 0) == (s == 1));  // the first block is not in the middle of the side
    if (s < 4) CHECK(site.placed.map.hops_to_link == 0);
  }
  // Four quarters of 32 x 32 cores, 1 beside or above 2: their middles are 16 apart, 16 of them inside the blocks.
  CHECK(plan.stages[1].block.cores() == 256);
  CHECK(plan.stages[1].hops_to_next == 1);
}
