#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "platforms/wafer_chain/chain_memory.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/random.h"
#include "tests/unit/wafer_chain/tiny_chain.h"

using namespace scribeline;
using namespace scribeline::platforms;

namespace {

chain_plan planned(int layers, std::int64_t layers_per_wafer, bool beside) {
  auto config = tiny_chain(tiny_dense(layers));
  config.layers_per_wafer = layers_per_wafer;
  config.embedding_and_head_beside_layers = beside;
  return plan_chain(config);
}

std::vector<std::size_t> stages_by_wafer(const chain_plan& plan) {
  std::vector<std::size_t> counts;
  for (std::size_t w = 0; w < plan.wafers; ++w)
    counts.push_back(plan.stages_of(w).size());
  return counts;
}

using counts = std::vector<std::size_t>;

}  // namespace

TEST_CASE("layers go to wafers in order, embedding and head on wafers of their own") {
  CHECK(stages_by_wafer(planned(5, 1, false)) == counts{1, 1, 1, 1, 1, 1, 1});
  CHECK(stages_by_wafer(planned(5, 2, false)) == counts{1, 2, 2, 1, 1});
  CHECK(stages_by_wafer(planned(5, 4, false)) == counts{1, 4, 1, 1});
  CHECK(stages_by_wafer(planned(5, 100, false)) == counts{1, 5, 1});
}

TEST_CASE("or beside the first and the last layers") {
  CHECK(stages_by_wafer(planned(5, 1, true)) == counts{2, 1, 1, 1, 2});
  CHECK(stages_by_wafer(planned(5, 2, true)) == counts{3, 2, 2});
  CHECK(stages_by_wafer(planned(5, 4, true)) == counts{5, 2});
  CHECK(stages_by_wafer(planned(5, 5, true)) == counts{7});
  CHECK(stages_by_wafer(planned(1, 1, true)) == counts{3});
}

TEST_CASE("stages are in pipeline order, with banks counted from 0 on each wafer") {
  const auto plan = planned(5, 2, true);
  REQUIRE(plan.stages.size() == 7);
  const char* names[] = {"embedding", "layer 0", "layer 1", "layer 2", "layer 3", "layer 4", "head"};
  const std::size_t wafers[] = {0, 0, 0, 1, 1, 2, 2};
  const std::uint32_t banks[] = {0, 1, 2, 0, 1, 0, 1};
  for (std::size_t s = 0; s < 7; ++s) {
    INFO("stage " << s);
    CHECK(plan.stages[s].layer.name == names[s]);
    CHECK(plan.stages[s].wafer == wafers[s]);
    CHECK(plan.stages[s].bank == banks[s]);
  }
  CHECK(plan.layers_per_wafer == 2);
}

TEST_CASE("blocks lie inside the wafer and apart from each other, regions inside their block") {
  const std::uint64_t seed = 20260806;
  INFO("seed " << seed);
  base::random_stream random(seed);
  for (int i = 0; i < 25; ++i) {
    auto config = tiny_chain(random.below(2) ? tiny_dense(1 + static_cast<int>(random.below(9))) : tiny_experts());
    config.layers_per_wafer = 1 + static_cast<std::int64_t>(random.below(9));
    config.embedding_and_head_beside_layers = random.below(2) != 0;
    config.wafer.columns = 8 + static_cast<std::int64_t>(random.below(50));
    config.wafer.rows = 8 + static_cast<std::int64_t>(random.below(50));
    INFO(config.wafer.columns << " x " << config.wafer.rows << ", " << config.layers_per_wafer << " per wafer");
    const auto plan = plan_chain(config);
    for (std::size_t w = 0; w < plan.wafers; ++w) {
      std::vector<int> owners(static_cast<std::size_t>(config.wafer.cores()), 0);
      for (const std::size_t s : plan.stages_of(w)) {
        const auto& b = plan.stages[s].block;
        REQUIRE(b.columns >= 1);
        REQUIRE(b.rows >= 1);
        REQUIRE(b.column + b.columns <= config.wafer.columns);
        REQUIRE(b.row + b.rows <= config.wafer.rows);
        for (std::uint32_t row = b.row; row < b.row + b.rows; ++row)
          for (std::uint32_t column = b.column; column < b.column + b.columns; ++column)
            ++owners[row * static_cast<std::size_t>(config.wafer.columns) + column];
        const auto r = plan.stages[s].region();
        CHECK(r.row >= b.row);
        CHECK(r.column >= b.column);
        CHECK(r.row + r.rows <= b.row + b.rows);
        CHECK(r.column + r.columns <= b.column + b.columns);
        CHECK(plan.stages[s].placed.map.block.columns == b.columns);
        CHECK(plan.stages[s].placed.map.block.rows == b.rows);
      }
      // Every core belongs to exactly one stage.
      CHECK(std::all_of(owners.begin(), owners.end(), [](int n) { return n == 1; }));
    }
  }
}

