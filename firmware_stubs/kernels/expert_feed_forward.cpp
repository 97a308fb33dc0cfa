#include "firmware_stubs/kernels/expert_feed_forward.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/expert_choice.h"
#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

expert_feed_forward::expert_feed_forward(const expert_dimensions& d, const residual_stream& stream,
                                         address_counter& sram)
    : dimensions(d) {
  if (stream.columns % d.groups != 0 || d.experts % d.groups != 0)
    throw std::invalid_argument(
        fmt::format("{} columns or {} experts do not divide by {} groups", stream.columns, d.experts, d.groups));
  held = d.experts / d.groups;
  elements = base::ceil_div(d.width, stream.columns / d.groups);
  const int inner = held * elements;
  norm_weights = sram.take(stream.elements);
  router_weights = sram.take(stream.elements * d.experts);
  up_weights = sram.take(stream.elements * inner);
  gate_weights = sram.take(stream.elements * inner);
  down_weights = sram.take(inner * stream.elements);
  membership = sram.take(held * d.experts);
  scores = sram.take(d.experts);
  rest = sram.take(d.experts);
  hit = sram.take(d.experts);
  weights = sram.take(d.experts);
  best = sram.take(3);
  own = sram.take(held);
  up = sram.take(2 * inner);
  gate = up + inner * bytes_of(stream.type);
  gated = sram.take(inner);
}

// The softmax of the scores over the chosen experts, zero elsewhere; then the weights of the held ones.
void expert_feed_forward::add_choice(std::vector<instruction>& body, element_type type) const {
  const int n = dimensions.experts;
  const int bytes = bytes_of(type);
  add_expert_choice(body, {n, dimensions.chosen, scores, weights, rest, hit, best, type});
  body.push_back(copy(type, sram(own), constant(0), held));
  for (int e = 0; e < held; ++e)
    body.push_back(binary(opcode::multiply_accumulate, type, sram(own + e * bytes, 0), sram(membership + e * n * bytes),
                          sram(weights), n));
}

std::vector<mesh_kernel> expert_feed_forward::route(const residual_stream& stream) const {
  const element_type type = stream.type;
  std::vector<mesh_kernel> all;
  all.push_back(stream.norm("feed-forward norm", norm_weights));
  all.push_back(gemv("router", {{stream.elements, dimensions.experts, router_weights, stream.normalised, scores, type}},
                     axis::column));
  add_choice(all.back().after, type);
  return all;
}

mesh_kernel expert_feed_forward::combine(const residual_stream& stream) const {
  mesh_kernel kernel;
  kernel.name = "combine";
  kernel.reduce = reduction{axis::row, {stream.type, stream.elements, stream.projected, opcode::add}};
  stream.add_projected(kernel);
  return kernel;
}

std::vector<mesh_kernel> expert_feed_forward::kernels(const residual_stream& stream) const {
  const element_type type = stream.type;
  const int bytes = bytes_of(type);
  const int inner = held * elements;
  std::vector<mesh_kernel> all = route(stream);
  all.push_back(gemv("experts, up and gate",
                     {{stream.elements, inner, up_weights, stream.normalised, up, type},
                      {stream.elements, inner, gate_weights, stream.normalised, gate, type}},
                     axis::column));
  add_silu_gate(all.back().after, {inner, gate, up, gated, type});
  for (int e = 0; e < held; ++e) {
    const operand of_expert = sram(gated + e * elements * bytes);
    all.back().after.push_back(multiply_add(type, of_expert, constant(0), of_expert, own + e * bytes, elements));
  }
  all.push_back(
      gemv("experts, down", {{inner, stream.elements, down_weights, gated, stream.projected, type}}, axis::row));
  stream.add_projected(all.back());
  return all;
}

}  // namespace scribeline::kernels
