// The operations of recurrences: delta-rule linear attention and Mamba-2; and which mixer a layer has.
#include "firmware_stubs/plan/attention_operations.h"

namespace scribeline::plan {
namespace {

// A short convolution keeps the last kernel - 1 inputs, in the width of the activations.
void add_convolution(layer_builder& build, std::uint32_t channels, std::uint32_t kernel, bool bias) {
  operation& op = build.elementwise(op_kind::convolution, "convolution", channels);
  build.add_weights(op, std::uint64_t{channels} * kernel + (bias ? channels : 0));
  op.state_bytes = model::stored_bytes(model::plain_format(16), std::uint64_t{channels} * (kernel - 1), 1);
  op.macs_per_token = static_cast<double>(channels) * kernel;
}

// `passes`: multiply-accumulates per element of the state and token.
operation& add_state_update(layer_builder& build, std::uint32_t heads, std::uint32_t rows, std::uint32_t columns,
                            std::uint32_t bits, int passes) {
  operation& op = build.elementwise(op_kind::state_update, "state_update", rows, heads);
  op.outputs = columns;
  op.heads = heads;
  op.key_width = rows;
  op.value_width = columns;
  const std::uint64_t elements = std::uint64_t{heads} * rows * columns;
  op.state_bytes = base::bytes{static_cast<std::int64_t>(elements * bits / 8)};
  op.macs_per_token = static_cast<double>(elements) * passes;
  return op;
}

// Gated delta net: queries, keys, values and output gate come from one projection.
void add_gated_delta(layer_builder& build, const model::delta_attention& a, const std::string& module) {
  const std::uint32_t hidden = build.model().hidden_width;
  const std::uint32_t keys = a.key_heads * a.key_width;
  const std::uint32_t values = a.value_heads * a.value_width;
  build.projection("in_proj_qkvz", module, hidden, 2 * keys + 2 * values);
  build.projection("in_proj_ba", module, hidden, 2 * a.value_heads).beside_previous = true;
  add_convolution(build, 2 * keys + values, a.convolution, false);
  // Decay, what the state holds for the key, the correction, what it holds for the query.
  operation& state = add_state_update(build, a.value_heads, a.key_width, a.value_width, a.state_bits, 4);
  build.add_weights(state, 2 * std::uint64_t{a.value_heads});  // decay rate and its bias
  build.norm("gated_norm", a.value_width, a.value_heads);
  build.projection("out_proj", module, values, hidden);
}

// Kimi delta attention: the decay has one number per key channel and a projection of its own.
void add_kimi_delta(layer_builder& build, const model::delta_attention& a, const std::string& module) {
  const std::uint32_t hidden = build.model().hidden_width;
  const std::uint32_t keys = a.key_heads * a.key_width;
  const std::uint32_t values = a.value_heads * a.value_width;
  build.projection("q_proj", module, hidden, keys);
  build.projection("k_proj", module, hidden, keys).beside_previous = true;
  build.projection("v_proj", module, hidden, values).beside_previous = true;
  build.projection("f_a_proj", module, hidden, a.decay_rank).beside_previous = true;
  build.projection("b_proj", module, hidden, a.value_heads).beside_previous = true;
  if (a.gate_rank == 0)
    build.projection("g_proj", module, hidden, values).beside_previous = true;
  else
    build.projection("g_a_proj", module, hidden, a.gate_rank).beside_previous = true;
  build.projection("f_b_proj", module, a.decay_rank, keys);
  if (a.gate_rank != 0) build.projection("g_b_proj", module, a.gate_rank, values).beside_previous = true;
  add_convolution(build, 2 * keys + values, a.convolution, false);
  operation& state = add_state_update(build, a.value_heads, a.key_width, a.value_width, a.state_bits, 4);
  build.add_weights(state, std::uint64_t{a.value_heads} + keys);  // decay rates per head, their bias per channel
  build.norm("gated_norm", a.value_width, a.value_heads);
  build.projection("o_proj", module, values, hidden);
}

void add_mamba2(layer_builder& build, const model::mamba2& m, const std::string& module) {
  const std::uint32_t hidden = build.model().hidden_width;
  const std::uint32_t inner = m.heads * m.head_width;
  const std::uint32_t shared = 2 * m.groups * m.state_width;
  build.projection("in_proj", module, hidden, 2 * inner + shared + m.heads, m.projection_bias);
  add_convolution(build, inner + shared, m.convolution, m.convolution_bias);
  // Decay, the new input, the read-out.
  operation& state = add_state_update(build, m.heads, m.head_width, m.state_width, m.state_bits, 3);
  build.add_weights(state, 3 * std::uint64_t{m.heads});  // decay rate, skip weight, time-step bias
  build.norm("gated_norm", inner);
  build.projection("out_proj", module, inner, hidden, m.projection_bias);
}

struct mixer_visitor {
  layer_builder& build;
  const std::string& module;

  void operator()(const model::no_attention&) const {}
  void operator()(const model::grouped_attention& a) const { add_grouped_attention(build, a, module); }
  void operator()(const model::latent_attention& a) const { add_latent_attention(build, a, module); }
  void operator()(const model::compressed_attention& a) const { add_compressed_attention(build, a, module); }
  void operator()(const model::delta_attention& a) const {
    if (a.forgetting == model::delta_attention::decay::per_head)
      add_gated_delta(build, a, module);
    else
      add_kimi_delta(build, a, module);
  }
  void operator()(const model::mamba2& m) const { add_mamba2(build, m, module); }
};

}  // namespace

void add_mixer(layer_builder& build, const model::layer_spec& layer) {
  std::visit(mixer_visitor{build, layer.mixer_module}, layer.mixer);
}

}  // namespace scribeline::plan
