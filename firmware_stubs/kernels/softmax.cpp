#include "firmware_stubs/kernels/softmax.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

constexpr const char* maximum_name = "softmax maximum";
constexpr const char* sum_name = "softmax sum";

mesh_kernel maximum_of(const softmax_rows& s, axis along) {
  mesh_kernel kernel;
  kernel.name = maximum_name;
  const int bytes = bytes_of(s.type);
  for (int v = 0; v < s.vectors; ++v) {
    const operand row = sram(s.data + v * s.elements * bytes);
    const int maximum = s.maxima + v * bytes;
    kernel.before.push_back(binary(opcode::multiply, s.type, row, row, constant(s.scale), s.elements));
    kernel.before.push_back(add(s.type, row, row, sram(s.mask), s.elements));
    kernel.before.push_back(copy(s.type, sram(maximum), row, 1));
    kernel.before.push_back(binary(opcode::maximum, s.type, sram(maximum, 0), sram(maximum, 0), row, s.elements));
  }
  kernel.reduce = reduction{along, {s.type, s.vectors, s.maxima, opcode::maximum}};
  if (s.sinks)
    kernel.after.push_back(binary(opcode::maximum, s.type, sram(s.maxima), sram(s.maxima), sram(*s.sinks), s.vectors));
  return kernel;
}

// Every core adds the sinks to the sums it knows, in place of the maxima, which are not needed any more.
void add_sinks(std::vector<instruction>& body, const softmax_rows& s) {
  const operand term = sram(s.maxima);
  body.push_back(binary(opcode::subtract, s.type, term, sram(*s.sinks), term, s.vectors));
  body.push_back(unary(opcode::exponential, s.type, term, term, s.vectors));
  body.push_back(add(s.type, sram(s.sums), sram(s.sums), term, s.vectors));
}

mesh_kernel sum_of(const softmax_rows& s, axis along) {
  mesh_kernel kernel;
  kernel.name = sum_name;
  const int bytes = bytes_of(s.type);
  for (int v = 0; v < s.vectors; ++v) {
    const operand row = sram(s.data + v * s.elements * bytes);
    const int sum = s.sums + v * bytes;
    kernel.before.push_back(multiply_add(s.type, row, row, constant(-1), s.maxima + v * bytes, s.elements));
    kernel.before.push_back(unary(opcode::exponential, s.type, row, row, s.elements));
    kernel.before.push_back(copy(s.type, sram(sum), constant(0), 1));
    kernel.before.push_back(add(s.type, sram(sum, 0), sram(sum, 0), row, s.elements));
  }
  kernel.reduce = reduction{along, {s.type, s.vectors, s.sums, opcode::add}};
  if (s.sinks) add_sinks(kernel.after, s);
  kernel.after.push_back(unary(opcode::reciprocal, s.type, sram(s.sums), sram(s.sums), s.vectors));
  for (int v = 0; v < s.vectors; ++v) {
    const operand row = sram(s.data + v * s.elements * bytes);
    kernel.after.push_back(multiply_add(s.type, row, constant(0), row, s.sums + v * bytes, s.elements));
  }
  return kernel;
}

// Element `e` of all vectors of a tile, and the statistics of a tile.
operand elements_of(const softmax_tiles& s, int tile, int e) {
  return sram(s.data + (tile * s.elements + e) * s.vectors * bytes_of(s.type));
}
operand statistics_of(const softmax_tiles& s, int tile) {
  return sram(s.statistics + tile * s.vectors * bytes_of(s.type));
}

void add_scale_and_mask(std::vector<instruction>& body, const softmax_tiles& s) {
  const int elements = s.elements * s.vectors;
  for (int tile = 0; tile < s.tiles; ++tile) {
    const operand all = elements_of(s, tile, 0);
    if (s.scale != 1) body.push_back(binary(opcode::multiply, s.type, all, all, constant(s.scale), elements));
    if (s.mask >= 0) body.push_back(add(s.type, all, all, sram(s.mask), elements));
  }
}

mesh_kernel maximum_of(const softmax_tiles& s, axis along) {
  mesh_kernel kernel;
  kernel.name = maximum_name;
  add_scale_and_mask(kernel.before, s);
  for (int tile = 0; tile < s.tiles; ++tile) {
    const operand maxima = statistics_of(s, tile);
    kernel.before.push_back(copy(s.type, maxima, elements_of(s, tile, 0), s.vectors));
    for (int e = 1; e < s.elements; ++e)
      kernel.before.push_back(binary(opcode::maximum, s.type, maxima, maxima, elements_of(s, tile, e), s.vectors));
  }
  kernel.reduce = reduction{along, {s.type, s.tiles * s.vectors, s.statistics, opcode::maximum}};
  return kernel;
}

mesh_kernel sum_of(const softmax_tiles& s, axis along) {
  mesh_kernel kernel;
  kernel.name = sum_name;
  for (int tile = 0; tile < s.tiles; ++tile) {
    const operand statistics = statistics_of(s, tile);
    for (int e = 0; e < s.elements; ++e)
      kernel.before.push_back(
          binary(opcode::subtract, s.type, elements_of(s, tile, e), elements_of(s, tile, e), statistics, s.vectors));
    kernel.before.push_back(
        unary(opcode::exponential, s.type, elements_of(s, tile, 0), elements_of(s, tile, 0), s.elements * s.vectors));
    kernel.before.push_back(copy(s.type, statistics, constant(0), s.vectors));
    for (int e = 0; e < s.elements; ++e)
      kernel.before.push_back(add(s.type, statistics, statistics, elements_of(s, tile, e), s.vectors));
  }
  kernel.reduce = reduction{along, {s.type, s.tiles * s.vectors, s.statistics, opcode::add}};
  const operand all = statistics_of(s, 0);
  kernel.after.push_back(unary(opcode::reciprocal, s.type, all, all, s.tiles * s.vectors));
  for (int tile = 0; tile < s.tiles; ++tile)
    for (int e = 0; e < s.elements; ++e)
      kernel.after.push_back(binary(opcode::multiply, s.type, elements_of(s, tile, e), elements_of(s, tile, e),
                                    statistics_of(s, tile), s.vectors));
  return kernel;
}

}  // namespace

std::vector<mesh_kernel> softmax(const softmax_rows& rows, axis along) {
  return {maximum_of(rows, along), sum_of(rows, along)};
}

std::vector<mesh_kernel> softmax(const softmax_tiles& tiles, axis along) {
  return {maximum_of(tiles, along), sum_of(tiles, along)};
}

}  // namespace scribeline::kernels
