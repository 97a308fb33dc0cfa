#include "tests/unit/kernels/tiny_logits.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

struct placed_attention {
  placed_attention(const grouped_attention_dimensions& d, std::uint64_t seed)
      : stream(12, 4, 4, fp16, 1e-5, sram), block(seed, d, stream, sram), mesh(fabric::wse2_chip(), 4, 4) {}

  address_counter sram{fp16};
  residual_stream stream;
  tiny_grouped_attention block;
  mesh_machine mesh;
};

}  // namespace

TEST_CASE("a window of any length, with and without sinks, keeps the last tokens only") {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    base::random_stream random(seed);
    grouped_attention_dimensions d;
    d.kv_heads = 1 << random.below(3);
    d.queries_per_kv_head = 1 + static_cast<int>(random.below(3));
    d.head_dim = 8;
    d.positions = 1 + static_cast<int>(random.below(9));
    d.sliding = true;
    d.sinks = seed % 2 == 0;
    INFO("seed " << seed << ": " << d.kv_heads << " heads, window of " << d.positions);
    placed_attention placed(d, seed);
    check_block(placed.block, placed.mesh, placed.stream, 2 * d.positions + 3, 100 * seed);
  }
}

TEST_CASE("a sink far below all scores changes nothing, one far above takes all weight") {
  const grouped_attention_dimensions d{2, 1, 8, 8, true, true};
  for (const double sink : {-1000.0, 1000.0}) {
    placed_attention placed(d, 9);
    placed.block.set_sinks({sink, sink});
    placed.block.load(placed.mesh);
    const vector x = random_vector(10, placed.stream.total);
    write_along_rows(placed.mesh, placed.stream.activation, placed.stream.elements, x);
    placed.block.run(placed.mesh, 0);
    // The only position in the window has weight 1 or 0.
    const vector expected = sink < 0 ? sum(x, placed.block.on_host(x, 0)) : x;
    const vector got = read_activation(placed.mesh, placed.stream);
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(std::abs(got[i] - expected[i]) < 0.01);
  }
}

TEST_CASE("layers with a window and sinks between full attention give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  m.add<tiny_grouped_attention>(7000, grouped_attention_dimensions{2, 2, 16, 7, true, true}, stream, sram);
  m.add<tiny_experts>(7500, expert_dimensions{8, 2, 32, 8}, stream, sram);
  m.add<tiny_grouped_attention>(8000, grouped_attention_dimensions{2, 2, 16, positions, false, true}, stream, sram);
  m.add<tiny_feed_forward>(8500, 128, stream, sram);
  check_logits(m, stream, sram, 17);
}
