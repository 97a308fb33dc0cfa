// Tiny models on a mesh of 16 x 16 cores against plain computations on the host.
#include <catch2/catch.hpp>

#include "firmware_stubs/tiny_model/tiny_recurrent.h"
#include "tests/unit/kernels/tiny_logits.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

TEST_CASE("two layers of grouped attention and dense feed-forward give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  for (const std::uint64_t layer : {1u, 2u}) {
    m.add<tiny_grouped_attention>(1000 * layer, grouped_attention_dimensions{2, 2, 16, positions}, stream, sram);
    m.add<tiny_feed_forward>(1000 * layer + 500, 128, stream, sram);
  }
  check_logits(m, stream, sram, 7);
}

TEST_CASE("two layers of latent attention with a dense and an expert block give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  const latent_attention_dimensions d{4, 32, 32, 1 / std::sqrt(48.0), positions};
  m.add<tiny_latent_attention>(3000, d, stream, sram);
  m.add<tiny_feed_forward>(3500, 128, stream, sram);
  m.add<tiny_latent_attention>(4000, d, stream, sram);
  m.add<tiny_experts>(4500, expert_dimensions{8, 2, 32, 4}, stream, sram);
  check_logits(m, stream, sram, 11);
}

TEST_CASE("a state-space layer between grouped attention and experts gives the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  m.add<tiny_state_space>(5000, state_space_dimensions{64, 16}, stream, sram);
  m.add<tiny_experts>(5500, expert_dimensions{8, 2, 32, 8}, stream, sram);
  m.add<tiny_grouped_attention>(6000, grouped_attention_dimensions{2, 2, 16, positions}, stream, sram);
  check_logits(m, stream, sram, 13);
}
