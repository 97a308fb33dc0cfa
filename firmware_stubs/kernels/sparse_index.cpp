#include "firmware_stubs/kernels/sparse_index.h"

#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

sparse_index::sparse_index(const index_dimensions& d, const attention_slice& cache, const rotary_slice& rotary_,
                           const residual_stream& stream, address_counter& sram)
    : heads(d.heads),
      plain(base::ceil_div(d.plain, stream.columns)),
      elements(plain + rotary_.elements),
      positions(cache.positions),
      type(stream.type),
      rotary(rotary_),
      search(positions, d.chosen, type, sram) {
  const int bytes = bytes_of(type);
  query_weights = sram.take(stream.elements * heads * elements);
  key_weights = sram.take(stream.elements * elements);
  head_weights = sram.take(stream.elements * heads);
  query = sram.take((heads + 1) * elements + heads);
  key = query + heads * elements * bytes;
  weights = key + elements * bytes;
  keys = sram.take(elements * positions);
  scores = sram.take(heads * positions);
  total = sram.take(positions);
  selection = sram.take(positions);
  rotary.vectors = heads + 1;
  rotary.distance = elements;
  rotary.data = query + plain * bytes;
}

mesh_kernel sparse_index::products(const residual_stream& stream) const {
  mesh_kernel kernel = gemv("index query, key, weights",
                            {{stream.elements, heads * elements, query_weights, stream.normalised, query, type},
                             {stream.elements, elements, key_weights, stream.normalised, key, type},
                             {stream.elements, heads, head_weights, stream.normalised, weights, type}},
                            axis::column);
  add_rotary(kernel.after, rotary);
  return kernel;
}

void sparse_index::add_append(mesh_kernel& append, int slot) const {
  append.before.push_back(copy(type, sram(keys + slot * bytes_of(type), positions), sram(key), elements));
}

std::vector<mesh_kernel> sparse_index::choose(int mask) const {
  const int bytes = bytes_of(type);
  mesh_kernel kernel;
  kernel.name = "index scores";
  for (int h = 0; h < heads; ++h)
    add_gemv(kernel.before,
             {elements, positions, keys, query + h * elements * bytes, scores + h * positions * bytes, type});
  kernel.reduce = reduction{axis::row, {type, heads * positions, scores, opcode::add}};
  kernel.after = {binary(opcode::maximum, type, sram(scores), sram(scores), constant(0), heads * positions)};
  for (int h = 0; h < heads; ++h)
    kernel.after.push_back(multiply_add(type, sram(total), sram(h == 0 ? mask : total),
                                        sram(scores + h * positions * bytes), weights + h * bytes, positions));
  std::vector<mesh_kernel> all{std::move(kernel)};
  for (mesh_kernel& round : search.kernels(total, axis::column))
    all.push_back(std::move(round));
  search.add_mask(all.back().after, total, mask, selection);
  return all;
}

}  // namespace scribeline::kernels
