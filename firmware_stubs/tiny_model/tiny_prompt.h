// Blocks of a tiny model for whole prompts: the weights of the blocks for one token with the same seed, loaded as
// MeshGEMM wants them.
#pragma once

#include "firmware_stubs/kernels/prompt_attention.h"
#include "firmware_stubs/kernels/prompt_feed_forward.h"
#include "firmware_stubs/tiny_model/tiny_attention.h"
#include "firmware_stubs/tiny_model/tiny_feed_forward.h"

namespace scribeline::tiny_model {

// Tiles of weights in the alignment of the first step: inputs of another column, outputs of the own one.
inline void write_aligned(mesh_machine& mesh, int address, int inputs, int outputs, const matrix& m,
                          const std::function<int(int column, int i)>& input_of,
                          const std::function<int(int column, int o)>& output_of) {
  write_tiles(mesh, address, inputs, outputs, [&](fabric::coordinate at, int i, int o) {
    return m.at(input_of(aligned_position(at, mesh.columns()), i), output_of(at.column, o));
  });
}

class tiny_prompt_block {
 public:
  virtual ~tiny_prompt_block() = default;
  virtual void load(mesh_machine& mesh) const = 0;
  virtual base::cycles run(mesh_machine& mesh, int length) const = 0;
};

class tiny_prompt_attention : public tiny_prompt_block {
 public:
  tiny_prompt_attention(std::uint64_t seed, const grouped_attention_dimensions& d, const grouped_attention& decode,
                        prompt_stream& stream, address_counter& sram)
      : d_(d),
        stream_(stream),
        block_(decode.slice, stream, sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        q_(seed + 1, stream.total, d.kv_heads * d.queries_per_kv_head * d.head_dim),
        k_(seed + 2, stream.total, d.kv_heads * d.head_dim),
        v_(seed + 3, stream.total, d.kv_heads * d.head_dim),
        o_(seed + 4, d.kv_heads * d.queries_per_kv_head * d.head_dim, stream.total) {}

  void load(mesh_machine& mesh) const override {
    const int n = block_.tiles.elements;
    const int queries = d_.queries_per_kv_head;
    const int part = stream_.side / d_.kv_heads;
    const auto feature = [this](int column, int e) { return column * stream_.elements + e; };
    const auto pair = [&](int column, int e) { return paired(column % part, e, n, d_.head_dim); };
    const auto head = [&](int column, int query) { return column / part * queries + query; };
    write_along_columns(mesh, block_.norm_weights, stream_.elements, norm_);
    // Queries, key and value beside each other.
    const int width = (queries + 2) * n;
    write_tiles(mesh, block_.weights, stream_.elements, width, [&](fabric::coordinate at, int i, int o) {
      const int input = feature(aligned_position(at, stream_.side), i);
      const int kv = at.column / part * d_.head_dim;
      if (o < queries * n) return q_.at(input, head(at.column, o / n) * d_.head_dim + pair(at.column, o % n));
      if (o < (queries + 1) * n) return k_.at(input, kv + pair(at.column, o % n));
      return v_.at(input, kv + at.column % part * n + o % n);
    });
    write_aligned(
        mesh, block_.output_weights, queries * n, stream_.elements, o_,
        [&](int column, int i) { return head(column, i / n) * d_.head_dim + column % part * n + i % n; }, feature);
    write_angles(mesh, block_.cosines, part, [](double angle) { return std::cos(angle); });
    write_angles(mesh, block_.sines, part, [](double angle) { return std::sin(angle); });
    for (int row = 0; row < stream_.side; ++row)
      for (int column = 0; column < stream_.side; ++column)
        mesh.write({column, row}, block_.mask, fp16, block_.causal_mask({column, row}));
  }
  base::cycles run(mesh_machine& mesh, int length) const override {
    return mesh.run(block_.steps(length, stream_, fabric::wse2_chip()));
  }

 private:
  // Of all tokens of a core, for each of its pairs.
  void write_angles(mesh_machine& mesh, int address, int part, double (*function)(double)) const {
    const int pairs = block_.tiles.elements / 2;
    write_tiles(mesh, address, pairs, stream_.tokens, [&](fabric::coordinate at, int pair, int slot) {
      const int position = slot * stream_.side + at.row;
      return function(position * std::pow(100.0, -2.0 * (at.column % part * pairs + pair) / d_.head_dim));
    });
  }

  grouped_attention_dimensions d_;
  const prompt_stream& stream_;
  prompt_attention block_;
  vector norm_;
  matrix q_, k_, v_, o_;
};

class tiny_prompt_feed_forward : public tiny_prompt_block {
 public:
  tiny_prompt_feed_forward(std::uint64_t seed, int width, prompt_stream& stream, address_counter& sram)
      : stream_(stream),
        block_(width, stream, sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        up_(seed + 1, stream.total, width),
        gate_(seed + 2, stream.total, width),
        down_(seed + 3, width, stream.total) {}

  void load(mesh_machine& mesh) const override {
    const int n = block_.elements;
    const auto feature = [this](int column, int e) { return column * stream_.elements + e; };
    const auto inner = [n](int column, int e) { return column * n + e; };
    write_along_columns(mesh, block_.norm_weights, stream_.elements, norm_);
    write_tiles(mesh, block_.weights, stream_.elements, 2 * n, [&](fabric::coordinate at, int i, int o) {
      const int input = feature(aligned_position(at, stream_.side), i);
      return (o < n ? up_ : gate_).at(input, inner(at.column, o % n));
    });
    write_aligned(mesh, block_.down_weights, n, stream_.elements, down_, inner, feature);
  }
  base::cycles run(mesh_machine& mesh, int) const override {
    return mesh.run(block_.steps(stream_, fabric::wse2_chip()));
  }

 private:
  const prompt_stream& stream_;
  prompt_feed_forward block_;
  vector norm_;
  matrix up_, gate_, down_;
};

// Tokens' vectors onto the mesh, zeros behind the last one, and back.
inline void write_prompt(mesh_machine& mesh, const prompt_stream& stream, const std::vector<vector>& tokens) {
  write_tiles(mesh, stream.activation, stream.elements, stream.tokens, [&](fabric::coordinate at, int e, int slot) {
    const auto token = static_cast<std::size_t>(slot * stream.side + at.row);
    const auto feature = static_cast<std::size_t>(at.column * stream.elements + e);
    return token < tokens.size() && feature < tokens[token].size() ? tokens[token][feature] : 0;
  });
}
inline vector read_prompt_token(const mesh_machine& mesh, const prompt_stream& stream, int token) {
  vector x;
  for (int column = 0; column < stream.side; ++column) {
    const vector tile =
        mesh.read({column, token % stream.side}, stream.activation, fp16, stream.elements * stream.tokens);
    for (int e = 0; e < stream.elements; ++e)
      x.push_back(tile[static_cast<std::size_t>(e * stream.tokens + token / stream.side)]);
  }
  x.resize(static_cast<std::size_t>(stream.total));
  return x;
}

}  // namespace scribeline::tiny_model
