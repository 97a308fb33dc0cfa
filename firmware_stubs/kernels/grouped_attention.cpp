#include "firmware_stubs/kernels/grouped_attention.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/rotary.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

grouped_attention::grouped_attention(const grouped_attention_dimensions& d, const residual_stream& stream,
                                     address_counter& sram)
    : window(d.sliding ? std::optional<int>(d.positions) : std::nullopt) {
  if (stream.columns % d.kv_heads != 0)
    throw std::invalid_argument(
        fmt::format("{} columns do not divide by {} key-value heads", stream.columns, d.kv_heads));
  const int bytes = bytes_of(stream.type);
  slice.kv_heads = d.kv_heads;
  slice.queries = d.queries_per_kv_head;
  slice.elements = slice.value_elements = base::ceil_div(d.head_dim, stream.columns / d.kv_heads);
  slice.positions = base::ceil_div(d.positions, stream.rows);
  slice.scale = 1 / std::sqrt(static_cast<double>(d.head_dim));
  slice.type = stream.type;
  const int query_elements = slice.queries * slice.elements;
  norm_weights = sram.take(stream.elements);
  query_weights = sram.take(stream.elements * query_elements);
  key_weights = sram.take(stream.elements * slice.elements);
  value_weights = sram.take(stream.elements * slice.elements);
  output_weights = sram.take(query_elements * stream.elements);
  slice.query = sram.take(query_elements + 2 * slice.elements);
  key = slice.query + query_elements * bytes;
  value = key + slice.elements * bytes;
  slice.keys = sram.take(slice.elements * slice.positions);
  slice.values = sram.take(slice.positions * slice.elements);
  slice.mask = sram.take(slice.positions);
  slice.scores = sram.take(slice.queries * slice.positions);
  slice.maxima = sram.take(slice.queries);
  if (d.sinks) slice.sinks = sram.take(slice.queries);
  slice.sums = sram.take(slice.queries);
  slice.output = sram.take(query_elements);
  const int pairs = (slice.elements + 1) / 2;
  cosines = sram.take(pairs);
  sines = sram.take(pairs);
  scratch = sram.take(3 * pairs);
}

std::vector<mesh_kernel> grouped_attention::kernels(const residual_stream& stream) const {
  const int query_elements = slice.queries * slice.elements;
  std::vector<mesh_kernel> all;
  all.push_back(stream.norm("attention norm", norm_weights));
  all.push_back(gemv("query, key, value",
                     {{stream.elements, query_elements, query_weights, stream.normalised, slice.query, slice.type},
                      {stream.elements, slice.elements, key_weights, stream.normalised, key, slice.type},
                      {stream.elements, slice.elements, value_weights, stream.normalised, value, slice.type}},
                     axis::column));
  mesh_kernel rotary;
  rotary.name = "rotary embedding";
  add_rotary(rotary.before,
             {slice.queries + 1, slice.elements, slice.elements, slice.query, cosines, sines, scratch, slice.type});
  all.push_back(std::move(rotary));
  for (mesh_kernel& kernel : attention(slice))
    all.push_back(std::move(kernel));
  all.push_back(gemv("output projection",
                     {{query_elements, stream.elements, output_weights, slice.output, stream.projected, slice.type}},
                     axis::row));
  stream.add_projected(all.back());
  return all;
}

mesh_kernel grouped_attention::append(int position, const residual_stream& stream) const {
  return append_to_cache(slice, key, value, window ? position % *window : position, stream.columns, stream.rows);
}

std::vector<mesh_kernel> grouped_attention::kernels_at(int position, const residual_stream& stream) const {
  std::vector<mesh_kernel> all = kernels(stream);
  all.insert(all.begin() + kernels_before_append, append(position, stream));
  return all;
}

}  // namespace scribeline::kernels
