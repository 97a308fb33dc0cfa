#include "firmware_stubs/kernels/tile_product.h"

#include <algorithm>

#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

// Runs `add` in a loop; once without one.
template <class Add>
void repeat(std::vector<instruction>& body, int times, Add&& add) {
  if (times > 1) body.push_back(begin_loop{times});
  add();
  if (times > 1) body.push_back(end_loop{});
}

// An address that moves with the loop of depth `loops` counted from the innermost one.
affine moving(int address, int inner, int outer = 0) {
  return affine(address).with_iteration(inner, outer);
}

opcode expansion(int bits) {
  return bits == 8 ? opcode::expand_8_bit : opcode::expand_4_bit;
}

}  // namespace

void add_multiply_adds(std::vector<instruction>& body, const tile_product& t) {
  const int bytes = bytes_of(t.type);
  const int row = t.length * bytes;
  const int scalars_row = t.reduced * bytes;
  repeat(body, t.repeats, [&] {
    body.push_back(multiply_add(t.type, sram(moving(t.output, row)), constant(0), sram(t.vectors),
                                moving(t.scalars, scalars_row), t.length));
    if (t.reduced == 1) return;
    // A loop of one turn still counts as the inner one.
    body.push_back(begin_loop{t.reduced - 1});
    const operand sum = sram(moving(t.output, 0, row));
    body.push_back(multiply_add(t.type, sum, sum, sram(moving(t.vectors + row, row)),
                                moving(t.scalars + bytes, bytes, scalars_row), t.length)
                       .keeping(kept_in_sum));
    body.push_back(end_loop{});
  });
}

void add_scalar_products(std::vector<instruction>& body, const tile_product& t) {
  const int bytes = bytes_of(t.type);
  const int row = t.reduced * bytes;
  body.push_back(copy(t.type, sram(t.output), constant(0), t.repeats * t.length));
  repeat(body, t.repeats, [&] {
    body.push_back(begin_loop{t.length});
    body.push_back(binary(opcode::multiply_accumulate, t.type, sram(moving(t.output, bytes, t.length * bytes), 0),
                          sram(moving(t.vectors, row)), sram(moving(t.scalars, 0, row)), t.reduced));
    body.push_back(end_loop{});
  });
}

void add_product(std::vector<instruction>& body, const tile_product& t) {
  const std::int64_t along_length = std::int64_t{t.repeats} * t.reduced;
  const std::int64_t along_reduced = std::int64_t{t.repeats} * t.length + 1;
  along_length <= along_reduced ? add_multiply_adds(body, t) : add_scalar_products(body, t);
}

void add_packed_by_input(std::vector<instruction>& body, const packed_tile& t) {
  const int bytes = bytes_of(t.type);
  const int packed = t.row_bytes(t.outputs);
  const int row = t.outputs * bytes;
  body.push_back(copy(t.type, sram(t.output), constant(0), t.tokens * t.outputs));
  // One turn: a row of weights times its input of every token. In the first one of a group sums begin.
  const auto add_input = [&](int first, bool begins, bool in_loop) {
    const affine weights = moving(t.weights + first * packed, in_loop ? packed : 0);
    body.push_back(unary(expansion(t.bits), t.type, sram(t.expanded), sram(weights), t.outputs));
    body.push_back(begin_loop{t.tokens});
    const operand sum = sram(moving(t.sums, row));
    body.push_back(multiply_add(t.type, sum, begins ? constant(0) : sum, sram(t.expanded),
                                moving(t.input + first * bytes, t.inputs * bytes, in_loop ? bytes : 0), t.outputs));
    body.push_back(end_loop{});
  };
  for (int g = 0; g < t.groups(); ++g) {
    const int first = g * t.group;
    const int inputs = std::min(t.group, t.inputs - first);
    add_input(first, true, false);
    if (inputs > 1) {
      body.push_back(begin_loop{inputs - 1});
      add_input(first + 1, false, true);
      body.push_back(end_loop{});
    }
    body.push_back(begin_loop{t.tokens});
    body.push_back(binary(opcode::multiply_accumulate, t.type, sram(moving(t.output, row)), sram(moving(t.sums, row)),
                          sram(t.scales + g * row), t.outputs));
    body.push_back(end_loop{});
  }
}

