// A tiny decoder that takes prompts and decodes on one mesh: layers of grouped attention and dense feed-forward, each
// for one token and for a whole prompt, final norm and head.
#pragma once

#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/prompt_hand_over.h"
#include "firmware_stubs/kernels/vocabulary_head.h"
#include "firmware_stubs/tiny_model/tiny_prompt.h"
#include "tests/unit/kernels/logit_tolerance.h"

namespace scribeline::kernels::test {

using namespace tiny_model;

inline double worst_difference(const vector& a, const vector& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Layers of attention and feed-forward that decode, and the same ones for prompts, in the same SRAM.
struct prompted_decoder {
  static constexpr int side = 16;
  static constexpr int hidden = 64;
  static constexpr int width = 128;
  static constexpr int vocabulary = 96;
  static constexpr int positions = 48;

  prompted_decoder(std::uint64_t seed_, int layers, const grouped_attention_dimensions& d, int most_tokens)
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

  void load(mesh_machine& mesh) const {
    for (const auto& block : blocks)
      block->load(mesh);
    for (const auto& block : prompt_blocks)
      block->load(mesh);
    write_along_rows(mesh, head.norm_weights, stream.elements, final_norm);
    write_from_rows(mesh, head.weights, stream.elements, head.tokens, head_weights,
                    [&](int column, int o) { return column * head.tokens + o; });
    head.choice.write_counters(mesh);
  }
  base::cycles prefill(mesh_machine& mesh, const std::vector<vector>& text) const {
    write_prompt(mesh, prompt, text);
    base::cycles cycles;
    for (const auto& block : prompt_blocks)
      cycles = cycles + block->run(mesh, static_cast<int>(text.size()));
    return cycles;
  }
  // Makes the last token of the prompt the one whose logits come next.
  void hand_over_last(mesh_machine& mesh, int length) const {
    mesh.run(hand_over(fabric::wse2_chip(), prompt, stream, length - 1));
  }
  void decode(mesh_machine& mesh, const vector& token, int position) const {
    write_along_rows(mesh, stream.activation, stream.elements, token);
    for (const auto& block : blocks)
      block->run(mesh, position);
  }
  // Of the token that was decoded or handed over, read in some row.
  vector logits(mesh_machine& mesh, int row) const {
    mesh.run(head.logits_kernels(stream));
    vector logits;
    for (int column = 0; column < side; ++column)
      for (const double l : mesh.read({column, row}, head.logits, fp16, head.tokens))
        logits.push_back(l);
    return logits;
  }
  // The activation behind the last layer.
  vector on_host(vector x, int position) {
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

}  // namespace scribeline::kernels::test
