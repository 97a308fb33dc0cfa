#include <catch2/catch.hpp>
#include <filesystem>

#include "firmware_stubs/accelerator_kernels/sharding.h"
#include "rtl_tlm/base/error.h"
#include "tests/unit/accelerator_kernels/spread.h"
#include "tests/unit/plan/planned.h"

using namespace scribeline;
using namespace scribeline::accelerator_kernels;

namespace {

std::int64_t weights_of_rank(const planned::planned_model& m, const parallelism& p) {
  std::int64_t bytes = 0;
  for (const auto& layer : m.plan)
    bytes += plan::weight_bytes(rank_share(layer, p)).value();
  return bytes;
}

double cache_of_rank(const planned::planned_model& m, const parallelism& p) {
  double bytes = 0;
  for (const auto& layer : m.plan)
    bytes += static_cast<double>(plan::request_bytes(rank_share(layer, p), 8192).total().value());
  return bytes;
}

}  // namespace

TEST_CASE("every product of every model can be split over ranks, and one rank has it whole") {
  for (const auto& file : std::filesystem::directory_iterator(std::string(SCRIBELINE_SOURCE_DIR) + "/models")) {
    if (file.path().extension() != ".json") continue;
    CAPTURE(file.path().stem().string());
    const auto m = planned::from_models(file.path().stem().string());
    CHECK(weights_of_rank(m, spread(1)) == [&] {
      std::int64_t bytes = 0;
      for (const auto& layer : m.plan)
        bytes += plan::weight_bytes(layer).value();
      return bytes;
    }());
    const double whole = static_cast<double>(weights_of_rank(m, spread(1)));
    const double eighth = static_cast<double>(weights_of_rank(m, spread(8)));
    CHECK(eighth >= whole / 8);
    CHECK(eighth <= whole / 8 * 1.15);  // what is on every rank is small
    CHECK(cache_of_rank(m, spread(8)) <= cache_of_rank(m, spread(1)));
  }
}

TEST_CASE("grouped attention is split by heads, keys and values as far as there are heads for them") {
  const auto m = planned::from_models("llama-3.1-70b");  // 64 heads, 8 key-value heads of 128, hidden 8192
  const auto share = [&](std::int64_t tensor) { return rank_share(m.layer(0), spread(tensor)); };
  CHECK(planned::op(share(8), "q_proj").outputs == 1024);
  CHECK(planned::op(share(8), "k_proj").outputs == 128);
  CHECK(planned::op(share(16), "k_proj").outputs == 128);
  CHECK(planned::op(share(16), "q_proj").outputs == 512);
  CHECK(planned::op(share(8), "o_proj").inputs == 1024);
  CHECK(planned::op(share(8), "o_proj").outputs == 8192);
  CHECK(planned::op(share(8), "score_and_value").heads == 8);
  CHECK(planned::op(share(8), "score_and_value").cache_entry_bytes.value() == 2 * 128 * 2);
  CHECK(planned::op(share(16), "score_and_value").cache_entry_bytes.value() == 2 * 128 * 2);
  CHECK(planned::op(share(8), "kv_append").cache_entry_bytes.value() == 2 * 128 * 2);
  CHECK(planned::op(share(8), "down_proj").weight_bytes.value() == 8192 * 28672 / 8 * 2);
}

TEST_CASE("latent attention keeps its cache and its low-rank projections on every rank") {
  const auto m = planned::from_models("deepseek-v3");
  const auto mine = rank_share(m.layer(5), spread(8));
  const auto& whole = m.layer(5);
  CHECK(planned::op(mine, "q_a_proj").weight_bytes == planned::op(whole, "q_a_proj").weight_bytes);
  CHECK(planned::op(mine, "score_and_value").heads == 16);
  CHECK(planned::op(mine, "score_and_value").cache_entry_bytes ==
        planned::op(whole, "score_and_value").cache_entry_bytes);
  CHECK(planned::op(mine, "absorb_key").copies == 16);
  CHECK(plan::request_bytes(mine, 8192).total() == plan::request_bytes(whole, 8192).total());
}

TEST_CASE("experts are split in width, dealt to ranks, or both") {
  const auto m = planned::from_models("deepseek-v3");  // 256 experts, width 2048
  const auto gate = [&](const parallelism& p) { return planned::op(rank_share(m.layer(5), p), "experts_gate_up"); };
  const auto down = [&](const parallelism& p) { return planned::op(rank_share(m.layer(5), p), "experts_down"); };
  const double whole = static_cast<double>(gate(spread(1)).weight_bytes.value());
  CHECK(gate(spread(8)).copies == 256);
  CHECK(gate(spread(8)).outputs == 2 * 2048 / 8);
  CHECK(down(spread(8)).inputs == 2048 / 8);
  CHECK(gate(spread(8)).weight_bytes.value() == Approx(whole / 8).epsilon(1e-6));
  CHECK(gate(spread(8, 1, 8)).copies == 32);
  CHECK(gate(spread(8, 1, 8)).outputs == 2 * 2048);
  CHECK(gate(spread(8, 1, 4)).copies == 64);
  CHECK(gate(spread(8, 1, 4)).outputs == 2048);
  CHECK(gate(spread(1, 72, 72)).copies == 4);  // of 3.6: the fullest rank
  CHECK(gate(spread(1, 72, 72)).active_copies == 8);
  CHECK(gate(spread(8, 1, 4)).weight_bytes.value() == Approx(whole / 8).epsilon(1e-6));
}

TEST_CASE("recurrent state is split by heads") {
  const auto m = planned::from_models("nemotron-3-super");
  const double whole = cache_of_rank(m, spread(1));
  CHECK(cache_of_rank(m, spread(2)) == Approx(whole / 2).epsilon(0.01));
}

TEST_CASE("an unknown product is refused by name") {
  plan::operation op;
  op.name = "mystery_proj";
  CHECK_THROWS_WITH(sharding_of(op), Catch::Contains("mystery_proj"));
}

TEST_CASE("spreads that cannot be say what would be right") {
  CHECK(spread(8, 1, 3).problem() != "");
  CHECK(spread(2, 4, 4).problem() != "");
  CHECK(spread(8, 1, 4).problem() == "");
  CHECK(spread(2, 4, 8).problem() == "");
  CHECK(spread(2, 4, 1).problem() == "");
}
