// Recurrent blocks of a tiny model: state space and delta rule, with their short convolutions.
#pragma once

#include "firmware_stubs/kernels/delta_net.h"
#include "firmware_stubs/kernels/state_space.h"
#include "firmware_stubs/tiny_model/tiny_block.h"

namespace scribeline::tiny_model {

inline vector joined(const std::vector<vector>& parts) {
  vector all;
  for (const vector& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

// What a short convolution remembers.
inline sram_range history_of(const short_convolution& c) {
  return {c.history, (c.taps - 1) * c.channels};
}

class tiny_convolution {
 public:
  tiny_convolution(std::uint64_t seed, int channels, int taps)
      : taps_(taps),
        weights_(seed, taps, channels),
        bias_(random_vector(seed + 1, channels, 0.2)),
        past_(static_cast<std::size_t>(taps), vector(static_cast<std::size_t>(channels), 0)) {}

  // The channel of the whole vector that a core's channel is, or -1.
  using channel_of = std::function<int(fabric::coordinate, int)>;

  void load(mesh_machine& mesh, const short_convolution& c, const channel_of& channel) const {
    write_tiles(mesh, c.weights, taps_, c.channels, [&](fabric::coordinate at, int tap, int i) {
      const int which = channel(at, i);
      return which < 0 ? 0 : weights_.at(tap, which);
    });
    write_tiles(mesh, c.bias, 1, c.channels, [&](fabric::coordinate at, int, int i) {
      const int which = channel(at, i);
      return which < 0 ? 0 : bias_[static_cast<std::size_t>(which)];
    });
  }
  vector on_host(const vector& x) {
    past_.erase(past_.begin());
    past_.push_back(x);
    vector y = bias_;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int tap = 0; tap < taps_; ++tap)
        y[i] += weights_.at(tap, static_cast<int>(i)) * past_[static_cast<std::size_t>(tap)][i];
      y[i] = silu(y[i]);
    }
    return y;
  }

 private:
  int taps_;
  matrix weights_;
  vector bias_;
  std::vector<vector> past_;
};

class tiny_state_space : public tiny_block {
 public:
  tiny_state_space(std::uint64_t seed, const state_space_dimensions& d, const residual_stream& stream,
                   address_counter& sram)
      : d_(d),
        stream_(stream),
        block_(d, stream, sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        decay_(random_vector(seed + 1, d.channels, 0.4, -0.6)),
        skip_(random_vector(seed + 2, d.channels)),
        x_(seed + 3, stream.total, d.channels),
        gate_(seed + 4, stream.total, d.channels),
        step_(seed + 5, stream.total, d.channels),
        b_(seed + 6, stream.total, d.state),
        c_(seed + 7, stream.total, d.state),
        o_(seed + 8, d.channels, stream.total),
        h_(static_cast<std::size_t>(d.channels * d.state), 0) {
    if (d.taps > 0) convolution_.emplace(seed + 9, d.channels + 2 * d.state, d.taps);
  }

  void load(mesh_machine& mesh) const override {
    const int n = block_.channels;
    const auto channel = [n](int column, int e) { return column * n + e; };
    write_along_rows(mesh, block_.norm_weights, stream_.elements, norm_);
    int address = block_.channel_weights;
    for (const matrix* m : {&x_, &gate_, &step_}) {
      write_from_rows(mesh, address, stream_.elements, n, *m, channel);
      address += 2 * stream_.elements * n;
    }
    const int states = block_.state * mesh.rows();
    write_tiles(mesh, block_.read_weights, stream_.elements, 2 * states, [&](fabric::coordinate at, int i, int o) {
      const int input = at.row * stream_.elements + i;
      return o < states ? b_.at(input, o) : c_.at(input, o - states);
    });
    if (convolution_)
      convolution_->load(mesh, *block_.convolution, [&](fabric::coordinate at, int c) {
        if (c < n) return at.column * n + c;
        const int of_state = c - n;
        if (of_state % states >= d_.state) return -1;
        return d_.channels + of_state / states * d_.state + of_state % states;
      });
    write_along_columns(mesh, block_.decay, n, decay_);
    write_along_columns(mesh, block_.skip, n, skip_);
    write_to_rows(mesh, block_.output_weights, n, stream_.elements, o_, channel);
  }
  std::vector<mesh_kernel> kernels_at(int) const override { return block_.kernels(stream_); }
  std::vector<sram_range> kept() const override {
    std::vector<sram_range> all = {{block_.h, block_.state * block_.channels}};
    if (block_.convolution) all.push_back(history_of(*block_.convolution));
    return all;
  }
  vector on_host(const vector& x, int) override {
    const vector y = normed(x, norm_, stream_.epsilon);
    vector xs = x_.times(y);
    const vector gate = gate_.times(y);
    const vector raw = step_.times(y);
    vector b = b_.times(y);
    vector c = c_.times(y);
    if (convolution_) {
      const vector all = convolution_->on_host(joined({xs, b, c}));
      xs = slice(all, 0, d_.channels);
      b = slice(all, d_.channels, d_.state);
      c = slice(all, d_.channels + d_.state, d_.state);
    }
    vector out;
    for (int channel = 0; channel < d_.channels; ++channel) {
      const auto i = static_cast<std::size_t>(channel);
      const double step = std::log1p(std::exp(raw[i]));
      double read = skip_[i] * xs[i];
      for (int n = 0; n < d_.state; ++n) {
        const auto s = static_cast<std::size_t>(n);
        double& h = h_[i * static_cast<std::size_t>(d_.state) + s];
        h = h * std::exp(step * decay_[i]) + step * xs[i] * b[s];
        read += c[s] * h;
      }
      out.push_back(read * silu(gate[i]));
    }
    return o_.times(out);
  }

 private:
  state_space_dimensions d_;
  const residual_stream& stream_;
  state_space block_;
  vector norm_, decay_, skip_;
  matrix x_, gate_, step_, b_, c_, o_;
  vector h_;
  std::optional<tiny_convolution> convolution_;
};

class tiny_delta_net : public tiny_block {
 public:
  tiny_delta_net(std::uint64_t seed, const delta_net_dimensions& d, const residual_stream& stream,
                 address_counter& sram)
      : d_(d),
        stream_(stream),
        keys_(d.heads * d.key_width),
        value_heads_(d.heads * d.values_per_head),
        values_(value_heads_ * d.value_width),
        decays_(value_heads_ * (per_channel() ? d.key_width : 1)),
        block_(d, stream, sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        output_norm_(random_vector(seed + 1, d.value_width, 0.2, 1)),
        rate_(random_vector(seed + 2, value_heads_, 0.3, -0.5)),
        decay_bias_(random_vector(seed + 3, decays_, 0.5)),
        q_(seed + 4, stream.total, keys_),
        k_(seed + 5, stream.total, keys_),
        v_(seed + 6, stream.total, values_),
        gate_(seed + 7, stream.total, values_),
        decay_(seed + 8, stream.total, decays_),
        beta_(seed + 9, stream.total, value_heads_),
        o_(seed + 10, values_, stream.total),
        convolution_(seed + 11, 2 * keys_ + values_, d.taps),
        state_(static_cast<std::size_t>(value_heads_ * d.key_width), vector(static_cast<std::size_t>(d.value_width))) {}

  void load(mesh_machine& mesh) const override {
    const int n = stream_.elements;
    const int ke = block_.key_elements;
    const int ve = block_.value_elements;
    const int per = d_.values_per_head;
    const int part = block_.part;
    // What a column's element of a key and of a value is; -1 for padding.
    const auto inner = [&](int column, int e, int elements, int width) {
      const int element = column % part * elements + e;
      return element < width ? element : -1;
    };
    const auto key = [&](int column, int e) {
      const int element = inner(column, e, ke, d_.key_width);
      return element < 0 ? -1 : column / part * d_.key_width + element;
    };
    const auto value = [&](int column, int e) {
      const int element = inner(column, e % ve, ve, d_.value_width);
      return element < 0 ? -1 : (column / part * per + e / ve) * d_.value_width + element;
    };
    const auto head = [&](int column, int v) { return column / part * per + v; };
    const auto decay = [&](int column, int e) {
      const int element = inner(column, e % ke, ke, d_.key_width);
      return element < 0 ? -1 : head(column, e / ke) * d_.key_width + element;
    };
    write_along_rows(mesh, block_.norm_weights, n, norm_);
    write_from_rows(mesh, block_.query_weights, n, ke, q_, key);
    write_from_rows(mesh, block_.key_weights, n, ke, k_, key);
    write_from_rows(mesh, block_.value_weights, n, per * ve, v_, value);
    write_from_rows(mesh, block_.gate_weights, n, per * ve, gate_, value);
    if (per_channel())
      write_from_rows(mesh, block_.decay_weights, n, per * ke, decay_, decay);
    else
      write_from_rows(mesh, block_.decay_weights, n, per, decay_, head);
    write_from_rows(mesh, block_.beta_weights, n, per, beta_, head);
    write_to_rows(mesh, block_.output_weights, per * ve, n, o_, value);
    write_tiles(mesh, block_.rate, 1, per,
                [&](fabric::coordinate at, int, int v) { return rate_[static_cast<std::size_t>(head(at.column, v))]; });
    write_tiles(mesh, block_.decay_bias, per, block_.decays, [&](fabric::coordinate at, int v, int i) {
      if (!per_channel()) return decay_bias_[static_cast<std::size_t>(head(at.column, v))];
      const int channel = at.row * block_.own_keys + i;
      return channel < d_.key_width ? decay_bias_[static_cast<std::size_t>(head(at.column, v) * d_.key_width + channel)]
                                    : 0;
    });
    write_tiles(mesh, block_.output_norm_weights, 1, ve, [&](fabric::coordinate at, int, int e) {
      const int element = inner(at.column, e, ve, d_.value_width);
      return element < 0 ? 0 : output_norm_[static_cast<std::size_t>(element)];
    });
    convolution_.load(mesh, block_.convolution, [&](fabric::coordinate at, int c) {
      if (c < ke) return key(at.column, c);
      if (c < 2 * ke) {
        const int channel = key(at.column, c - ke);
        return channel < 0 ? -1 : keys_ + channel;
      }
      const int channel = value(at.column, c - 2 * ke);
      return channel < 0 ? -1 : 2 * keys_ + channel;
    });
  }
  std::vector<mesh_kernel> kernels_at(int) const override { return block_.kernels(stream_); }
  std::vector<sram_range> kept() const override {
    const int values = d_.values_per_head * block_.own_keys * block_.value_elements;
    return {{block_.state, values}, history_of(block_.convolution)};
  }

  vector on_host(const vector& x, int) override {
    const vector y = normed(x, norm_, stream_.epsilon);
    const vector qkv = convolution_.on_host(joined({q_.times(y), k_.times(y), v_.times(y)}));
    const vector gate = gate_.times(y);
    const vector raw = decay_.times(y);
    const vector beta = beta_.times(y);
    vector out;
    for (int h = 0; h < value_heads_; ++h) {
      const int key_head = h / d_.values_per_head * d_.key_width;
      const vector q = of_length(slice(qkv, key_head, d_.key_width), 1 / std::sqrt(d_.key_width));
      const vector k = of_length(slice(qkv, keys_ + key_head, d_.key_width), 1);
      const vector v = slice(qkv, 2 * keys_ + h * d_.value_width, d_.value_width);
      const vector read = read_of(h, q, k, v, raw, 1 / (1 + std::exp(-beta[static_cast<std::size_t>(h)])));
      const vector even = normed(read, output_norm_, stream_.epsilon);
      for (int e = 0; e < d_.value_width; ++e) {
        const double g = gate[static_cast<std::size_t>(h * d_.value_width + e)];
        out.push_back(even[static_cast<std::size_t>(e)] * (per_channel() ? 1 / (1 + std::exp(-g)) : silu(g)));
      }
    }
    return o_.times(out);
  }

 private:
  bool per_channel() const { return d_.rule == delta_rule::kimi; }
  static vector of_length(vector v, double length) {
    double squares = 1e-6;
    for (const double e : v)
      squares += e * e;
    for (double& e : v)
      e *= length / std::sqrt(squares);
    return v;
  }
  // The recurrence as it is written, channel by channel.
  vector read_of(int head, const vector& q, const vector& k, const vector& v, const vector& raw, double beta) {
    vector held(v.size(), 0);
    for (std::size_t i = 0; i < k.size(); ++i) {
      const auto which = per_channel() ? static_cast<std::size_t>(head) * k.size() + i : static_cast<std::size_t>(head);
      const double decay =
          std::exp(rate_[static_cast<std::size_t>(head)] * std::log1p(std::exp(raw[which] + decay_bias_[which])));
      vector& line = state_[static_cast<std::size_t>(head) * k.size() + i];
      for (std::size_t e = 0; e < v.size(); ++e) {
        line[e] *= decay;
        held[e] += line[e] * k[i];
      }
    }
    vector read(v.size(), 0);
    for (std::size_t i = 0; i < k.size(); ++i) {
      vector& line = state_[static_cast<std::size_t>(head) * k.size() + i];
      for (std::size_t e = 0; e < v.size(); ++e) {
        line[e] += k[i] * beta * (v[e] - held[e]);
        read[e] += line[e] * q[i];
      }
    }
    return read;
  }

  delta_net_dimensions d_;
  const residual_stream& stream_;
  int keys_, value_heads_, values_, decays_;
  delta_net block_;
  vector norm_, output_norm_, rate_, decay_bias_;
  matrix q_, k_, v_, gate_, decay_, beta_, o_;
  tiny_convolution convolution_;
  std::vector<vector> state_;  // per value head and key channel
};

}  // namespace scribeline::tiny_model
