// Feed-forward blocks of a tiny model: dense, and a mixture of experts.
#pragma once

#include "firmware_stubs/kernels/expert_feed_forward.h"
#include "firmware_stubs/kernels/gated_feed_forward.h"
#include "firmware_stubs/tiny_model/tiny_block.h"

namespace scribeline::tiny_model {

class tiny_feed_forward : public tiny_block {
 public:
  tiny_feed_forward(std::uint64_t seed, int width, const residual_stream& stream, address_counter& sram)
      : stream_(stream),
        block_(width, stream, sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        up_(seed + 1, stream.total, width),
        gate_(seed + 2, stream.total, width),
        down_(seed + 3, width, stream.total) {}

  void load(mesh_machine& mesh) const override {
    const int n = block_.elements;
    const auto inner = [n](int column, int e) { return column * n + e; };
    write_along_rows(mesh, block_.norm_weights, stream_.elements, norm_);
    write_from_rows(mesh, block_.up_weights, stream_.elements, n, up_, inner);
    write_from_rows(mesh, block_.gate_weights, stream_.elements, n, gate_, inner);
    write_to_rows(mesh, block_.down_weights, n, stream_.elements, down_, inner);
  }
  std::vector<mesh_kernel> kernels_at(int) const override { return block_.kernels(stream_); }
  vector on_host(const vector& x, int) override {
    const vector y = normed(x, norm_, stream_.epsilon);
    vector up = up_.times(y);
    const vector gate = gate_.times(y);
    for (std::size_t i = 0; i < up.size(); ++i)
      up[i] *= silu(gate[i]);
    return down_.times(up);
  }

 private:
  const residual_stream& stream_;
  gated_feed_forward block_;
  vector norm_;
  matrix up_, gate_, down_;
};

class tiny_experts : public tiny_block {
 public:
  tiny_experts(std::uint64_t seed, const expert_dimensions& d, const residual_stream& stream, address_counter& sram)
      : d_(d),
        stream_(stream),
        block_(d, stream, sram),
        norm_(random_vector(seed, stream.total, 0.2, 1)),
        router_(seed + 1, stream.total, d.experts),
        up_(seed + 2, stream.total, d.experts * d.width),
        gate_(seed + 3, stream.total, d.experts * d.width),
        down_(seed + 4, d.experts * d.width, stream.total) {}

  void load(mesh_machine& mesh) const override {
    const int part = mesh.columns() / d_.groups;
    const int n = block_.elements;
    const auto expert = [&](int column, int e) { return column / part * block_.held + e; };
    const auto inner = [&](int column, int i) { return expert(column, i / n) * d_.width + column % part * n + i % n; };
    write_along_rows(mesh, block_.norm_weights, stream_.elements, norm_);
    write_from_rows(mesh, block_.router_weights, stream_.elements, d_.experts, router_, [](int, int o) { return o; });
    write_from_rows(mesh, block_.up_weights, stream_.elements, block_.held * n, up_, inner);
    write_from_rows(mesh, block_.gate_weights, stream_.elements, block_.held * n, gate_, inner);
    write_to_rows(mesh, block_.down_weights, block_.held * n, stream_.elements, down_, inner);
    write_tiles(mesh, block_.membership, block_.held, d_.experts,
                [&](fabric::coordinate at, int e, int which) { return expert(at.column, e) == which ? 1.0 : 0.0; });
  }
  std::vector<mesh_kernel> kernels_at(int) const override { return block_.kernels(stream_); }
  vector on_host(const vector& x, int) override {
    const vector y = normed(x, norm_, stream_.epsilon);
    const vector scores = router_.times(y);
    vector order = scores;
    std::sort(order.rbegin(), order.rend());
    const double least = order[static_cast<std::size_t>(d_.chosen - 1)];
    closest_call_ = std::min(closest_call_, least - order[static_cast<std::size_t>(d_.chosen)]);
    vector chosen;
    for (const double s : scores)
      chosen.push_back(s >= least ? s : -1e9);
    const vector weights = softmax(chosen);
    vector up = up_.times(y);
    const vector gate = gate_.times(y);
    for (std::size_t i = 0; i < up.size(); ++i)
      up[i] *= silu(gate[i]) * weights[i / static_cast<std::size_t>(d_.width)];
    return down_.times(up);
  }
  // Between a chosen and a rejected score.
  double closest_call() const override { return closest_call_; }

 protected:
  expert_dimensions d_;
  const residual_stream& stream_;
  expert_feed_forward block_;
  vector norm_;
  matrix router_, up_, gate_, down_;
  double closest_call_ = 1e9;
};

}  // namespace scribeline::tiny_model
