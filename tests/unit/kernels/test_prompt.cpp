// A prompt through a tiny model at once, then decode, on a mesh of 16 x 16 cores against the host and against decode.
#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/prompt_hand_over.h"
#include "firmware_stubs/kernels/vocabulary_head.h"
#include "tests/unit/kernels/tiny_prompt.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

constexpr int side = 16;
constexpr int hidden = 64;
constexpr int width = 128;
constexpr int vocabulary = 96;
constexpr int positions = 48;

// As in test_tiny_transformer.cpp.
constexpr double tolerance = 0.03;

double worst_difference(const vector& a, const vector& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Layers of attention and feed-forward that decode, and the same ones for prompts, in the same SRAM.
struct tiny_decoder {
  tiny_decoder(std::uint64_t seed_, int layers, const grouped_attention_dimensions& d, int most_tokens)
      : seed(seed_),
        sram(fp16),
        stream(hidden, side, side, fp16, 1e-5, sram),
        prompt(hidden, most_tokens, side, fp16, 1e-5, sram),
        head(vocabulary, stream, sram),
        final_norm(random_vector(seed + 1, hidden, 0.2, 1)),
        head_weights(seed + 2, hidden, vocabulary) {
    for (int layer = 0; layer < layers; ++layer) {
      const std::uint64_t of_layer = seed + 1000 * static_cast<std::uint64_t>(layer + 1);
      auto attention = std::make_unique<tiny_grouped_attention>(of_layer, d, stream, sram);
      prompt_blocks.push_back(std::make_unique<tiny_prompt_attention>(of_layer, d, attention->block(), prompt, sram));
      blocks.push_back(std::move(attention));
      blocks.push_back(std::make_unique<tiny_feed_forward>(of_layer + 500, width, stream, sram));
      prompt_blocks.push_back(std::make_unique<tiny_prompt_feed_forward>(of_layer + 500, width, prompt, sram));
    }
    prompt.take_buffers(sram);
    REQUIRE(sram.used() <= fabric::wse2_chip().sram_bytes);
  }

  vector token(int position) const { return random_vector(seed + 100 + static_cast<std::uint64_t>(position), hidden); }
  void load(mesh_machine& mesh) const {
    for (const auto& block : blocks)
      block->load(mesh);
    for (const auto& block : prompt_blocks)
      block->load(mesh);
    write_along_rows(mesh, head.norm_weights, stream.elements, final_norm);
    write_from_rows(mesh, head.weights, stream.elements, head.tokens, head_weights,
                    [&](int column, int o) { return column * head.tokens + o; });
  }
  base::cycles prefill(mesh_machine& mesh, int length) const {
    std::vector<vector> tokens;
    for (int position = 0; position < length; ++position)
      tokens.push_back(token(position));
    write_prompt(mesh, prompt, tokens);
    base::cycles cycles;
    for (const auto& block : prompt_blocks)
      cycles = cycles + block->run(mesh, length);
    return cycles;
  }
  // Of the token whose activation is split along the rows, read in some row.
  vector logits(mesh_machine& mesh, int row) const {
    mesh.run(head.logits_kernels(stream));
    vector logits;
    for (int column = 0; column < side; ++column)
      for (const double l : mesh.read({column, row}, head.logits, fp16, head.tokens))
        logits.push_back(l);
    return logits;
  }
  vector decode(mesh_machine& mesh, int position) const {
    write_along_rows(mesh, stream.activation, stream.elements, token(position));
    for (const auto& block : blocks)
      block->run(mesh, position);
    return logits(mesh, position % side);
  }
  // The activation behind the last layer.
  vector on_host(int position) {
    vector x = token(position);
    for (const auto& block : blocks)
      x = sum(x, block->on_host(x, position));
    return x;
  }
  vector logits_on_host(const vector& x) const { return head_weights.times(normed(x, final_norm, stream.epsilon)); }

  std::uint64_t seed;
  address_counter sram;
  residual_stream stream;
  prompt_stream prompt;
  vocabulary_head head;
  vector final_norm;
  matrix head_weights;
  std::vector<std::unique_ptr<tiny_block>> blocks;
  std::vector<std::unique_ptr<tiny_prompt_block>> prompt_blocks;
};

void check_prompt(std::uint64_t seed, int layers, const grouped_attention_dimensions& d, int most_tokens, int length) {
  INFO("seed " << seed << ", " << layers << " layers, " << d.kv_heads << " key-value heads, prompt of " << length
               << " of " << most_tokens);
  tiny_decoder model(seed, layers, d, most_tokens);
  mesh_machine mesh(fabric::wse2_chip(), side, side);
  model.load(mesh);
  const base::cycles prefill = model.prefill(mesh, length);
  CHECK(prefill.value() > 0);
  vector last;
  for (int position = 0; position < length; ++position) {
    INFO("token " << position);
    last = model.on_host(position);
    CHECK(worst_difference(read_prompt_token(mesh, model.prompt, position), last) < tolerance);
  }
  // The first token of the answer comes from the last one of the prompt.
  mesh.run(hand_over(fabric::wse2_chip(), model.prompt, model.stream, length - 1));
  CHECK(worst_difference(model.logits(mesh, 3), model.logits_on_host(last)) < tolerance);
  // Decode goes on from the cache, on this mesh and on one that decoded the prompt, too.
  mesh_machine decoding(fabric::wse2_chip(), side, side);
  model.load(decoding);
  for (int position = 0; position < length; ++position)
    model.decode(decoding, position);
  for (int position = length; position < length + 2; ++position) {
    INFO("token " << position);
    const vector logits = model.decode(mesh, position);
    CHECK(worst_difference(logits, model.logits_on_host(model.on_host(position))) < tolerance);
    CHECK(worst_difference(logits, model.decode(decoding, position)) < tolerance);
  }
}

}  // namespace

