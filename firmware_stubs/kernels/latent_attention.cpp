#include "firmware_stubs/kernels/latent_attention.h"

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/rotary.h"

namespace scribeline::kernels {

using collectives::axis;

latent_attention::latent_attention(const latent_attention_dimensions& d, const residual_stream& stream,
                                   address_counter& sram)
    : latent_total(d.latent),
      latent(base::ceil_div(d.latent, stream.columns)),
      rotary(2 * base::ceil_div(d.rotary, 2 * stream.columns)) {
  const int bytes = fabric::bytes_of(stream.type);
  slice.queries = d.heads;
  slice.elements = latent + rotary;
  slice.value_elements = latent;
  slice.positions = base::ceil_div(d.positions, stream.rows);
  slice.scale = d.scale;
  slice.type = stream.type;
  norm_weights = sram.take(stream.elements);
  latent_norm_weights = sram.take(latent);
  query_weights = sram.take(stream.elements * d.heads * slice.elements);
  key_weights = sram.take(stream.elements * slice.elements);
  output_weights = sram.take(d.heads * latent * stream.elements);
  slice.query = sram.take((d.heads + 1) * slice.elements);
  key = slice.query + d.heads * slice.elements * bytes;
  slice.keys = sram.take(slice.elements * slice.positions);
  slice.values = sram.take(slice.positions * latent);
  slice.mask = sram.take(slice.positions);
  slice.scores = sram.take(d.heads * slice.positions);
  slice.maxima = sram.take(d.heads);
  slice.sums = sram.take(d.heads);
  slice.output = sram.take(d.heads * latent);
  sum = sram.take(1);
  cosines = sram.take(rotary / 2);
  sines = sram.take(rotary / 2);
  scratch = sram.take(3 * (rotary / 2));
  if (d.index) {
    const rotary_slice turn{1, rotary, rotary, 0, cosines, sines, scratch, slice.type};
    index.emplace(*d.index, slice, turn, stream, sram);
  }
}

std::vector<mesh_kernel> latent_attention::kernels_at(int position, const residual_stream& stream) const {
  const int bytes = fabric::bytes_of(slice.type);
  std::vector<mesh_kernel> all;
  all.push_back(stream.norm("attention norm", norm_weights));
  all.push_back(gemv(
      "query, latent",
      {{stream.elements, slice.queries * slice.elements, query_weights, stream.normalised, slice.query, slice.type},
       {stream.elements, slice.elements, key_weights, stream.normalised, key, slice.type}},
      axis::column));
  all.push_back(rms_norm("latent norm",
                         {latent, latent_total, key, latent_norm_weights, key, sum, stream.epsilon, slice.type},
                         axis::row));
  add_rotary(all.back().after, {slice.queries + 1, slice.elements, rotary, slice.query + latent * bytes, cosines, sines,
                                scratch, slice.type});
  if (index) all.push_back(index->products(stream));
  all.push_back(append_to_cache(slice, key, key, position, stream.columns, stream.rows));
  attention_slice attended = slice;
  if (index) {
    index->add_append(all.back(), position / stream.rows);
    for (mesh_kernel& kernel : index->choose(slice.mask))
      all.push_back(std::move(kernel));
    attended.mask = index->selection;
  }
  for (mesh_kernel& kernel : attention(attended))
    all.push_back(std::move(kernel));
  all.push_back(
      gemv("output projection",
           {{slice.queries * latent, stream.elements, output_weights, slice.output, stream.projected, slice.type}},
           axis::row));
  stream.add_projected(all.back());
  return all;
}

}  // namespace scribeline::kernels
