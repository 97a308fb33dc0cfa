#include "firmware_stubs/kernels/prompt_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "firmware_stubs/kernels/rotary.h"
#include "firmware_stubs/kernels/softmax.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

// Added to scores of keys that come after the query; fp16 ends at 65504.
constexpr double comes_later = -30000;

void append_to(std::vector<mesh_step>& all, std::vector<mesh_step> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

}  // namespace

prompt_attention::prompt_attention(const attention_slice& cache_, prompt_stream& stream, address_counter& sram)
    : cache(cache_) {
  if (cache.elements % 2 != 0)
    throw std::invalid_argument(
        fmt::format("{} elements of a head in a core: rotary embedding turns pairs", cache.elements));
  if (stream.tokens > cache.positions)
    throw std::invalid_argument(fmt::format("a prompt of {} tokens in a row of cores, whose cache has {} positions",
                                            stream.tokens, cache.positions));
  const int bytes = bytes_of(stream.type);
  const int heads_elements = (cache.queries + 2) * cache.elements;
  tiles.side = stream.side;
  tiles.kv_heads = cache.kv_heads;
  tiles.queries = cache.queries;
  tiles.elements = cache.elements;
  tiles.tokens = stream.tokens;
  tiles.type = stream.type;
  norm_weights = sram.take(stream.elements);
  weights = sram.take(stream.elements * heads_elements);
  output_weights = sram.take(cache.queries * cache.elements * stream.elements);
  // All three come from one product.
  tiles.query = sram.take(heads_elements * tiles.tokens);
  tiles.key = tiles.query + cache.queries * tiles.tile_elements() * bytes;
  tiles.value = tiles.key + tiles.tile_elements() * bytes;
  tiles.output = sram.take(cache.queries * tiles.tile_elements());
  mask = sram.take(tiles.tokens * tiles.tokens);
  statistics = sram.take(tiles.heads() * tiles.tokens);
  const int pairs = tiles.tile_elements() / 2;
  cosines = sram.take(pairs);
  sines = sram.take(pairs);
  scratch = sram.take(3 * pairs);
  const int widest = std::max(stream.elements, cache.queries * cache.elements);
  stream.reserve(std::max(widest * tiles.tokens, tiles.score_elements()),
                 std::max({stream.elements * heads_elements, cache.queries * cache.elements * stream.elements,
                           tiles.tile_elements()}));
}

std::vector<double> prompt_attention::causal_mask(coordinate core) const {
  const int keys_row = aligned_position(core, tiles.side);
  std::vector<double> entries;
  for (int key = 0; key < tiles.tokens; ++key)
    for (int query = 0; query < tiles.tokens; ++query)
      entries.push_back(key * tiles.side + keys_row <= query * tiles.side + core.row ? 0 : comes_later);
  return entries;
}

mesh_kernel prompt_attention::rotary() const {
  mesh_kernel kernel;
  kernel.name = "rotary embedding";
  const int elements = tiles.tile_elements();
  add_rotary(kernel.before, {tiles.queries + 1, elements, elements, tiles.query, cosines, sines, scratch, tiles.type});
  return kernel;
}

// Tokens go round the rows: the last one of some rows is not there.
std::vector<mesh_kernel> prompt_attention::append(int length) const {
  const int bytes = bytes_of(cache.type);
  mesh_kernel all_rows;
  all_rows.name = "cache append";
  for (int e = 0; e < cache.elements; ++e) {
    const int of_element = e * tiles.tokens * bytes;
    all_rows.before.push_back(
        copy(cache.type, sram(cache.keys + e * cache.positions * bytes), sram(tiles.key + of_element), tiles.tokens));
    all_rows.before.push_back(
        copy(cache.type, sram(cache.values + e * bytes, cache.elements), sram(tiles.value + of_element), tiles.tokens));
  }
  all_rows.before.push_back(copy(cache.type, sram(cache.mask), constant(0), length / tiles.side));
  mesh_kernel longer_rows;
  longer_rows.name = "cache append, last tokens";
  longer_rows.before.push_back(copy(cache.type, sram(cache.mask + length / tiles.side * bytes), constant(0), 1));
  longer_rows.where = rectangle(0, 0, tiles.side, length % tiles.side);
  if (length % tiles.side == 0) return {std::move(all_rows)};
  return {std::move(all_rows), std::move(longer_rows)};
}

std::vector<mesh_step> prompt_attention::steps(int length, const prompt_stream& stream, const fabric_chip& chip,
                                               const gemm_schedule& schedule) const {
  if (length < 1 || length > tiles.side * tiles.tokens)
    throw std::invalid_argument(
        fmt::format("a prompt of {} tokens where there is room for 1 to {}", length, tiles.side * tiles.tokens));
  attention_tiles t = tiles;
  t.scores = stream.buffers_along_rows();
  t.shifted = stream.buffers_along_columns();
  softmax_tiles scores;
  scores.tiles = t.heads();
  scores.vectors = scores.elements = t.tokens;
  scores.data = t.finished_scores();
  scores.mask = mask;
  scores.statistics = statistics;
  scores.scale = cache.scale;
  scores.type = t.type;
  const int query_elements = t.queries * t.elements;
  std::vector<mesh_step> all;
  all.emplace_back(stream.norm("attention norm", norm_weights));
  append_to(all, stream.product("query, key, value", stream.elements, query_elements + 2 * t.elements,
                                stream.normalised, weights, t.query, chip, schedule));
  all.emplace_back(rotary());
  for (mesh_kernel& kernel : append(length))
    all.emplace_back(std::move(kernel));
  all.emplace_back(attention_scores(chip, t, schedule));
  for (mesh_kernel& kernel : softmax(scores, collectives::axis::row))
    all.emplace_back(std::move(kernel));
  all.emplace_back(attention_output(chip, t, schedule));
  append_to(all, stream.product("output projection", query_elements, stream.elements, t.output, output_weights,
                                stream.projected, chip, schedule));
  all.emplace_back(stream.add_projected("attention residual"));
  return all;
}

}  // namespace scribeline::kernels
