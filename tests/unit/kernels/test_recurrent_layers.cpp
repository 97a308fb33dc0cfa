#include "firmware_stubs/tiny_model/tiny_recurrent.h"
#include "tests/unit/kernels/tiny_logits.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

TEST_CASE("a short convolution remembers the last inputs of every channel") {
  for (const int taps : {2, 3, 4, 5}) {
    constexpr int channels = 9;
    address_counter sram(fp16);
    const int data = sram.take(channels);
    const short_convolution kernel(channels, taps, fp16, sram);
    tiny_convolution reference(20, channels, taps);
    mesh_machine mesh(fabric::wse2_chip(), 2, 1);
    reference.load(mesh, kernel, [](fabric::coordinate, int c) { return c; });
    mesh_kernel convolve;
    kernel.add(convolve.before, data);
    for (int token = 0; token < 2 * taps; ++token) {
      const vector x = random_vector(30 + static_cast<std::uint64_t>(token), channels);
      mesh.write({1, 0}, data, fp16, x);
      mesh.run(convolve);
      const vector expected = reference.on_host(x);
      const vector got = mesh.read({1, 0}, data, fp16, channels);
      INFO(taps << " taps, token " << token);
      for (int c = 0; c < channels; ++c)
        CHECK(got[static_cast<std::size_t>(c)] == Approx(expected[static_cast<std::size_t>(c)]).margin(0.004));
    }
  }
}

TEST_CASE("a convolution needs a past") {
  address_counter sram(fp16);
  CHECK_THROWS_WITH(short_convolution(4, 1, fp16, sram), Catch::Contains("two at least"));
}

TEST_CASE("delta nets of both kinds follow the recurrence for any shape") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    base::random_stream random(seed);
    const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<int>(random.below(n)); };
    delta_net_dimensions d;
    d.rule = seed % 2 == 0 ? delta_rule::kimi : delta_rule::gated;
    d.heads = 1 << random.below(3);
    d.values_per_head = up_to(2);
    d.key_width = 4 + up_to(9);
    d.value_width = 4 + up_to(9);
    d.taps = 1 + up_to(3);
    const int rows = 2 * up_to(3);
    address_counter sram(fp16);
    const residual_stream stream(20, 4, rows, fp16, 1e-5, sram);
    tiny_delta_net block(100 * seed, d, stream, sram);
    mesh_machine mesh(fabric::wse2_chip(), 4, rows);
    INFO("seed " << seed << ": " << d.heads << " x " << d.values_per_head << " heads, keys " << d.key_width
                 << ", values " << d.value_width << ", rows " << rows);
    check_block(block, mesh, stream, 12, 200 * seed);
  }
}

TEST_CASE("layers of both delta rules between attention and experts give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  m.add<tiny_delta_net>(11000, delta_net_dimensions{delta_rule::gated, 2, 2, 16, 16, 4}, stream, sram);
  m.add<tiny_experts>(11500, expert_dimensions{8, 2, 32, 8}, stream, sram);
  m.add<tiny_delta_net>(12000, delta_net_dimensions{delta_rule::kimi, 4, 1, 16, 16, 4}, stream, sram);
  m.add<tiny_grouped_attention>(12500, grouped_attention_dimensions{2, 2, 16, positions}, stream, sram);
  m.add<tiny_feed_forward>(13000, 128, stream, sram);
  check_logits(m, stream, sram, 23);
}

TEST_CASE("a state-space layer with a short convolution gives the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  m.add<tiny_state_space>(14000, state_space_dimensions{64, 16, 4}, stream, sram);
  m.add<tiny_feed_forward>(14500, 128, stream, sram);
  m.add<tiny_state_space>(15000, state_space_dimensions{64, 12, 4}, stream, sram);
  m.add<tiny_feed_forward>(15500, 128, stream, sram);
  check_logits(m, stream, sram, 29);
}
