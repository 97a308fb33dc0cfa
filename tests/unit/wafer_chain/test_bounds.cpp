#include <catch2/catch.hpp>

#include "platforms/wafer_chain/bounds.h"
#include "tests/unit/wafer_chain/tiny_chain.h"

using namespace scribeline;
using namespace scribeline::platforms;

namespace {

// A layer of the tiny model multiplies 64 x 64 (queries), 2 x 64 x 16 (keys, values), 64 x 64 (output), 64 x 192 and
// 96 x 64 (feed-forward) times, and 8 heads x (8 + 8) for every position it sees. Weights and norms: 2 B each.
constexpr double layer_macs = 4096 + 2048 + 4096 + 12288 + 6144;
constexpr double macs_per_ns = 1024 * 4;    // cores x peak at 1 GHz
constexpr double bytes_per_ns = 1024 * 16;  // cores x read ports

}  // namespace

TEST_CASE("the bound of a pass, by hand: every message once, every stage at the peak of its binding resource") {
  const auto config = tiny_chain(tiny_dense());
  const auto plan = plan_chain(config);
  const auto bound = bound_of_pass(config, plan, 1, 99);
  // Host to embedding and head to host: 4 B in a padded frame. Embedding, layer 0, layer 1: 128 B onwards.
  CHECK(bound.link_ps == Approx(1000 * (2 * 1006.72 + 3 * 1013.28)).epsilon(1e-12));
  const double layer_ns = (layer_macs + 100 * 128) / macs_per_ns;
  const double head_ns = 6400 / macs_per_ns;
  CHECK(bound.compute_ps == Approx(1000 * (2 * layer_ns + head_ns)).epsilon(1e-12));
  CHECK(bound.sram_ps == Approx(1000 * 128 / bytes_per_ns).epsilon(1e-12));  // one row of the embedding table
  CHECK(bound.slowest_stage == "layer 0");
  CHECK(bound.slowest_stage_ps == Approx(1000 * layer_ns).epsilon(1e-12));
  CHECK(bound.total_ps() == bound.link_ps + bound.compute_ps + bound.sram_ps);
  CHECK(std::string(bound.binds()) == "off-wafer links");
}

TEST_CASE("a stage that reads more than it multiplies is bound by SRAM: weights and cache once, for all tokens") {
  auto config = tiny_chain(tiny_dense());
  config.wafer.vector.peak_fma_fp16_per_cycle = 400;
  config.link.latency_ns = 0;
  const auto plan = plan_chain(config);
  const auto bound = bound_of_pass(config, plan, 3, 97);
  // 100 positions of 2 x 2 x 8 elements of 2 B, and the weights with two norms; the head's with one.
  const double layer_ns = (2 * (layer_macs + 2 * 64) + 100 * 64) / bytes_per_ns;
  const double head_ns = 2 * (6400 + 64) / bytes_per_ns;
  CHECK(bound.compute_ps == 0);
  CHECK(bound.sram_ps > 1000 * (2 * layer_ns + head_ns));
  CHECK(bound.sram_ps < 1000 * (2 * layer_ns + head_ns + 3 * 128 / bytes_per_ns) * (1 + 1e-9));
  CHECK(bound.slowest_stage_ps == Approx(1000 * layer_ns).epsilon(1e-12));
}

TEST_CASE("stages that share a wafer need no message between them") {
  auto config = tiny_chain(tiny_dense());
  config.layers_per_wafer = 2;
  CHECK(bound_of_pass(config, plan_chain(config), 1, 0).link_ps ==
        Approx(1000 * (2 * 1006.72 + 2 * 1013.28)).epsilon(1e-12));
  config.embedding_and_head_beside_layers = true;
  CHECK(bound_of_pass(config, plan_chain(config), 1, 0).link_ps == Approx(1000 * 2 * 1006.72).epsilon(1e-12));
}

TEST_CASE("the least time of a message is what the link takes for it when nothing is in its way") {
  auto link = wafer::small_link();
  link.frame_payload_bytes = 1000;
  for (const int lanes : {1, 3, 12}) {
    link.lanes = lanes;
    for (const std::int64_t bytes : {1, 45, 46, 47, 999, 1000, 1001, 12000, 12001, 100000}) {
      INFO(lanes << " lanes, " << bytes << " B");
      // Frames round to a picosecond each.
      CHECK(least_link_ps(link, bytes) ==
            Approx(base::to_picoseconds(link::zero_load_latency(link, base::bytes{bytes}))).margin(100));
    }
  }
}
