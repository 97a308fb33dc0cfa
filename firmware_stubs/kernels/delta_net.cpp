#include "firmware_stubs/kernels/delta_net.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

int columns_of_head(const delta_net_dimensions& d, const residual_stream& stream) {
  if (stream.columns % d.heads != 0)
    throw std::invalid_argument(fmt::format("{} columns do not divide by {} key heads", stream.columns, d.heads));
  return stream.columns / d.heads;
}

}  // namespace

delta_net::delta_net(const delta_net_dimensions& d, const residual_stream& stream, address_counter& sram)
    : dimensions(d),
      part(columns_of_head(d, stream)),
      key_elements(base::ceil_div(d.key_width, part)),
      value_elements(base::ceil_div(d.value_width, part)),
      own_keys(base::ceil_div(key_elements * part, stream.rows)),
      all_keys(own_keys * stream.rows),
      decays(d.rule == delta_rule::kimi ? own_keys : 1),
      convolution(2 * key_elements + d.values_per_head * value_elements, d.taps, stream.type, sram) {
  const int bytes = bytes_of(stream.type);
  const int heads = d.values_per_head;
  const int values = heads * value_elements;
  norm_weights = sram.take(stream.elements);
  query_weights = sram.take(stream.elements * key_elements);
  key_weights = sram.take(stream.elements * key_elements);
  value_weights = sram.take(stream.elements * values);
  gate_weights = sram.take(stream.elements * values);
  decay_weights = sram.take(stream.elements * raw_decays());
  beta_weights = sram.take(stream.elements * heads);
  rate = sram.take(heads);
  decay_bias = sram.take(heads * decays);
  output_norm_weights = sram.take(value_elements);
  output_weights = sram.take(values * stream.elements);
  query = sram.take(2 * key_elements + 2 * values + raw_decays() + heads);
  key = query + key_elements * bytes;
  value = key + key_elements * bytes;
  gate = value + values * bytes;
  raw_decay = gate + values * bytes;
  beta = raw_decay + raw_decays() * bytes;
  const int gathered_decays = d.rule == delta_rule::kimi ? heads * all_keys : 0;
  gathered_query = sram.take(2 * all_keys + gathered_decays + 3);
  gathered_key = gathered_query + all_keys * bytes;
  gathered_decay = gathered_key + all_keys * bytes;
  squares = gathered_decay + gathered_decays * bytes;
  decay = sram.take(heads * decays);
  state = sram.take(values * own_keys);
  held = sram.take(2 * values);
  read = held + values * bytes;
  normed = sram.take(values);
  gated = sram.take(values);
  norm_sums = sram.take(heads);
}

int delta_net::raw_decays() const {
  return dimensions.values_per_head * (dimensions.rule == delta_rule::kimi ? key_elements : 1);
}

mesh_kernel delta_net::project(const residual_stream& stream) const {
  const element_type type = stream.type;
  const int heads = dimensions.values_per_head;
  const auto tile = [&](int outputs, int weights, int output) {
    return gemv_tile{stream.elements, outputs, weights, stream.normalised, output, type};
  };
  mesh_kernel kernel =
      gemv("query, key, value, gate, decay, beta",
           {tile(key_elements, query_weights, query), tile(key_elements, key_weights, key),
            tile(heads * value_elements, value_weights, value), tile(heads * value_elements, gate_weights, gate),
            tile(raw_decays(), decay_weights, raw_decay), tile(heads, beta_weights, beta)},
           axis::column);
  convolution.add(kernel.after, query);
  add_logistic(kernel.after, type, beta, beta, heads);
  return kernel;
}

// The output follows from what the decayed state holds for the query and the product of query and key, so that one
// all-reduce serves both.
mesh_kernel delta_net::update(element_type type) const {
  const int bytes = bytes_of(type);
  const int n = value_elements;
  const int values = dimensions.values_per_head * n;
  mesh_kernel kernel;
  kernel.name = "state update";
  std::vector<instruction>& before = kernel.before;
  std::vector<instruction>& after = kernel.after;
  const auto own = [&](int vector, int i) { return affine(vector + i * bytes, 0, own_keys * bytes); };
  before.push_back(copy(type, sram(held), constant(0), 2 * values));
  after.push_back(binary(opcode::subtract, type, sram(value), sram(value), sram(held), values));
  for (int v = 0; v < dimensions.values_per_head; ++v) {
    const int first = v * n * bytes;
    const operand correction = sram(value + first);
    after.push_back(multiply_add(type, correction, constant(0), correction, beta + v * bytes, n));
    after.push_back(multiply_add(type, sram(read + first), sram(read + first), correction, squares + 2 * bytes, n));
    for (int i = 0; i < own_keys; ++i) {
      const operand line = sram(state + (v * own_keys + i) * n * bytes);
      const int by = decay + (v * decays + i % decays) * bytes;
      before.push_back(multiply_add(type, line, constant(0), line, by, n));
      before.push_back(multiply_add(type, sram(held + first), sram(held + first), line, own(gathered_key, i), n));
      before.push_back(multiply_add(type, sram(read + first), sram(read + first), line, own(gathered_query, i), n));
      after.push_back(multiply_add(type, line, line, correction, own(gathered_key, i), n));
    }
  }
  kernel.reduce = reduction{axis::column, {type, 2 * values, held, opcode::add}};
  return kernel;
}

mesh_kernel delta_net::gated_norm(const residual_stream& stream) const {
  const element_type type = stream.type;
  const int bytes = bytes_of(type);
  const int heads = dimensions.values_per_head;
  const int n = value_elements;
  const operand sums = sram(norm_sums);
  mesh_kernel kernel;
  kernel.name = "gated norm";
  kernel.before.push_back(copy(type, sums, constant(0), heads));
  for (int v = 0; v < heads; ++v) {
    const operand output = sram(read + v * n * bytes);
    kernel.before.push_back(
        binary(opcode::multiply_accumulate, type, sram(norm_sums + v * bytes, 0), output, output, n));
  }
  kernel.reduce = reduction{axis::row, {type, heads, norm_sums, opcode::add}, dimensions.heads};
  kernel.after = {binary(opcode::multiply, type, sums, sums, constant(1.0 / dimensions.value_width), heads),
                  add(type, sums, sums, constant(stream.epsilon), heads),
                  unary(opcode::reciprocal_root, type, sums, sums, heads)};
  for (int v = 0; v < heads; ++v) {
    const operand to = sram(normed + v * n * bytes);
    kernel.after.push_back(multiply_add(type, to, constant(0), sram(read + v * n * bytes), norm_sums + v * bytes, n));
    kernel.after.push_back(binary(opcode::multiply, type, to, to, sram(output_norm_weights), n));
  }
  const gate_slice slice{heads * n, gate, normed, gated, type};
  if (dimensions.rule == delta_rule::gated)
    add_silu_gate(kernel.after, slice);
  else
    add_logistic_gate(kernel.after, slice);
  return kernel;
}

std::vector<mesh_kernel> delta_net::kernels(const residual_stream& stream) const {
  std::vector<mesh_kernel> all{stream.norm("delta net norm", norm_weights), project(stream), gather(stream),
                               update(stream.type), gated_norm(stream)};
  all.push_back(gemv("output projection",
                     {{dimensions.values_per_head * value_elements, stream.elements, output_weights, gated,
                       stream.projected, stream.type}},
                     axis::row));
  stream.add_projected(all.back());
  return all;
}

}  // namespace scribeline::kernels
