// Attention blocks of a tiny model: grouped queries, with a whole cache or a window, and latents, with or without an
// index.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/grouped_attention.h"
#include "firmware_stubs/kernels/latent_attention.h"
#include "firmware_stubs/tiny_model/tiny_block.h"
#include "firmware_stubs/tiny_model/tiny_index.h"

namespace scribeline::tiny_model {

// Cosines and sines of a position for the pairs of a core: `pairs` per column, the columns of a part in order.
inline void write_turns(mesh_machine& mesh, int cosines, int sines, int pairs, int columns_of_part, int dim,
                        int position) {
  const auto angle = [=](fabric::coordinate at, int pair) {
    return position * std::pow(100.0, -2.0 * (at.column % columns_of_part * pairs + pair) / dim);
  };
  write_tiles(mesh, cosines, 1, pairs, [&](fabric::coordinate at, int, int p) { return std::cos(angle(at, p)); });
  write_tiles(mesh, sines, 1, pairs, [&](fabric::coordinate at, int, int p) { return std::sin(angle(at, p)); });
}

// The same for all positions, in tables that are loaded with the weights.
class turn_tables {
 public:
  turn_tables(int pairs, int positions, address_counter& sram)
      : pairs_(pairs),
        positions_(positions),
        cosines_(sram.take(pairs * positions)),
        sines_(sram.take(pairs * positions)) {}
  void load(mesh_machine& mesh, int columns_of_part, int dim) const {
    for (int p = 0; p < positions_; ++p)
      write_turns(mesh, cosines_at(p), sines_at(p), pairs_, columns_of_part, dim, p);
  }
  // Throws std::out_of_range behind the last position.
  int cosines_at(int position) const { return cosines_ + offset_of(position); }
  int sines_at(int position) const { return sines_ + offset_of(position); }

 private:
  int offset_of(int position) const {
    if (position < 0 || position >= positions_)
      throw std::out_of_range(fmt::format("position {} of a cache for {} positions", position, positions_));
    return position * pairs_ * fabric::bytes_of(fp16);
  }

