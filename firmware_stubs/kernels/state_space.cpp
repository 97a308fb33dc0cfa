#include "firmware_stubs/kernels/state_space.h"

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

state_space::state_space(const state_space_dimensions& d, const residual_stream& stream, address_counter& sram)
    : channels(base::ceil_div(d.channels, stream.columns)), state(base::ceil_div(d.state, stream.rows)) {
  const int bytes = bytes_of(stream.type);
  const int all_states = state * stream.rows;
  norm_weights = sram.take(stream.elements);
  channel_weights = sram.take(3 * stream.elements * channels);
  read_weights = sram.take(2 * stream.elements * all_states);
  decay = sram.take(channels);
  skip = sram.take(channels);
  output_weights = sram.take(channels * stream.elements);
  gate = sram.take(3 * channels + 2 * all_states);
  step = gate + channels * bytes;
  x = step + channels * bytes;
  b = x + channels * bytes;
  c = b + all_states * bytes;
  h = sram.take(state * channels);
  decayed = sram.take(channels);
  read_out = sram.take(channels);
  gated = sram.take(channels);
  if (d.taps > 0) convolution.emplace(channels + 2 * all_states, d.taps, stream.type, sram);
}

std::vector<mesh_kernel> state_space::kernels(const residual_stream& stream) const {
  const element_type type = stream.type;
  const int bytes = bytes_of(type);
  const int matrix = stream.elements * channels * bytes;
  const int all_states = state * stream.rows;
  std::vector<mesh_kernel> all;
  all.push_back(stream.norm("state norm", norm_weights));
  all.push_back(gemv("gate, step, x, B, C",
                     {{stream.elements, channels, channel_weights + matrix, stream.normalised, gate, type},
                      {stream.elements, channels, channel_weights + 2 * matrix, stream.normalised, step, type},
                      {stream.elements, channels, channel_weights, stream.normalised, x, type},
                      {stream.elements, 2 * all_states, read_weights, stream.normalised, b, type}},
                     axis::column));
  if (convolution) convolution->add(all.back().after, x);
  mesh_kernel update;
  update.name = "state update";
  std::vector<instruction>& body = update.before;
  const auto multiply = [&](int dst, int first, int second) {
    body.push_back(binary(opcode::multiply, type, sram(dst), sram(first), sram(second), channels));
  };
  body.push_back(unary(opcode::exponential, type, sram(step), sram(step), channels));
  body.push_back(add(type, sram(step), sram(step), constant(1), channels));
  body.push_back(unary(opcode::logarithm, type, sram(step), sram(step), channels));
  multiply(decayed, step, decay);
  body.push_back(unary(opcode::exponential, type, sram(decayed), sram(decayed), channels));
  multiply(step, step, x);
  for (int n = 0; n < state; ++n) {
    const int element = h + n * channels * bytes;
    // B and C are known to all cores; a row uses its own elements.
    const affine own_b(b + n * bytes, 0, state * bytes);
    const affine own_c(c + n * bytes, 0, state * bytes);
    multiply(element, element, decayed);
    body.push_back(multiply_add(type, sram(element), sram(element), sram(step), own_b, channels));
    body.push_back(
        multiply_add(type, sram(read_out), n == 0 ? constant(0) : sram(read_out), sram(element), own_c, channels));
  }
  update.reduce = reduction{axis::column, {type, channels, read_out, opcode::add}};
  update.after.push_back(binary(opcode::multiply_accumulate, type, sram(read_out), sram(skip), sram(x), channels));
  add_silu_gate(update.after, {channels, gate, read_out, gated, type});
  all.push_back(std::move(update));
  all.push_back(gemv("output projection", {{channels, stream.elements, output_weights, gated, stream.projected, type}},
                     axis::row));
  stream.add_projected(all.back());
  return all;
}

}  // namespace scribeline::kernels
