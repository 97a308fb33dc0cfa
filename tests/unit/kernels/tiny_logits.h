// A tiny model of any blocks on a mesh of 16 x 16 cores: its logits against those of a plain computation on the host.
// And single blocks on meshes of any size.
#pragma once

#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/tiny_model/tiny_attention.h"
#include "firmware_stubs/tiny_model/tiny_feed_forward.h"
#include "tests/unit/kernels/logit_tolerance.h"

namespace scribeline::kernels::test {

using namespace tiny_model;

inline constexpr int side = 16;
inline constexpr int hidden = 64;
inline constexpr int vocabulary = 96;
inline constexpr int tokens = 20;  // more than rows: the cache goes round them once
inline constexpr int positions = 32;

struct block_stack {
  std::vector<std::unique_ptr<tiny_block>> blocks;

  template <class Block, class Dimensions>
  Block* add(std::uint64_t seed, const Dimensions& d, const residual_stream& stream, address_counter& sram) {
    auto block = std::make_unique<Block>(seed, d, stream, sram);
    Block* made = block.get();
    blocks.push_back(std::move(block));
    return made;
  }
};

inline constexpr double least_call = 0.004;  // the errors of scores are smaller

inline void check_logits(block_stack& m, const residual_stream& stream, address_counter& sram, std::uint64_t seed) {
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
    for (const auto& block : m.blocks)
      REQUIRE(block->closest_call() > least_call);
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

// What a block of its own leaves, token by token.
inline void check_block(tiny_block& block, mesh_machine& mesh, const residual_stream& stream, int count,
                        std::uint64_t seed) {
  block.load(mesh);
  for (int position = 0; position < count; ++position) {
    const vector x = random_vector(seed + static_cast<std::uint64_t>(position), stream.total);
    write_along_rows(mesh, stream.activation, stream.elements, x);
    block.run(mesh, position);
    const vector expected = sum(x, block.on_host(x, position));
    const vector got = read_activation(mesh, stream);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::abs(got[i] - expected[i]));
    INFO("token " << position << ", seed " << seed);
    CHECK(worst < tolerance);
  }
}

}  // namespace scribeline::kernels::test