  int pairs_, positions_, cosines_, sines_;
};

// An attention block that turns queries and keys by the tables' entry of a position.
inline grouped_attention with_turns(grouped_attention block, const turn_tables& turns, int position) {
  block.cosines = turns.cosines_at(position);
  block.sines = turns.sines_at(position);
  return block;
}
inline latent_attention with_turns(latent_attention block, const turn_tables& turns, int position) {
  block.cosines = turns.cosines_at(position);
  block.sines = turns.sines_at(position);
  if (block.index) {
    block.index->rotary.cosines = block.cosines;
    block.index->rotary.sines = block.sines;
  }
  return block;
}

// Text goes on behind the positions of a window; here for so many tokens.
inline int most_tokens(const grouped_attention_dimensions& d) {
  return d.sliding ? 3 * d.positions + 3 : d.positions;
}

inline std::vector<sram_range> cache_of(const attention_slice& s) {
  return {{s.keys, s.elements * s.positions}, {s.values, s.positions * s.value_elements}, {s.mask, s.positions}};
}

class tiny_grouped_attention : public tiny_block {
 public:
  tiny_grouped_attention(std::uint64_t seed, const grouped_attention_dimensions& d, const residual_stream& stream,
                         address_counter& sram)
      : d_(d),
        stream_(stream),
        heads_(d.kv_heads * d.queries_per_kv_head),
        block_(d, stream, sram),
        turns_(block_.slice.elements / 2, most_tokens(d), sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        q_(seed + 1, stream.total, heads_ * d.head_dim),
        k_(seed + 2, stream.total, d.kv_heads * d.head_dim),
        v_(seed + 3, stream.total, d.kv_heads * d.head_dim),
        o_(seed + 4, heads_ * d.head_dim, stream.total),
        sinks_(random_vector(seed + 5, d.sinks ? heads_ : 0)) {}

  void load(mesh_machine& mesh) const override {
    const int n = block_.slice.elements;
    const int part = mesh.columns() / d_.kv_heads;
    const auto head = [this, part](int column, int query) { return column / part * d_.queries_per_kv_head + query; };
    write_along_rows(mesh, block_.norm_weights, stream_.elements, norm_);
    write_from_rows(mesh, block_.query_weights, stream_.elements, block_.slice.queries * n, q_, [&](int column, int o) {
      return head(column, o / n) * d_.head_dim + paired(column % part, o % n, n, d_.head_dim);
    });
    write_from_rows(mesh, block_.key_weights, stream_.elements, n, k_, [&](int column, int o) {
      return column / part * d_.head_dim + paired(column % part, o, n, d_.head_dim);
    });
    const auto value = [&](int column, int o) { return column / part * d_.head_dim + column % part * n + o; };
    write_from_rows(mesh, block_.value_weights, stream_.elements, n, v_, value);
    write_to_rows(mesh, block_.output_weights, block_.slice.queries * n, stream_.elements, o_,
                  [&](int column, int i) { return head(column, i / n) * d_.head_dim + column % part * n + i % n; });
    write_tiles(mesh, block_.slice.mask, 1, block_.slice.positions,
                [](fabric::coordinate, int, int) { return nothing_here; });
    turns_.load(mesh, part, d_.head_dim);
    if (d_.sinks)
      write_tiles(mesh, *block_.slice.sinks, 1, block_.slice.queries, [&](fabric::coordinate at, int, int q) {
        return sinks_[static_cast<std::size_t>(head(at.column, q))];
      });
  }
  void set_sinks(vector sinks) { sinks_ = std::move(sinks); }  // before load()
  std::vector<mesh_kernel> kernels_at(int position) const override {
    return turned(position).kernels_at(position, stream_);
  }
  std::vector<sram_range> kept() const override { return cache_of(block_.slice); }
  vector on_host(const vector& x, int position) override {
    const vector y = normed(x, norm_, stream_.epsilon);
    vector q = q_.times(y);
    vector k = k_.times(y);
    for (int h = 0; h < heads_; ++h)
      rotate(q, h * d_.head_dim, d_.head_dim, position);
    for (int h = 0; h < d_.kv_heads; ++h)
      rotate(k, h * d_.head_dim, d_.head_dim, position);
    keys_.push_back(k);
    values_.push_back(v_.times(y));
    if (d_.sliding && keys_.size() > static_cast<std::size_t>(d_.positions)) {
      keys_.erase(keys_.begin());
      values_.erase(values_.begin());
    }
    vector out;
    for (int h = 0; h < heads_; ++h) {
      const int kv = h / d_.queries_per_kv_head * d_.head_dim;
      vector scores;
      for (const vector& key : keys_) {
        double score = 0;
        for (int e = 0; e < d_.head_dim; ++e)
          score += q[static_cast<std::size_t>(h * d_.head_dim + e)] * key[static_cast<std::size_t>(kv + e)];
        scores.push_back(score / std::sqrt(static_cast<double>(d_.head_dim)));
      }
      if (d_.sinks) scores.push_back(sinks_[static_cast<std::size_t>(h)]);
      const vector weights = softmax(scores);
      for (int e = 0; e < d_.head_dim; ++e) {
        double total = 0;
        for (std::size_t p = 0; p < values_.size(); ++p)
          total += weights[p] * values_[p][static_cast<std::size_t>(kv + e)];
        out.push_back(total);
      }
    }
    return o_.times(out);
  }
  const grouped_attention& block() const { return block_; }

 protected:
  grouped_attention turned(int position) const { return with_turns(block_, turns_, position); }

  grouped_attention_dimensions d_;
  const residual_stream& stream_;
  int heads_;
  grouped_attention block_;
  turn_tables turns_;
  vector norm_;
  matrix q_, k_, v_, o_;
  vector sinks_;
  std::vector<vector> keys_, values_;
};

class tiny_latent_attention : public tiny_block {
 public:
  tiny_latent_attention(std::uint64_t seed, const latent_attention_dimensions& d, const residual_stream& stream,
                        address_counter& sram)
      : d_(d),
        stream_(stream),
        width_(d.latent + d.rotary),
        block_(d, stream, sram),
        turns_(block_.rotary / 2, d.positions, sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        latent_norm_(random_vector(seed + 1, d.latent, 0.2, 1)),
        q_(seed + 2, stream.total, d.heads * width_),
        k_(seed + 3, stream.total, width_),
        o_(seed + 4, d.heads * d.latent, stream.total) {
    if (d.index) index_.emplace(seed + 5, *d.index, d.rotary, stream);
  }

  void load(mesh_machine& mesh) const override {
    const int n = block_.slice.elements;
    const auto element = [&](int column, int e) {
      return e < block_.latent ? column * block_.latent + e
                               : d_.latent + paired(column, e - block_.latent, block_.rotary, d_.rotary);
    };
    write_along_rows(mesh, block_.norm_weights, stream_.elements, norm_);
    write_along_columns(mesh, block_.latent_norm_weights, block_.latent, latent_norm_);
    write_from_rows(mesh, block_.query_weights, stream_.elements, d_.heads * n, q_,
                    [&](int column, int o) { return o / n * width_ + element(column, o % n); });
    write_from_rows(mesh, block_.key_weights, stream_.elements, n, k_, element);
    write_to_rows(mesh, block_.output_weights, d_.heads * block_.latent, stream_.elements, o_, [&](int column, int i) {
      return i / block_.latent * d_.latent + column * block_.latent + i % block_.latent;
    });
    write_tiles(mesh, block_.slice.mask, 1, block_.slice.positions,
                [](fabric::coordinate, int, int) { return nothing_here; });
    turns_.load(mesh, mesh.columns(), d_.rotary);
    if (index_) index_->load(mesh, *block_.index);
  }
  std::vector<mesh_kernel> kernels_at(int position) const override {
    return with_turns(block_, turns_, position).kernels_at(position, stream_);
  }
  std::vector<sram_range> kept() const override { return cache_of(block_.slice); }
  vector on_host(const vector& x, int position) override {
    const vector y = normed(x, norm_, stream_.epsilon);
    vector q = q_.times(y);
    const vector raw = k_.times(y);
    vector key = normed(slice(raw, 0, d_.latent), latent_norm_, stream_.epsilon);
    for (const double e : slice(raw, d_.latent, d_.rotary))
      key.push_back(e);
    rotate(key, d_.latent, d_.rotary, position);
    keys_.push_back(key);
    const std::vector<bool> chosen = index_ ? index_->choose(y, position) : std::vector<bool>(keys_.size(), true);
    vector out;
    for (int h = 0; h < d_.heads; ++h) {
      rotate(q, h * width_ + d_.latent, d_.rotary, position);
      vector scores;
      for (const vector& cached : keys_) {
        double score = 0;
        for (int e = 0; e < width_; ++e)
          score += q[static_cast<std::size_t>(h * width_ + e)] * cached[static_cast<std::size_t>(e)];
        scores.push_back(chosen[scores.size()] ? score * d_.scale : -1e9);
      }
      const vector weights = softmax(scores);
      for (int e = 0; e < d_.latent; ++e) {
        double total = 0;
        for (std::size_t p = 0; p < weights.size(); ++p)
          total += weights[p] * keys_[p][static_cast<std::size_t>(e)];
        out.push_back(total);
      }
    }
    return o_.times(out);
  }
  double closest_call() const override { return index_ ? index_->closest_call() : 1e9; }

 private:
  latent_attention_dimensions d_;
  const residual_stream& stream_;
  int width_;
  latent_attention block_;
  turn_tables turns_;
  vector norm_, latent_norm_;
  matrix q_, k_, o_;
  std::vector<vector> keys_;
  std::optional<tiny_index> index_;
};

}  // namespace scribeline::tiny_model
