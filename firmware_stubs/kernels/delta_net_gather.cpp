// Query, key and decay of the token, from elements along the columns to channels along the rows.
#include <cmath>

#include "firmware_stubs/kernels/delta_net.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

// Added to the squared length of queries and keys, as in the models' code.
constexpr double length_epsilon = 1e-6;

}  // namespace

// Every core puts its column's elements where they belong in vectors of zeros; sums along the part complete them.
mesh_kernel delta_net::gather(const residual_stream& stream) const {
  const element_type type = stream.type;
  const int bytes = bytes_of(type);
  mesh_kernel kernel;
  kernel.name = "gather of query and key";
  std::vector<instruction>& body = kernel.before;
  const int elements = (squares - gathered_query) / bytes + 3;
  body.push_back(copy(type, sram(gathered_query), constant(0), elements));
  const auto place = [&](int vector, int from) {
    const affine own = affine(vector, key_elements * bytes, 0).wrapped(0, part * key_elements * bytes);
    body.push_back(copy(type, sram(own), sram(from), key_elements));
  };
  place(gathered_query, query);
  place(gathered_key, key);
  if (dimensions.rule == delta_rule::kimi)
    for (int v = 0; v < dimensions.values_per_head; ++v)
      place(gathered_decay + v * all_keys * bytes, raw_decay + v * key_elements * bytes);
  const auto product = [&](int number, int a, int b) {
    body.push_back(
        binary(opcode::multiply_accumulate, type, sram(squares + number * bytes, 0), sram(a), sram(b), key_elements));
  };
  product(0, query, query);
  product(1, key, key);
  product(2, query, key);
  kernel.reduce = reduction{axis::row, {type, elements, gathered_query, opcode::add}, dimensions.heads};
  add_lengths(kernel.after, type);
  add_decay(kernel.after, type);
  return kernel;
}

// Query and key of this row, and their product, with length one.
void delta_net::add_lengths(std::vector<instruction>& body, element_type type) const {
  const int bytes = bytes_of(type);
  const operand both = sram(squares);
  const int key_scale = squares + bytes;
  const operand product = sram(squares + 2 * bytes);
  body.push_back(add(type, both, both, constant(length_epsilon), 2));
  body.push_back(unary(opcode::reciprocal_root, type, both, both, 2));
  const double root = std::sqrt(static_cast<double>(dimensions.key_width));
  body.push_back(binary(opcode::multiply, type, both, both, constant(1 / root), 1));
  const auto scale = [&](int vector, int by) {
    const operand own = sram(affine(vector, 0, own_keys * bytes));
    body.push_back(multiply_add(type, own, constant(0), own, by, own_keys));
  };
  scale(gathered_query, squares);
  scale(gathered_key, key_scale);
  body.push_back(multiply_add(type, product, constant(0), product, squares, 1));
  body.push_back(multiply_add(type, product, constant(0), product, key_scale, 1));
}

void delta_net::add_decay(std::vector<instruction>& body, element_type type) const {
  const int bytes = bytes_of(type);
  const int heads = dimensions.values_per_head;
  const int all = heads * decays;
  const bool gathered = dimensions.rule == delta_rule::kimi;
  for (int v = 0; v < heads; ++v) {
    const operand raw = gathered ? sram(affine(gathered_decay + v * all_keys * bytes, 0, own_keys * bytes))
                                 : sram(raw_decay + v * bytes);
    const int first = v * decays * bytes;
    body.push_back(add(type, sram(decay + first), raw, sram(decay_bias + first), decays));
  }
  body.push_back(unary(opcode::exponential, type, sram(decay), sram(decay), all));
  body.push_back(add(type, sram(decay), sram(decay), constant(1), all));
  body.push_back(unary(opcode::logarithm, type, sram(decay), sram(decay), all));
  for (int v = 0; v < heads; ++v) {
    const operand of_head = sram(decay + v * decays * bytes);
    body.push_back(multiply_add(type, of_head, constant(0), of_head, rate + v * bytes, decays));
  }
  body.push_back(unary(opcode::exponential, type, sram(decay), sram(decay), all));
}

}  // namespace scribeline::kernels