void add_packed_by_output(std::vector<instruction>& body, const packed_tile& t) {
  const int bytes = bytes_of(t.type);
  const int packed = t.row_bytes(t.inputs);
  const int row = t.outputs * bytes;
  const int sums_of_group = t.tokens * row;
  body.push_back(copy(t.type, sram(t.output), constant(0), t.tokens * t.outputs));
  body.push_back(copy(t.type, sram(t.sums), constant(0), t.groups() * t.tokens * t.outputs));
  body.push_back(begin_loop{t.outputs});
  body.push_back(unary(expansion(t.bits), t.type, sram(t.expanded), sram(moving(t.weights, packed)), t.inputs));
  body.push_back(begin_loop{t.tokens});
  for (int g = 0; g < t.groups(); ++g) {
    const int first = g * t.group;
    body.push_back(binary(opcode::multiply_accumulate, t.type, sram(moving(t.sums + g * sums_of_group, row, bytes), 0),
                          sram(t.expanded + first * bytes), sram(moving(t.input + first * bytes, t.inputs * bytes)),
                          std::min(t.group, t.inputs - first)));
  }
  body.push_back(end_loop{});
  body.push_back(end_loop{});
  for (int g = 0; g < t.groups(); ++g) {
    body.push_back(begin_loop{t.tokens});
    body.push_back(binary(opcode::multiply_accumulate, t.type, sram(moving(t.output, row)),
                          sram(moving(t.sums + g * sums_of_group, row)), sram(t.scales + g * row), t.outputs));
    body.push_back(end_loop{});
  }
}

void add_packed_by_token(std::vector<instruction>& body, const packed_tile& t) {
  const int bytes = bytes_of(t.type);
  const int row = t.tokens * bytes;
  body.push_back(begin_loop{t.outputs});
  body.push_back(
      unary(expansion(t.bits), t.type, sram(t.expanded), sram(moving(t.weights, t.row_bytes(t.inputs))), t.inputs));
  for (int g = 0; g < t.groups(); ++g) {
    const operand weights = sram(t.expanded + g * t.group * bytes);
    body.push_back(multiply_add(t.type, weights, constant(0), weights, moving(t.scales + g * bytes, t.groups() * bytes),
                                std::min(t.group, t.inputs - g * t.group)));
  }
  body.push_back(multiply_add(t.type, sram(moving(t.output, row)), constant(0), sram(t.input), t.expanded, t.tokens));
  if (t.inputs > 1) {
    body.push_back(begin_loop{t.inputs - 1});
    const operand sum = sram(moving(t.output, 0, row));
    body.push_back(
        multiply_add(t.type, sum, sum, sram(moving(t.input + row, row)), moving(t.expanded + bytes, bytes), t.tokens)
            .keeping(kept_in_sum));
    body.push_back(end_loop{});
  }
  body.push_back(end_loop{});
}

void add_packed_product(std::vector<instruction>& body, const packed_tile& t, bool along_tokens) {
  const std::int64_t groups = t.groups();
  const std::int64_t scaling = groups * t.tokens;
  const std::int64_t by_input = std::int64_t{t.inputs} * (1 + t.tokens) + scaling;
  const std::int64_t by_output = t.outputs * (1 + scaling) + scaling;
  const std::int64_t by_token = std::int64_t{t.outputs} * (1 + groups + t.inputs);
  if (along_tokens && by_token < std::min(by_input, by_output)) return add_packed_by_token(body, t);
  by_input <= by_output ? add_packed_by_input(body, t) : add_packed_by_output(body, t);
}

}  // namespace scribeline::kernels
