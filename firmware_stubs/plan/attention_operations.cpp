// The operations of attention: grouped-query, latent (absorbed), compressed sparse.
#include "firmware_stubs/plan/attention_operations.h"

namespace scribeline::plan {
namespace {

// The index keeps one 8-bit key per entry with a 32-bit scale (DeepSeek-V3.2 inference code: an FP8 key cache
// with one FP32 scale per 128 elements).
base::bytes index_entry_bytes(const model::sparse_index& index) {
  return base::bytes{std::int64_t{index.width} + 4 * base::ceil_div<std::int64_t>(index.width, 128)};
}

void set_reach(operation& op, const model::grouped_attention& a) {
  using reach = model::grouped_attention::span;
  op.window = a.window;
  op.reach = a.reach == reach::all ? span::all : a.reach == reach::chunk ? span::chunk : span::sliding_window;
}

// Weights of one half of kv_b_proj, carried into the query or out of the values: one matrix per head.
operation& absorbed_product(layer_builder& build, const std::string& name, const std::string& module,
                            std::uint32_t heads, std::uint32_t inputs, std::uint32_t outputs) {
  matrix_shape shape{inputs, outputs};
  shape.copies = heads;
  shape.active_copies = heads;
  return build.product(op_kind::projection, name, module + ".kv_b_proj", model::weight_role::linear, shape);
}

operation& attend(layer_builder& build, const std::string& name, std::uint32_t heads, std::uint32_t kv_heads,
                  std::uint32_t key_width, std::uint32_t value_width, base::bytes entry) {
  operation& op = build.elementwise(op_kind::attention, name, key_width, heads);
  op.outputs = value_width;
  op.heads = heads;
  op.kv_heads = kv_heads;
  op.key_width = key_width;
  op.value_width = value_width;
  op.cache_entry_bytes = entry;
  return op;
}

// Queries and weights of the index, its scores over the cached keys, the choice. The keys are made elsewhere.
void add_index(layer_builder& build, const model::sparse_index& index, const std::string& module,
               std::uint32_t query_inputs, std::uint32_t positions_per_entry) {
  build.projection("index_q_proj", module + ".indexer", query_inputs, index.heads * index.width);
  build.unquantized_projection("index_weights_proj", build.model().hidden_width, index.heads).beside_previous = true;
  operation& op = build.elementwise(op_kind::index, "index_score_and_select", index.width, index.heads);
  op.outputs = index.top_k;
  op.heads = index.heads;
  op.kv_heads = 1;
  op.key_width = index.width;
  op.positions_per_entry = positions_per_entry;
  op.cache_entry_bytes = index_entry_bytes(index);
}

void add_index_key(layer_builder& build, const model::sparse_index& index, const std::string& module) {
  build.projection("index_k_proj", module + ".indexer", build.model().hidden_width, index.width).beside_previous = true;
  operation& norm = build.norm("index_k_norm", index.width);
  build.add_weights(norm, index.width);  // a layer norm: scale and shift
  build.append("index_append", index_entry_bytes(index));
}

// Pools every `ratio` positions (2 x ratio when overlapping) into one entry of `width`: values and gates are
// projected, a softmax over the positions of a stretch weighs them. Unfinished stretches wait in 32 bit.
std::uint32_t compressor_lanes(const model::compressed_attention& a, std::uint32_t width) {
  return (a.overlapping ? 2 : 1) * width;
}

void add_compressor_projections(layer_builder& build, const std::string& name, std::uint32_t lanes) {
  const std::uint32_t hidden = build.model().hidden_width;
  build.unquantized_projection(name + "_kv_proj", hidden, lanes).beside_previous = true;
  build.unquantized_projection(name + "_gate_proj", hidden, lanes).beside_previous = true;
}

void add_compressor_pool(layer_builder& build, const std::string& name, const model::compressed_attention& a,
                         std::uint32_t width, base::bytes entry) {
  const std::uint32_t lanes = compressor_lanes(a, width);
  operation& pool = build.elementwise(op_kind::compress, name + "_pool", lanes);
  pool.outputs = width;
  pool.positions_per_entry = a.ratio;
  pool.macs_per_token = lanes;
  const std::int64_t stretch = (a.overlapping ? 2 : 1) * std::int64_t{a.ratio};
  pool.state_bytes = base::bytes{2 * 4 * stretch * lanes};  // values and gate scores
  build.add_weights(pool, std::uint64_t{a.ratio} * lanes);  // learned position bias of the gates
  build.norm(name + "_norm", width);
  build.append(name + "_append", entry).positions_per_entry = a.ratio;
}

}  // namespace

void add_grouped_attention(layer_builder& build, const model::grouped_attention& a, const std::string& module) {
  const std::uint32_t hidden = build.model().hidden_width;
  const std::uint32_t output_width = a.heads * a.value_width;
  build.projection("q_proj", module, hidden, a.heads * a.key_width, a.input_bias);
  build.projection("k_proj", module, hidden, a.kv_heads * a.key_width, a.input_bias).beside_previous = true;
  build.projection("v_proj", module, hidden, a.kv_heads * a.value_width, a.input_bias).beside_previous = true;
  if (a.output_gate) build.projection("gate_proj", module, hidden, output_width).beside_previous = true;
  if (a.norm != model::query_key_norm::none) {
    const bool weightless = a.norm == model::query_key_norm::weightless;
    build.norm("q_norm", a.key_width, a.heads, weightless);
    build.norm("k_norm", a.key_width, a.kv_heads, weightless).beside_previous = true;
  }
  if (a.rotary_width != 0) build.elementwise(op_kind::rotary, "rotary", a.rotary_width, a.heads + a.kv_heads);
  const base::bytes entry = build.cache_bytes(std::uint64_t{a.kv_heads} * (a.key_width + a.value_width));
  set_reach(build.append("kv_append", entry), a);
  operation& attention = attend(build, "score_and_value", a.heads, a.kv_heads, a.key_width, a.value_width, entry);
  set_reach(attention, a);
  if (a.sinks) build.add_weights(attention, a.heads);
  if (a.output_gate) build.elementwise(op_kind::activation, "output_gate", output_width);
  build.projection("o_proj", module, output_width, hidden, a.output_bias);
}

void add_latent_attention(layer_builder& build, const model::latent_attention& a, const std::string& module) {
  const std::uint32_t hidden = build.model().hidden_width;
  const std::uint32_t query_width = a.heads * (a.nope_width + a.rope_width);
  const std::uint32_t cached_width = a.latent_width + a.rope_width;
  const std::uint32_t output_width = a.heads * a.value_width;
  if (a.query_rank != 0)
    build.projection("q_a_proj", module, hidden, a.query_rank);
  else
    build.projection("q_proj", module, hidden, query_width);
  build.projection("kv_a_proj_with_mqa", module, hidden, cached_width).beside_previous = true;
  if (a.output_gate) build.projection("g_proj", module, hidden, output_width).beside_previous = true;
  if (a.index) add_index_key(build, *a.index, module);
  if (a.query_rank != 0) {
    build.norm("q_a_norm", a.query_rank);
    build.norm("kv_a_norm", a.latent_width).beside_previous = true;
    build.projection("q_b_proj", module, a.query_rank, query_width);
  } else {
    build.norm("kv_a_norm", a.latent_width);
  }
  if (a.rotary) build.elementwise(op_kind::rotary, "rotary", a.rope_width, a.heads + 1);
  const base::bytes entry = build.cache_bytes(cached_width);
  build.append("latent_append", entry);
  absorbed_product(build, "absorb_key", module, a.heads, a.nope_width, a.latent_width).beside_previous = true;
  if (a.index) add_index(build, *a.index, module, a.query_rank != 0 ? a.query_rank : hidden, 1);
  operation& attention = attend(build, "score_and_value", a.heads, 1, cached_width, a.latent_width, entry);
  if (a.index) attention.sparse_top_k = a.index->top_k;
  absorbed_product(build, "absorb_value", module, a.heads, a.latent_width, a.value_width);
  if (a.output_gate) build.elementwise(op_kind::activation, "output_gate", output_width);
  build.projection("o_proj", module, output_width, hidden);
}

void add_compressed_attention(layer_builder& build, const model::compressed_attention& a, const std::string& module) {
  const std::uint32_t hidden = build.model().hidden_width;
  const base::bytes entry = build.cache_bytes(a.width);  // key and value are the same vector
  build.projection("q_a_proj", module, hidden, a.query_rank);
  build.projection("kv_proj", module, hidden, a.width).beside_previous = true;
  if (a.ratio != 0) add_compressor_projections(build, "compressor", compressor_lanes(a, a.width));
  if (a.index) add_compressor_projections(build, "index_compressor", compressor_lanes(a, a.index->width));
  if (a.ratio != 0) add_compressor_pool(build, "compressor", a, a.width, entry);
  if (a.index) add_compressor_pool(build, "index_compressor", a, a.index->width, index_entry_bytes(*a.index));
  build.norm("q_a_norm", a.query_rank);
  build.norm("kv_norm", a.width).beside_previous = true;
  build.projection("q_b_proj", module, a.query_rank, a.heads * a.width);
  build.norm("q_norm", a.width, a.heads, true);
  build.elementwise(op_kind::rotary, "rotary", a.rope_width, a.heads + 1);
  operation& window = build.append("window_append", entry);
  window.reach = span::sliding_window;
  window.window = a.window;
  if (a.index) add_index(build, *a.index, module, a.query_rank, a.ratio);
  operation& near = attend(build, "window_score_and_value", a.heads, 1, a.width, a.width, entry);
  near.reach = span::sliding_window;
  near.window = a.window;
  build.add_weights(near, a.heads);  // sinks
  if (a.ratio != 0) {
    operation& far = attend(build, "compressed_score_and_value", a.heads, 1, a.width, a.width, entry);
    far.beside_previous = true;
    far.positions_per_entry = a.ratio;
    if (a.index) far.sparse_top_k = a.index->top_k;
  }
  build.elementwise(op_kind::rotary, "inverse_rotary", a.rope_width, a.heads);
  matrix_shape down{a.heads / a.output_groups * a.width, a.output_rank};
  down.copies = a.output_groups;
  down.active_copies = a.output_groups;
  build.product(op_kind::projection, "o_a_proj", module + ".wo_a", model::weight_role::linear, down);
  build.projection("o_b_proj", module, a.output_groups * a.output_rank, hidden);
}

}  // namespace scribeline::plan
