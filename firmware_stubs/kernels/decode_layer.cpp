#include "firmware_stubs/kernels/decode_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/rms_norm.h"
#include "firmware_stubs/kernels/rotary.h"
#include "firmware_stubs/kernels/silu.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

// Hands out SRAM, every vector at the beginning of a word.
class address_counter {
 public:
  explicit address_counter(element_type type) : element_bytes_(bytes_of(type)) {}
  int take(int elements) {
    const int address = next_;
    next_ += (elements * element_bytes_ + 3) / 4 * 4;
    return address;
  }
  int used() const { return next_; }

 private:
  int element_bytes_;
  int next_ = 0;
};

void append(std::vector<mesh_kernel>& to, std::vector<mesh_kernel> from) {
  for (mesh_kernel& kernel : from)
    to.push_back(std::move(kernel));
}

}  // namespace

decode_layout lay_out(const decode_dimensions& d, int columns, int rows) {
  if (columns % d.kv_heads != 0)
    throw std::invalid_argument(fmt::format("{} columns do not divide by {} key-value heads", columns, d.kv_heads));
  const int bytes = bytes_of(d.type);
  decode_layout l;
  l.hidden = base::ceil_div(d.hidden, rows);
  l.feed_forward = base::ceil_div(d.feed_forward, columns);
  attention_slice& a = l.attention;
  a.kv_heads = d.kv_heads;
  a.queries = d.queries_per_kv_head;
  a.elements = base::ceil_div(d.head_dim, columns / d.kv_heads);
  a.positions = base::ceil_div(d.positions, rows);
  a.scale = 1 / std::sqrt(static_cast<double>(d.head_dim));
  a.type = d.type;

  address_counter sram(d.type);
  l.activation = sram.take(l.hidden);
  l.normalised = sram.take(l.hidden);
  l.projected = sram.take(l.hidden);
  l.norm_weights = sram.take(l.hidden);
  l.second_norm_weights = sram.take(l.hidden);
  l.query_weights = sram.take(l.hidden * a.queries * a.elements);
  l.key_weights = sram.take(l.hidden * a.elements);
  l.value_weights = sram.take(l.hidden * a.elements);
  l.output_weights = sram.take(a.queries * a.elements * l.hidden);
  l.up_weights = sram.take(l.hidden * l.feed_forward);
  l.gate_weights = sram.take(l.hidden * l.feed_forward);
  l.down_weights = sram.take(l.feed_forward * l.hidden);
  a.query = sram.take(l.qkv_elements());
  l.key = a.query + a.queries * a.elements * bytes;
  l.value = l.key + a.elements * bytes;
  a.keys = sram.take(a.elements * a.positions);
  a.values = sram.take(a.positions * a.elements);
  a.mask = sram.take(a.positions);
  a.scores = sram.take(a.queries * a.positions);
  a.maxima = sram.take(a.queries);
  a.sums = sram.take(a.queries);
  a.output = sram.take(a.queries * a.elements);
  const int pairs = (a.elements + 1) / 2;
  l.cosines = sram.take(pairs);
  l.sines = sram.take(pairs);
  l.up = sram.take(2 * l.feed_forward);
  l.gate = l.up + l.feed_forward * bytes;
  l.gated = sram.take(l.feed_forward);
  l.scratch = sram.take(std::max(3 * pairs, 1));
  l.bytes = sram.used();
  return l;
}

std::vector<mesh_kernel> decode_layer(const decode_dimensions& d, const decode_layout& l) {
  const attention_slice& a = l.attention;
  const auto norm = [&](const char* name, int weights) {
    return rms_norm(name, {l.hidden, d.hidden, l.activation, weights, l.normalised, l.scratch, d.epsilon, d.type},
                    axis::column);
  };
  const auto add_residual = [&](mesh_kernel& kernel) {
    kernel.after.push_back(add(d.type, sram(l.activation), sram(l.activation), sram(l.projected), l.hidden));
  };
  std::vector<mesh_kernel> layer;
  layer.push_back(norm("attention norm", l.norm_weights));
  layer.push_back(gemv("query, key, value",
                       {{l.hidden, a.queries * a.elements, l.query_weights, l.normalised, a.query, d.type},
                        {l.hidden, a.elements, l.key_weights, l.normalised, l.key, d.type},
                        {l.hidden, a.elements, l.value_weights, l.normalised, l.value, d.type}},
                       axis::column));
  mesh_kernel rotary{"rotary embedding", {}, {}, {}};
  add_rotary(rotary.before, {a.queries + 1, a.elements, a.query, l.cosines, l.sines, l.scratch, d.type});
  layer.push_back(std::move(rotary));
  append(layer, attention(a));
  layer.push_back(gemv("output projection",
                       {{a.queries * a.elements, l.hidden, l.output_weights, a.output, l.projected, d.type}},
                       axis::row));
  add_residual(layer.back());
  layer.push_back(norm("feed-forward norm", l.second_norm_weights));
  layer.push_back(gemv("up and gate",
                       {{l.hidden, l.feed_forward, l.up_weights, l.normalised, l.up, d.type},
                        {l.hidden, l.feed_forward, l.gate_weights, l.normalised, l.gate, d.type}},
                       axis::column));
  add_silu_gate(layer.back().after, {l.feed_forward, l.gate, l.up, l.gated, d.type});
  layer.push_back(gemv("down", {{l.feed_forward, l.hidden, l.down_weights, l.gated, l.projected, d.type}}, axis::row));
  add_residual(layer.back());
  return layer;
}

}  // namespace scribeline::kernels
