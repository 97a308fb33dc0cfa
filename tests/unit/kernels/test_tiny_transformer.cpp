// Tiny models on a mesh of 16 x 16 cores against plain computations on the host.
#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/tiny_model/tiny_blocks.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

namespace {

constexpr int side = 16;
constexpr int hidden = 64;
constexpr int vocabulary = 96;
constexpr int tokens = 20;  // more than rows: the cache goes round them once
constexpr int positions = 32;

struct model {
  std::vector<std::unique_ptr<tiny_block>> blocks;
  tiny_experts* experts = nullptr;

  template <class Block, class Dimensions>
  Block* add(std::uint64_t seed, const Dimensions& d, const residual_stream& stream, address_counter& sram) {
    auto block = std::make_unique<Block>(seed, d, stream, sram);
    Block* made = block.get();
    blocks.push_back(std::move(block));
    return made;
  }
};

// Logits are sums of products of numbers of size one that carry errors of fp16 through the whole model: about a
// hundred roundings of 2^-11, which add up like a random walk.
constexpr double tolerance = 0.03;

void check_logits(model& m, const residual_stream& stream, address_counter& sram, std::uint64_t seed) {
  const int final_norm_address = sram.take(stream.elements);
  const int logits = base::ceil_div(vocabulary, side);
  const int head_address = sram.take(stream.elements * logits);
  const int logits_address = sram.take(logits);
  REQUIRE(sram.used() <= fabric::wse2_chip().sram_bytes);
  const vector final_norm = random_vector(seed + 1, hidden, 0.2, 1);
  const matrix head(seed + 2, hidden, vocabulary);

  mesh_machine mesh(fabric::wse2_chip(), side, side);
  for (const auto& block : m.blocks)
    block->load(mesh);
  write_along_rows(mesh, final_norm_address, stream.elements, final_norm);
  write_from_rows(mesh, head_address, stream.elements, logits, head,
                  [&](int column, int o) { return column * logits + o; });
  const std::vector<mesh_kernel> head_kernels = {
      stream.norm("final norm", final_norm_address),
      gemv("head", {{stream.elements, logits, head_address, stream.normalised, logits_address, fp16}},
           collectives::axis::column)};
  for (int position = 0; position < tokens; ++position) {
    vector x = random_vector(seed + 100 + static_cast<std::uint64_t>(position), hidden);
    write_along_rows(mesh, stream.activation, stream.elements, x);
    for (const auto& block : m.blocks) {
      block->run(mesh, position);
      x = sum(x, block->on_host(x, position));
    }
    mesh.run(head_kernels);
    const vector expected = head.times(normed(x, final_norm, stream.epsilon));
    if (m.experts != nullptr) REQUIRE(m.experts->closest_call() > 0.004);
    double worst = 0;
    for (int o = 0; o < vocabulary; ++o) {
      // All rows know the logits of their column.
      const int row = (o + position) % side;
      const double got =
          mesh.read({o / logits, row}, logits_address, fp16, logits)[static_cast<std::size_t>(o % logits)];
      worst = std::max(worst, std::abs(got - expected[static_cast<std::size_t>(o)]));
    }
    INFO("token " << position << ", seed " << seed);
    CHECK(worst < tolerance);
  }
}

}  // namespace

TEST_CASE("two layers of grouped attention and dense feed-forward give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  model m;
  for (const std::uint64_t layer : {1u, 2u}) {
    m.add<tiny_grouped_attention>(1000 * layer, grouped_attention_dimensions{2, 2, 16, positions}, stream, sram);
    m.add<tiny_feed_forward>(1000 * layer + 500, 128, stream, sram);
  }
  check_logits(m, stream, sram, 7);
}

TEST_CASE("two layers of latent attention with a dense and an expert block give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  model m;
  const latent_attention_dimensions d{4, 32, 32, 1 / std::sqrt(48.0), positions};
  m.add<tiny_latent_attention>(3000, d, stream, sram);
  m.add<tiny_feed_forward>(3500, 128, stream, sram);
  m.add<tiny_latent_attention>(4000, d, stream, sram);
  m.experts = m.add<tiny_experts>(4500, expert_dimensions{8, 2, 32, 4}, stream, sram);
  check_logits(m, stream, sram, 11);
}

TEST_CASE("a state-space layer between grouped attention and experts gives the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  model m;
  m.add<tiny_state_space>(5000, state_space_dimensions{64, 16}, stream, sram);
  m.experts = m.add<tiny_experts>(5500, expert_dimensions{8, 2, 32, 8}, stream, sram);
  m.add<tiny_grouped_attention>(6000, grouped_attention_dimensions{2, 2, 16, positions}, stream, sram);
  check_logits(m, stream, sram, 13);
}
