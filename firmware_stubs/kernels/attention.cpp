#include "firmware_stubs/kernels/attention.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

mesh_kernel scores(const attention_slice& s) {
  mesh_kernel kernel;
  kernel.name = "scores";
  const int bytes = bytes_of(s.type);
  for (int q = 0; q < s.queries; ++q)
    add_gemv(kernel.before, {s.elements, s.positions, s.keys, s.query + q * s.elements * bytes,
                             s.scores + q * s.positions * bytes, s.type});
  kernel.reduce = reduction{axis::row, {s.type, s.queries * s.positions, s.scores, opcode::add}, s.kv_heads};
  return kernel;
}

mesh_kernel maxima(const attention_slice& s) {
  mesh_kernel kernel;
  kernel.name = "softmax maximum";
  const int bytes = bytes_of(s.type);
  for (int q = 0; q < s.queries; ++q) {
    const int row = s.scores + q * s.positions * bytes;
    const int maximum = s.maxima + q * bytes;
    kernel.before.push_back(binary(opcode::multiply, s.type, sram(row), sram(row), constant(s.scale), s.positions));
    kernel.before.push_back(add(s.type, sram(row), sram(row), sram(s.mask), s.positions));
    kernel.before.push_back(copy(s.type, sram(maximum), sram(row), 1));
    kernel.before.push_back(
        binary(opcode::maximum, s.type, sram(maximum, 0), sram(maximum, 0), sram(row), s.positions));
  }
  kernel.reduce = reduction{axis::column, {s.type, s.queries, s.maxima, opcode::maximum}};
  if (s.sinks)
    kernel.after.push_back(binary(opcode::maximum, s.type, sram(s.maxima), sram(s.maxima), sram(*s.sinks), s.queries));
  return kernel;
}

// Every core adds the sinks to the sums it knows, in place of the maxima, which are not needed any more.
void add_sinks(std::vector<instruction>& body, const attention_slice& s) {
  const operand term = sram(s.maxima);
  body.push_back(binary(opcode::subtract, s.type, term, sram(*s.sinks), term, s.queries));
  body.push_back(unary(opcode::exponential, s.type, term, term, s.queries));
  body.push_back(add(s.type, sram(s.sums), sram(s.sums), term, s.queries));
}

mesh_kernel sums(const attention_slice& s) {
  mesh_kernel kernel;
  kernel.name = "softmax sum";
  const int bytes = bytes_of(s.type);
  for (int q = 0; q < s.queries; ++q) {
    const int row = s.scores + q * s.positions * bytes;
    const int sum = s.sums + q * bytes;
    kernel.before.push_back(
        multiply_add(s.type, sram(row), sram(row), constant(-1), s.maxima + q * bytes, s.positions));
    kernel.before.push_back(unary(opcode::exponential, s.type, sram(row), sram(row), s.positions));
    kernel.before.push_back(copy(s.type, sram(sum), constant(0), 1));
    kernel.before.push_back(add(s.type, sram(sum, 0), sram(sum, 0), sram(row), s.positions));
  }
  kernel.reduce = reduction{axis::column, {s.type, s.queries, s.sums, opcode::add}};
  if (s.sinks) add_sinks(kernel.after, s);
  kernel.after.push_back(unary(opcode::reciprocal, s.type, sram(s.sums), sram(s.sums), s.queries));
  for (int q = 0; q < s.queries; ++q) {
    const int row = s.scores + q * s.positions * bytes;
    kernel.after.push_back(multiply_add(s.type, sram(row), constant(0), sram(row), s.sums + q * bytes, s.positions));
  }
  return kernel;
}

mesh_kernel weighted_values(const attention_slice& s) {
  mesh_kernel kernel;
  kernel.name = "attention output";
  const int bytes = bytes_of(s.type);
  for (int q = 0; q < s.queries; ++q)
    add_gemv(kernel.before, {s.positions, s.value_elements, s.values, s.scores + q * s.positions * bytes,
                             s.output + q * s.value_elements * bytes, s.type});
  kernel.reduce = reduction{axis::column, {s.type, s.queries * s.value_elements, s.output, opcode::add}};
  return kernel;
}

}  // namespace

std::vector<mesh_kernel> attention(const attention_slice& slice) {
  return {scores(slice), maxima(slice), sums(slice), weighted_values(slice)};
}

mesh_kernel append_to_cache(const attention_slice& s, int key, int value, int position, int columns, int rows) {
  const int bytes = bytes_of(s.type);
  const int slot = position / rows;
  if (slot >= s.positions)
    throw std::invalid_argument(
        fmt::format("position {} of a cache for {} positions on {} rows", position, s.positions * rows, rows));
  mesh_kernel kernel;
  kernel.name = "cache append";
  kernel.before = {copy(s.type, sram(s.keys + slot * bytes, s.positions), sram(key), s.elements),
                   copy(s.type, sram(s.values + slot * s.value_elements * bytes), sram(value), s.value_elements),
                   copy(s.type, sram(s.mask + slot * bytes), constant(0), 1)};
  kernel.where = rectangle(0, position % rows, columns, 1);
  return kernel;
}

}  // namespace scribeline::kernels