TEST_CASE("fit takes as many layers on a wafer as its memory holds, receive buffer included, and no more") {
  for (const std::int64_t bytes : {500, 700, 1000, 2000}) {
    auto config = tiny_chain(tiny_dense(8));
    config.wafer.sram_bytes_per_core = bytes + config.wafer.code_bytes_per_core;
    config.link.receive_buffer_bytes = 64 * 1024;  // 64 B of every core
    config.layers_per_wafer = 0;
    const auto plan = plan_chain(config);
    INFO(bytes << " B per core, " << plan.layers_per_wafer << " layers per wafer");
    CHECK_NOTHROW(chain_memory(config, plan));
    if (plan.layers_per_wafer == 8) continue;
    config.layers_per_wafer = plan.layers_per_wafer + 1;
    const auto more = plan_chain(config);
    CHECK(std::any_of(more.stages.begin(), more.stages.end(), [](const auto& s) { return !s.placed.fits; }));
  }
}

TEST_CASE("what a placement says fits, can be reserved, and the other way round") {
  const std::uint64_t seed = 20260807;
  INFO("seed " << seed);
  base::random_stream random(seed);
  int fitting = 0, not_fitting = 0;
  for (int i = 0; i < 60; ++i) {
    auto config = tiny_chain(random.below(2) ? tiny_dense(3) : tiny_experts());
    config.layers_per_wafer = 1 + static_cast<std::int64_t>(random.below(3));
    config.embedding_and_head_beside_layers = random.below(2) != 0;
    config.wafer.sram_bytes_per_core =
        config.wafer.code_bytes_per_core + 60 + static_cast<std::int64_t>(random.below(900));
    config.link.receive_buffer_bytes = 2048 + static_cast<std::int64_t>(random.below(200000));
    config.load.acceptance.resize(random.below(3));
    config.load.prompt_tokens = 1 + random.below(300);
    const auto plan = plan_chain(config);
    const bool fits = std::all_of(plan.stages.begin(), plan.stages.end(), [](const auto& s) { return s.placed.fits; });
    INFO("case " << i << ", " << config.wafer.sram_bytes_per_core << " B");
    ++(fits ? fitting : not_fitting);
    if (fits)
      CHECK_NOTHROW(chain_memory(config, plan));
    else
      CHECK_THROWS_AS(chain_memory(config, plan), base::does_not_fit);
  }
  CHECK(fitting > 5);
  CHECK(not_fitting > 5);
}

TEST_CASE("more stages than cores to cut are refused") {
  auto config = tiny_chain(tiny_dense(20));
  config.layers_per_wafer = 20;
  config.wafer.columns = 4;
  config.wafer.rows = 4;
  CHECK_THROWS_WITH(plan_chain(config), Catch::Contains("stages cannot share"));
}

TEST_CASE("buffers are planned for the largest pass: a chunk, a short prompt, or a token with its drafts") {
  auto config = tiny_chain(tiny_dense());
  config.load.chunk_tokens = 8;
  config.load.prompt_tokens = 20;
  CHECK(config.most_tokens_per_pass() == 8);
  config.load.prompt_tokens = 3;
  CHECK(config.most_tokens_per_pass() == 3);
  config.load.acceptance = {0.9, 0.9, 0.9, 0.9};
  CHECK(config.most_tokens_per_pass() == 5);
}

TEST_CASE("the largest message is that of the widest stage that ends a wafer") {
  auto config = tiny_chain(tiny_dense());
  auto largest = largest_message_of(config, plan_chain(config));
  CHECK(largest.stage == "embedding");
  CHECK(largest.bytes() == 8 * 64 * 2);
  config.layers_per_wafer = 2;
  config.embedding_and_head_beside_layers = true;
  largest = largest_message_of(config, plan_chain(config));
  CHECK(largest.stage == "head");
  CHECK(largest.bytes() == 8 * 4);
}
