#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/vocabulary_head.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

namespace {

constexpr int hidden = 64;
constexpr int side = 16;

}  // namespace

TEST_CASE("the head's token is the host's, among tokens that rounding cannot exchange") {
  constexpr int vocabulary = 200;
  const std::uint64_t seed = 900;
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  const vocabulary_head head(vocabulary, stream, sram);
  const vector norm = random_vector(seed, hidden, 0.2, 1);
  const matrix weights(seed + 1, hidden, vocabulary);
  mesh_machine mesh(fabric::wse2_chip(), side, side);
  write_along_rows(mesh, head.norm_weights, stream.elements, norm);
  write_from_rows(mesh, head.weights, stream.elements, head.tokens, weights,
                  [&](int column, int o) { return column * head.tokens + o; });
  head.choice.write_counters(mesh);
  head.choice.write_noise(mesh, 0);
  int clear = 0;
  for (std::uint64_t s = 0; s < 12; ++s) {
    const vector x = random_vector(seed + 10 + s, hidden);
    write_along_rows(mesh, stream.activation, stream.elements, x);
    mesh.run(head.kernels(stream, 0));
    const vector logits = weights.times(normed(x, norm, stream.epsilon));
    const int token = head.choice.chosen(mesh);
    INFO("seed " << seed + 10 + s);
    const double best = *std::max_element(logits.begin(), logits.end());
    CHECK(logits[static_cast<std::size_t>(token)] >= best - 0.02);
    vector sorted = logits;
    std::sort(sorted.rbegin(), sorted.rend());
    if (sorted[0] - sorted[1] < 0.04) continue;
    ++clear;
    CHECK(logits[static_cast<std::size_t>(token)] == best);
  }
  CHECK(clear >= 6);
}

TEST_CASE("logits of other types are refused") {
  address_counter sram(fabric::element_type::fp32);
  const residual_stream stream(hidden, side, side, fabric::element_type::fp32, 1e-5, sram);
  CHECK_THROWS_WITH(vocabulary_head(10, stream, sram), Catch::Contains("logits of fp32"));
}