TEST_CASE("decode after a prompt gives the logits of the host and of decode alone") {
  check_prompt(31, 2, {2, 2, 16, positions}, 32, 20);
}

TEST_CASE("a token handed over is known to whole rows, wherever it was") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  const prompt_stream prompt(hidden, 48, side, fp16, 1e-5, sram);
  mesh_machine mesh(fabric::wse2_chip(), side, side);
  std::vector<vector> tokens;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    tokens.push_back(random_vector(seed, hidden));
  write_prompt(mesh, prompt, tokens);
  for (const int token : {0, 7, 15, 16, 39}) {
    mesh.run(hand_over(fabric::wse2_chip(), prompt, stream, token));
    for (int row = 0; row < side; ++row)
      for (int column = 0; column < side; ++column)
        CHECK(mesh.read({column, row}, stream.activation, fp16, stream.elements) ==
              slice(tokens[static_cast<std::size_t>(token)], row * stream.elements, stream.elements));
  }
}

TEST_CASE("prompts that the streams and caches have no place for are refused") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  prompt_stream prompt(hidden, 32, side, fp16, 1e-5, sram);
  const grouped_attention odd({1, 1, 16, 32}, stream, sram);
  CHECK_THROWS_WITH(prompt_attention(odd.slice, prompt, sram), Catch::Contains("rotary embedding turns pairs"));
  const grouped_attention small({2, 1, 16, 16}, stream, sram);
  CHECK_THROWS_WITH(prompt_attention(small.slice, prompt, sram), Catch::Contains("whose cache has 1 positions"));
  const grouped_attention decode({2, 1, 16, 32}, stream, sram);
  const prompt_attention attention(decode.slice, prompt, sram);
  prompt.take_buffers(sram);
  CHECK_THROWS_WITH(attention.steps(33, prompt, fabric::wse2_chip()), Catch::Contains("room for 1 to 32"));
  CHECK_THROWS_WITH(hand_over(fabric::wse2_chip(), prompt, stream, 32), Catch::Contains("token 32"));
}

TEST_CASE("prompts shorter than a column, that fill it, that fill every place") {
  for (const int length : {1, 5, 16, 32})
    check_prompt(32, 1, {2, 2, 16, positions}, 32, length);
}

TEST_CASE("prompts with one key-value head, with one query each, and with three tokens a core") {
  check_prompt(33, 1, {1, 2, 32, positions}, 16, 9);
  check_prompt(34, 1, {4, 1, 8, positions}, 16, 16);
  check_prompt(35, 1, {2, 1, 16, positions}, 48, 37);
}
