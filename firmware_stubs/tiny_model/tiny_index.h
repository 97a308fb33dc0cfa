// The index of a tiny sparse attention: its weights, on a mesh too, and what it chooses on the host.
#pragma once

#include "firmware_stubs/kernels/sparse_index.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

namespace scribeline::tiny_model {

class tiny_index {
 public:
  tiny_index(std::uint64_t seed, const index_dimensions& d, int rotary, const residual_stream& stream)
      : d_(d),
        rotary_(rotary),
        width_(d.plain + rotary),
        stream_(stream),
        q_(seed, stream.total, d.heads * width_),
        k_(seed + 1, stream.total, width_),
        weights_(seed + 2, stream.total, d.heads) {}

  void load(mesh_machine& mesh, const sparse_index& index) const {
    const int n = index.elements;
    const int rotary = n - index.plain;
    const auto element = [&](int column, int e) {
      return e < index.plain ? column * index.plain + e : d_.plain + paired(column, e - index.plain, rotary, rotary_);
    };
    write_from_rows(mesh, index.query_weights, stream_.elements, d_.heads * n, q_,
                    [&](int column, int o) { return o / n * width_ + element(column, o % n); });
    write_from_rows(mesh, index.key_weights, stream_.elements, n, k_, element);
    write_from_rows(mesh, index.head_weights, stream_.elements, d_.heads, weights_, [](int, int o) { return o; });
  }
  // For every token so far, with the normed activation of the newest.
  std::vector<bool> choose(const vector& y, int position) {
    vector q = q_.times(y);
    vector key = k_.times(y);
    const vector weights = weights_.times(y);
    rotate(key, d_.plain, rotary_, position);
    keys_.push_back(key);
    for (int h = 0; h < d_.heads; ++h)
      rotate(q, h * width_ + d_.plain, rotary_, position);
    vector scores;
    for (const vector& cached : keys_) {
      double score = 0;
      for (int h = 0; h < d_.heads; ++h) {
        double product = 0;
        for (int e = 0; e < width_; ++e)
          product += q[static_cast<std::size_t>(h * width_ + e)] * cached[static_cast<std::size_t>(e)];
        score += weights[static_cast<std::size_t>(h)] * std::max(0.0, product);
      }
      scores.push_back(score);
    }
    vector order = scores;
    std::sort(order.rbegin(), order.rend());
    const auto k = static_cast<std::size_t>(d_.chosen);
    const double least = order.size() > k ? order[k - 1] : order.back();
    if (order.size() > k) closest_call_ = std::min(closest_call_, (least - order[k]) / std::abs(order[0]));
    std::vector<bool> chosen;
    for (const double s : scores)
      chosen.push_back(s >= least);
    return chosen;
  }
  double closest_call() const { return closest_call_; }  // relative: scores are of size ten

 private:
  index_dimensions d_;
  int rotary_;
  int width_;
  const residual_stream& stream_;
  matrix q_, k_, weights_;
  std::vector<vector> keys_;
  double closest_call_ = 1e9;
};

}  // namespace scribeline::tiny_model
