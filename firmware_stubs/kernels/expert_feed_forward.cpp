#include "firmware_stubs/kernels/expert_feed_forward.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

// Takes a chosen score out of the race; scores in 16 bit are far from it.
constexpr double out_of_the_race = -30000;

}  // namespace

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
  best = sram.take(2);
  own = sram.take(held);
  up = sram.take(2 * inner);
  gate = up + inner * bytes_of(stream.type);
  gated = sram.take(inner);
}

// The softmax of the scores over the chosen experts, zero elsewhere; then the weights of the held ones.
void expert_feed_forward::add_choice(std::vector<instruction>& body, element_type type) const {
  const int n = dimensions.experts;
  const int bytes = bytes_of(type);
  const int first_best = best + bytes;
  const operand chosen = sram(weights);
  body.push_back(copy(type, sram(rest), sram(scores), n));
  body.push_back(copy(type, chosen, constant(0), n));
  for (int i = 0; i < dimensions.chosen; ++i) {
    body.push_back(copy(type, sram(best), sram(rest), 1));
    body.push_back(binary(opcode::maximum, type, sram(best, 0), sram(best, 0), sram(rest), n));
    if (i == 0) body.push_back(copy(type, sram(first_best), sram(best), 1));
    body.push_back(binary(opcode::at_least, type, sram(hit), sram(rest), sram(best, 0), n));
    body.push_back(add(type, chosen, chosen, sram(hit), n));
    body.push_back(binary(opcode::multiply, type, sram(hit), sram(hit), constant(out_of_the_race), n));
    body.push_back(add(type, sram(rest), sram(rest), sram(hit), n));
  }
  body.push_back(multiply_add(type, sram(rest), sram(scores), constant(-1), first_best, n));
  body.push_back(unary(opcode::exponential, type, sram(rest), sram(rest), n));
  body.push_back(binary(opcode::multiply, type, chosen, chosen, sram(rest), n));
  body.push_back(copy(type, sram(best), constant(0), 1));
  body.push_back(add(type, sram(best, 0), sram(best, 0), chosen, n));
  body.push_back(unary(opcode::reciprocal, type, sram(best), sram(best), 1));
  body.push_back(multiply_add(type, chosen, constant(0), chosen, best, n));
  body.push_back(copy(type, sram(own), constant(0), held));
  for (int e = 0; e < held; ++e)
    body.push_back(binary(opcode::multiply_accumulate, type, sram(own + e * bytes, 0), sram(membership + e * n * bytes),
                          chosen, n));
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
