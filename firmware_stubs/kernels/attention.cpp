#include "firmware_stubs/kernels/attention.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/softmax.h"

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
  std::vector<mesh_kernel> all = softmax(softmax_rows{slice.queries, slice.positions, slice.scores, slice.mask,
                                                      slice.maxima, slice.sums, slice.scale, slice.type, slice.sinks},
                                         axis::column);
  all.insert(all.begin(), scores(slice));
  all.push_back(weighted_values(slice));
  return all;
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
