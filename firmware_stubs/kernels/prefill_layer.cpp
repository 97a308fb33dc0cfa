#include "firmware_stubs/kernels/prefill_layer.h"

#include <algorithm>

#include "firmware_stubs/kernels/rms_norm.h"
#include "firmware_stubs/kernels/rotary.h"
#include "firmware_stubs/kernels/silu.h"
#include "firmware_stubs/kernels/softmax.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

// Per core.
struct tile_sizes {
  tile_sizes(const prefill_dimensions& d, int side)
      : tokens(base::ceil_div(d.tokens, side)),
        hidden(base::ceil_div(d.hidden, side)),
        feed_forward(base::ceil_div(d.feed_forward, side)) {}
  int tokens;
  int hidden;
  int feed_forward;
};

// Element-wise work on tiles of `tokens` rows; the tile begins at byte 0, the statistics of its tokens follow.
class tile_kernels {
 public:
  tile_kernels(const prefill_dimensions& d, const tile_sizes& t) : type_(d.type), total_(d.hidden), t_(t) {}

  mesh_kernel norm(const char* name) const {
    rms_norm_tile tile;
    tile.vectors = t_.tokens;
    tile.elements = t_.hidden;
    tile.total = total_;
    tile.sums = statistics(t_.hidden);
    tile.weights = tile.sums + t_.tokens * bytes_of(type_);
    tile.type = type_;
    return rms_norm(name, tile, axis::row);
  }

  // Of queries and keys. Pairs lie in one core, half the features apart.
  mesh_kernel rotary() const {
    mesh_kernel kernel;
    kernel.name = "rotary embedding";
    rotary_slice slice;
    slice.vectors = 2;
    slice.distance = 0;
    slice.elements = 2 * ((t_.hidden + 1) / 2 * t_.tokens);
    slice.type = type_;
    add_rotary(kernel.before, slice);
    return kernel;
  }

  // Over all keys of a row, which lie along the columns.
  std::vector<mesh_kernel> row_softmax() const {
    softmax_tiles scores;
    scores.vectors = scores.elements = t_.tokens;
    scores.statistics = statistics(t_.tokens);
    scores.type = type_;
    return softmax(scores, axis::row);
  }

  mesh_kernel gate() const {
    mesh_kernel kernel;
    kernel.name = "gate";
    const int elements = t_.tokens * t_.feed_forward;
    const int bytes = elements * bytes_of(type_);
    add_silu_gate(kernel.before, {elements, 0, bytes, 2 * bytes, type_});
    return kernel;
  }

  mesh_kernel residual(const char* name) const {
    mesh_kernel kernel;
    kernel.name = name;
    const int elements = t_.tokens * t_.hidden;
    kernel.before.push_back(add(type_, sram(0), sram(0), sram(elements * bytes_of(type_)), elements));
    return kernel;
  }

 private:
  int statistics(int features) const { return (features * t_.tokens * bytes_of(type_) + 3) / 4 * 4; }

  element_type type_;
  int total_;
  tile_sizes t_;
};

}  // namespace

std::vector<prefill_step> prefill_layer(const prefill_dimensions& d, int side) {
  const tile_sizes t(d, side);
  const tile_kernels kernels(d, t);
  std::vector<prefill_step> layer;
  const auto product = [&](const char* name, int inputs, int outputs) {
    layer.push_back({name, lay_out_gemm(t.tokens, inputs, outputs, d.type)});
  };
  const auto add_kernel = [&](mesh_kernel kernel) {
    std::string name = kernel.name;
    layer.push_back({std::move(name), std::move(kernel)});
  };
  add_kernel(kernels.norm("attention norm"));
  product("query", t.hidden, t.hidden);
  product("key", t.hidden, t.hidden);
  product("value", t.hidden, t.hidden);
  add_kernel(kernels.rotary());
  product("scores", t.hidden, t.tokens);
  for (mesh_kernel& kernel : kernels.row_softmax())
    add_kernel(std::move(kernel));
  product("attention output", t.tokens, t.hidden);
  product("output projection", t.hidden, t.hidden);
  add_kernel(kernels.residual("attention residual"));
  add_kernel(kernels.norm("feed-forward norm"));
  product("up", t.hidden, t.feed_forward);
  product("gate projection", t.hidden, t.feed_forward);
  add_kernel(kernels.gate());
  product("down", t.feed_forward, t.hidden);
  add_kernel(kernels.residual("feed-forward residual"));
  return layer;
}

std::int64_t prefill_bytes_per_core(const prefill_dimensions& d, int side) {
  const tile_sizes t(d, side);
  std::int64_t largest = 0;
  for (const prefill_step& step : prefill_layer(d, side))
    if (const auto* tiles = std::get_if<gemm_tiles>(&step.work)) largest = std::max(largest, tiles->bytes());
  // Of the layer's weights one matrix is in the product's buffers.
  const std::int64_t weights =
      4 * std::int64_t{t.hidden} * t.hidden + 3 * std::int64_t{t.hidden} * t.feed_forward - t.hidden * t.feed_forward;
  // The residual, queries or gate, and keys wait for their turn.
  const std::int64_t waiting = t.tokens * (2 * std::int64_t{t.hidden} + std::max(t.hidden, t.feed_forward));
  return largest + (weights + waiting) * bytes_of(d.type);
}

}  // namespace scribeline::kernels
