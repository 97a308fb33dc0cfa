#include <catch2/catch.hpp>

#include "rtl_tlm/base/error.h"
#include "tests/unit/asic_rack/small_rack.h"

using namespace scribeline;
using namespace scribeline::platforms;

TEST_CASE("a rank holds its share of the weights and the cache of the whole batch at its longest") {
  rack_config c = rack_of("models/llama-3.1-70b.json", 8);
  c.load.users = 3;
  c.load.prompt_tokens = 1000;
  c.load.output_tokens = 24;
  const rack_plan plan = plan_rack(c);
  REQUIRE(plan.stages.size() == 1);
  const rank_memory& m = plan.stages[0].memory;
  CHECK(m.weights.value() == Approx(70.55e9 * 2 / 8).epsilon(0.001));
  CHECK(m.one_request.value() == 1024 * 80 * 2 * 128 * 2);  // one key-value head of 128 per rank
  CHECK(m.cache.value() == 3 * m.one_request.value());
}

TEST_CASE("stages cover the model in order, each with about as many bytes") {
  rack_config c = rack_of("models/llama-3.1-70b.json", 2);
  for (const std::int64_t stages : {2, 3, 7, 82}) {
    CAPTURE(stages);
    c.spread.pipeline = stages;
    const rack_plan plan = plan_rack(c);
    REQUIRE(plan.stages.size() == static_cast<std::size_t>(stages));
    std::size_t next = 0;
    double most = 0, whole = 0;
    for (const rack_stage& stage : plan.stages) {
      CHECK(stage.first_layer == next);
      CHECK_FALSE(stage.layers.empty());
      next += stage.layers.size();
      const double bytes = static_cast<double>(stage.memory.weights.value());
      most = std::max(most, bytes);
      whole += bytes;
    }
    CHECK(next == plan.layers.size());
    if (stages <= 7) CHECK(most < 1.15 * whole / static_cast<double>(stages));
  }
}

TEST_CASE("more stages than layers, groups larger than the domain and spreads that cannot be are refused") {
  rack_config c = rack_of("models/llama-3.1-8b.json", 2);
  c.spread.pipeline = 35;
  CHECK_THROWS_AS(plan_rack(c), base::bad_input);
  c.spread.pipeline = 1;
  c.spread.tensor = 256;
  CHECK_THROWS_AS(plan_rack(c), base::bad_input);
  c.spread.tensor = 8;
  c.spread.expert = 3;
  CHECK_THROWS_AS(plan_rack(c), base::bad_input);
}

TEST_CASE("what does not fit names the rank, and the most requests that fit do fit") {
  rack_config c = rack_of("models/llama-3.1-70b.json", 1);
  c.load.prompt_tokens = 8192;
  const std::int64_t most = most_requests(c, plan_rack(c));
  c.load.users = static_cast<std::uint64_t>(most);
  CHECK_NOTHROW(plan_rack(c));
  c.load.users += 1;
  CHECK_THROWS_WITH(plan_rack(c), Catch::Contains("rank 0") && Catch::Contains("GB of HBM are available"));
  CHECK_THROWS_AS(plan_rack(c), base::does_not_fit);
}

TEST_CASE("a mixture of experts spreads over replicas of the attention") {
  rack_config c = rack_of("models/deepseek-v3.json", 1);
  c.spread.data = c.spread.expert = 64;
  c.load.users = 128;
  const rack_plan plan = plan_rack(c);
  // 4 of 256 experts, everything else whole.
  const double experts = 58 * 256 * 3 * 7168.0 * 2048 * (1 + 4.0 / (128 * 128));  // a scale for each block
  CHECK(plan.stages[0].memory.weights.value() ==
        Approx(static_cast<double>(plan::weight_bytes(plan.layers).value()) - experts * 63 / 64).epsilon(1e-5));
  CHECK(plan.stages[0].memory.cache.value() == 2 * plan.stages[0].memory.one_request.value());
}
