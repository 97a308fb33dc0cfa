// A prompt through a tiny model at once, then decode, on a mesh of 16 x 16 cores against the host and against decode.
#include <catch2/catch.hpp>

#include "tests/unit/kernels/prompted_decoder.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

void check_prompt(std::uint64_t seed, int layers, const grouped_attention_dimensions& d, int most_tokens, int length) {
  INFO("seed " << seed << ", " << layers << " layers, " << d.kv_heads << " key-value heads, prompt of " << length
               << " of " << most_tokens);
  prompted_decoder model(seed, layers, d, most_tokens);
  std::vector<vector> tokens;
  for (int position = 0; position < length + 2; ++position)
    tokens.push_back(random_vector(seed + 100 + static_cast<std::uint64_t>(position), prompted_decoder::hidden));
  const std::vector<vector> prompt(tokens.begin(), tokens.begin() + length);
  mesh_machine mesh(fabric::wse2_chip(), prompted_decoder::side, prompted_decoder::side);
  model.load(mesh);
  CHECK(model.prefill(mesh, prompt).value() > 0);
  // The same prompt, token by token.
  mesh_machine decoding(fabric::wse2_chip(), prompted_decoder::side, prompted_decoder::side);
  model.load(decoding);
  vector last;
  for (int position = 0; position < length; ++position) {
    INFO("token " << position);
    last = model.on_host(prompt[static_cast<std::size_t>(position)], position);
    CHECK(worst_difference(read_prompt_token(mesh, model.prompt, position), last) < tolerance);
    model.decode(decoding, prompt[static_cast<std::size_t>(position)], position);
  }
  // The first token of the answer comes from the last one of the prompt.
  model.hand_over_last(mesh, length);
  const vector first_logits = model.logits(mesh, 3);
  CHECK(worst_difference(first_logits, model.logits_on_host(last)) < tolerance);
  CHECK(worst_difference(first_logits, model.logits(decoding, 4)) < tolerance);
  for (int position = length; position < length + 2; ++position) {
    INFO("token " << position);
    const vector& token = tokens[static_cast<std::size_t>(position)];
    model.decode(mesh, token, position);
    model.decode(decoding, token, position);
    const vector logits = model.logits(mesh, position % prompted_decoder::side);
    CHECK(worst_difference(logits, model.logits_on_host(model.on_host(token, position))) < tolerance);
    CHECK(worst_difference(logits, model.logits(decoding, 0)) < tolerance);
  }
}

}  // namespace

TEST_CASE("decode after a prompt gives the logits of the host and of decode alone") {
  check_prompt(31, 2, {2, 2, 16, prompted_decoder::positions}, 32, 20);
}

TEST_CASE("a token handed over is known to whole rows, wherever it was") {
  constexpr int hidden = prompted_decoder::hidden;
  constexpr int side = prompted_decoder::side;
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
  constexpr int hidden = prompted_decoder::hidden;
  constexpr int side = prompted_decoder::side;
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  prompt_stream prompt(hidden, 32, side, fp16, 1e-5, sram);
  const grouped_attention odd({1, 1, 16, 32}, stream, sram);
  CHECK_THROWS_WITH(prompt_attention(odd.slice, prompt, sram), Catch::Contains("rotary embedding turns pairs"));
  const grouped_attention small({2, 1, 16, 16}, stream, sram);
  CHECK_THROWS_WITH(prompt_attention(small.slice, prompt, sram), Catch::Contains("whose cache has 1 positions"));
  const grouped_attention decode({2, 1, 16, 32}, stream, sram);
  const prompt_attention attention(decode.slice, prompt, sram);
  CHECK_THROWS_WITH(attention.steps(3, prompt, fabric::wse2_chip()), Catch::Contains("need take_buffers()"));
  prompt.take_buffers(sram);
  CHECK_THROWS_WITH(prompt_feed_forward(64, prompt, sram), Catch::Contains("before take_buffers()"));
  CHECK_THROWS_WITH(attention.steps(33, prompt, fabric::wse2_chip()), Catch::Contains("room for 1 to 32"));
  CHECK_THROWS_WITH(hand_over(fabric::wse2_chip(), prompt, stream, 32), Catch::Contains("token 32"));
}

TEST_CASE("prompts shorter than a column, that fill it, that fill every place") {
  for (const int length : {1, 5, 16, 32})
    check_prompt(32, 1, {2, 2, 16, prompted_decoder::positions}, 32, length);
}

TEST_CASE("prompts with one key-value head, with one query each, and with three tokens a core") {
  check_prompt(33, 1, {1, 2, 32, prompted_decoder::positions}, 16, 9);
  check_prompt(34, 1, {4, 1, 8, prompted_decoder::positions}, 16, 16);
  check_prompt(35, 1, {2, 1, 16, prompted_decoder::positions}, 48, 37);
}
