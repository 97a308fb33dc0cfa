// Families whose layers are mostly recurrent: Qwen3.5 (gated delta net), Kimi Linear / K3 (Kimi delta
// attention) and Nemotron-H (Mamba-2), each with a few attention layers between.
#include <fmt/format.h>

#include <cmath>

#include "firmware_stubs/model/families.h"

namespace scribeline::model {
namespace {

std::uint32_t read_state_bits(config_object& config, const std::string& key) {
  if (!config.has(key)) {
    config.disregard({key.c_str()});
    return 32;
  }
  return config.one_of(key, {"float32", "bfloat16", "float16"}) == "float32" ? 32 : 16;
}

std::uint32_t read_rotary_width(config_object& config, std::uint32_t head_width) {
  if (!config.has("rope_parameters")) return head_width;
  const double factor = config.object("rope_parameters").number_or("partial_rotary_factor", 1.0);
  if (!(factor >= 0 && factor <= 1))
    config.fail("rope_parameters.partial_rotary_factor", fmt::format("{} is out of range; 0 .. 1 is possible", factor));
  return static_cast<std::uint32_t>(std::llround(factor * head_width));
}

delta_attention read_gated_delta(config_object& config) {
  delta_attention delta;
  delta.forgetting = delta_attention::decay::per_head;
  delta.key_heads = config.positive("linear_num_key_heads");
  delta.value_heads = config.positive("linear_num_value_heads");
  delta.key_width = config.positive("linear_key_head_dim");
  delta.value_width = config.positive("linear_value_head_dim");
  delta.convolution = config.positive("linear_conv_kernel_dim");
  delta.state_bits = read_state_bits(config, "mamba_ssm_dtype");
  if (delta.value_heads % delta.key_heads != 0)
    config.fail("linear_num_value_heads",
                fmt::format("{} is not a multiple of linear_num_key_heads {}", delta.value_heads, delta.key_heads));
  return delta;
}

// Marks the layers (numbered from 1) listed under `key`; each layer belongs to one list.
void mark_layers(config_object& lists, const std::string& key, bool recurrent, std::vector<int>& kind_of_layer) {
  for (const std::uint32_t number : lists.counts(key)) {
    if (number == 0 || number > kind_of_layer.size())
      lists.fail(key,
                 fmt::format("layer {} does not exist; layers are numbered 1 .. {}", number, kind_of_layer.size()));
    if (kind_of_layer[number - 1] != -1) lists.fail(key, fmt::format("layer {} is listed twice", number));
    kind_of_layer[number - 1] = recurrent ? 1 : 0;
  }
}

std::vector<int> read_recurrent_layers(config_object& lists, std::uint32_t layers) {
  std::vector<int> recurrent(layers, -1);
  mark_layers(lists, "full_attn_layers", false, recurrent);
  mark_layers(lists, "kda_layers", true, recurrent);
  for (std::uint32_t i = 0; i < layers; ++i)
    if (recurrent[i] == -1) lists.fail("kda_layers", fmt::format("layer {} is in neither list", i + 1));
  return recurrent;
}

delta_attention read_kimi_delta(config_object& lists) {
  delta_attention delta;
  delta.forgetting = delta_attention::decay::per_channel;
  delta.key_heads = lists.positive("num_heads");
  delta.value_heads = delta.key_heads;
  delta.key_width = lists.positive("head_dim");
  delta.value_width = delta.key_width;
  delta.decay_rank = delta.key_width;
  delta.gate_rank = lists.flag_or("use_full_rank_gate", false) ? 0 : delta.value_width;
  delta.convolution = lists.positive("short_conv_kernel_size");
  lists.disregard({"gate_lower_bound"});
  return delta;
}

latent_attention read_kimi_latent(config_object& config) {
  latent_attention attention = read_latent_attention(config);
  attention.rotary = !config.flag_or("mla_use_nope", false);
  attention.output_gate = config.flag_or("mla_use_output_gate", false);
  return attention;
}

mixture_of_experts read_kimi_experts(config_object& config) {
  mixture_of_experts moe;
  moe.experts = config.positive("num_experts");
  moe.active = config.positive("num_experts_per_token");
  moe.expert_width = config.positive("moe_intermediate_size", largest::width);
  moe.latent_width = config.positive_or("routed_expert_hidden_size", 0, largest::width);
  moe.latent_norm = config.flag_or("latent_moe_use_norm", false);
  moe.shared_width = moe.expert_width * config.count_or("num_shared_experts", 0, largest::parallel);
  moe.router_bias = true;  // e_score_correction_bias of its router
  check_experts(config, "num_experts_per_token", moe);
  check_activation(config, "hidden_act");
  config.disregard({"moe_renormalize", "moe_router_activation_func", "num_expert_group", "topk_group", "topk_method",
                    "use_grouped_topk", "routed_scaling_factor", "activation_situ_beta",
                    "activation_situ_linear_beta"});
  return moe;
}

mamba2 read_mamba2(config_object& config) {
  mamba2 mixer;
  mixer.heads = config.positive("mamba_num_heads");
  mixer.head_width = config.positive("mamba_head_dim");
  mixer.groups = config.positive("n_groups");
  mixer.state_width = config.positive("ssm_state_size");
  mixer.convolution = config.positive("conv_kernel");
  mixer.convolution_bias = config.flag_or("use_conv_bias", true);
  mixer.projection_bias = config.flag_or("mamba_proj_bias", false) || config.flag_or("use_bias", false);
  mixer.state_bits = read_state_bits(config, "mamba_ssm_cache_dtype");
  check_activation(config, "mamba_hidden_act");
  config.disregard({"expand", "chunk_size", "time_step_floor", "time_step_limit", "time_step_max", "time_step_min",
                    "use_mamba_kernels", "mamba_proj_bias", "use_bias"});
  return mixer;
}

mixture_of_experts read_nemotron_experts(config_object& config, bool gated) {
  mixture_of_experts moe;
  moe.experts = config.positive("n_routed_experts");
  moe.active = config.positive("num_experts_per_tok");
  moe.expert_width = config.positive("moe_intermediate_size", largest::width);
  moe.latent_width = config.positive_or("moe_latent_size", 0, largest::width);
  const std::uint32_t shared = config.count_or("n_shared_experts", 0, largest::parallel);
  moe.shared_width = shared == 0 ? 0 : shared * config.positive("moe_shared_expert_intermediate_size", largest::width);
  moe.gated = gated;
  moe.router_bias = true;  // e_score_correction_bias of its router
  check_experts(config, "num_experts_per_tok", moe);
  config.disregard({"n_group", "topk_group", "norm_topk_prob", "routed_scaling_factor", "moe_shared_expert_overlap",
                    "moe_shared_expert_intermediate_size"});
  return moe;
}

// What the letters of a hybrid pattern stand for.
struct nemotron_parts {
  mamba2 recurrence;
  grouped_attention attention;
  mixture_of_experts moe;
  dense_feed_forward dense;
};

layer_spec nemotron_layer(config_object& config, const std::string& key, const nemotron_parts& parts, char letter,
                          std::uint32_t index) {
  layer_spec spec;
  spec.index = index;
  spec.mixer_module = "mixer";
  spec.ffn_module = "mixer";
  switch (letter) {
    case 'M':
      spec.mixer = parts.recurrence;
      break;
    case '*':
      spec.mixer = parts.attention;
      break;
    case 'E':
      spec.ffn = parts.moe;
      break;
    case '-':
      spec.ffn = parts.dense;
      break;
    default:
      config.fail(key, fmt::format("layer kind '{}' is not known; known: M (Mamba-2), * (attention), E (mixture of "
                                   "experts), - (dense)",
                                   letter));
  }
  return spec;
}

}  // namespace

void read_qwen3_5_moe(config_object& config, model_spec& model) {
  grouped_attention attention = read_grouped_attention(config, model);
  attention.norm = query_key_norm::weighted;
  attention.output_gate = config.flag_or("attn_output_gate", true);
  attention.rotary_width = read_rotary_width(config, attention.key_width);
  const delta_attention delta = read_gated_delta(config);
  mixture_of_experts moe;
  moe.experts = config.positive("num_experts");
  moe.active = config.positive("num_experts_per_tok");
  moe.expert_width = config.positive("moe_intermediate_size", largest::width);
  moe.shared_width = config.count_or("shared_expert_intermediate_size", 0, largest::width);
  moe.shared_gate = moe.shared_width != 0;
  check_experts(config, "num_experts_per_tok", moe);
  check_activation(config, "hidden_act");
  config.must_be_empty("mlp_only_layers");
  config.must_be("mtp_use_dedicated_embeddings", false);
  config.disregard({"full_attention_interval", "router_aux_loss_coef", "norm_topk_prob", "output_router_logits"});

  const std::uint32_t layers = config.positive("num_hidden_layers");
  const std::vector<std::string> types = read_layer_types(config, layers, {"linear_attention", "full_attention"});
  const auto layer = [&](std::uint32_t index, bool recurrent) {
    layer_spec spec;
    spec.index = index;
    spec.mixer = recurrent ? token_mixer(delta) : token_mixer(attention);
    spec.mixer_module = recurrent ? "linear_attn" : "self_attn";
    spec.ffn = moe;
    return spec;
  };
  for (std::uint32_t i = 0; i < layers; ++i)
    model.layers.push_back(layer(i, types[i] == "linear_attention"));
  const std::uint32_t drafts = config.count_or("mtp_num_hidden_layers", 0);
  for (std::uint32_t i = 0; i < drafts; ++i)
    model.drafts.push_back({{layer(layers + i, false)}});
}

void read_kimi_linear(config_object& config, model_spec& model) {
  const latent_attention latent = read_kimi_latent(config);
  const std::uint32_t layers = config.positive("num_hidden_layers");
  config_object lists = config.object("linear_attn_config");
  const std::vector<int> recurrent = read_recurrent_layers(lists, layers);
  const delta_attention delta = read_kimi_delta(lists);
  lists.finish();
  const mixture_of_experts moe = read_kimi_experts(config);
  dense_feed_forward dense;
  dense.width = config.positive("intermediate_size", largest::width);
  const std::uint32_t dense_layers = config.count_or("first_k_dense_replace", 0);
  const std::uint32_t moe_step = config.positive_or("moe_layer_freq", 1);
  config.must_equal("num_nextn_predict_layers", 0);
  if (config.has("attn_res_block_size")) {
    model.residual.how = residual_path::kind::depth_attention;
    model.residual.block_layers = config.positive("attn_res_block_size");
    model.notes.push_back(
        "attn_res_block_size is taken as whole layers per block (an assumption): every half of a "
        "layer attends to the embedding and the outputs of the earlier blocks");
  }
  for (std::uint32_t i = 0; i < layers; ++i) {
    layer_spec spec;
    spec.index = i;
    spec.mixer = recurrent[i] == 1 ? token_mixer(delta) : token_mixer(latent);
    const bool is_moe = i >= dense_layers && i % moe_step == 0;
    spec.ffn = is_moe ? feed_forward(moe) : feed_forward(dense);
    spec.ffn_module = is_moe ? "block_sparse_moe" : "mlp";
    model.layers.push_back(spec);
  }
  if (moe.latent_width != 0)
    model.notes.push_back(
        "the projections into and out of the routed experts' width are stored as the quantization "
        "says for any linear layer it does not ignore (their names are an assumption)");
}

void read_nemotron_h(config_object& config, model_spec& model) {
  nemotron_parts parts;
  parts.recurrence = read_mamba2(config);
  parts.attention = read_grouped_attention(config, model);
  parts.attention.rotary_width = 0;  // the recurrence orders the tokens; attention has no position embedding
  if (config.has("sliding_window")) config.fail("sliding_window", "a window is not modelled in this family");
  const bool gated = config.one_of("mlp_hidden_act", {"relu2", "silu"}) == "silu";
  parts.moe = read_nemotron_experts(config, gated);
  parts.dense = {config.positive("intermediate_size", largest::width), gated, config.flag_or("mlp_bias", false)};
  config.disregard({"sliding_window", "norm_eps", "layer_norm_epsilon", "num_logits_to_keep", "partial_rotary_factor",
                    "rescale_prenorm_residual", "residual_in_fp32", "hidden_dropout"});

  const std::string pattern = config.text("hybrid_override_pattern");
  if (pattern.size() != config.positive("num_hidden_layers"))
    config.fail("hybrid_override_pattern",
                fmt::format("has {} letters for {} layers", pattern.size(), config.positive("num_hidden_layers")));
  for (const char letter : pattern)
    model.layers.push_back(nemotron_layer(config, "hybrid_override_pattern", parts, letter,
                                          static_cast<std::uint32_t>(model.layers.size())));
  const std::string draft_pattern = config.text_or("mtp_hybrid_override_pattern", "");
  const std::uint32_t drafts = config.count_or("num_nextn_predict_layers", 0);
  if (drafts != 0 && draft_pattern.empty())
    config.fail("mtp_hybrid_override_pattern",
                "required key is missing; num_nextn_predict_layers asks for draft layers");
  for (std::uint32_t d = 0; d < drafts; ++d) {
    draft_module module;
    for (const char letter : draft_pattern)
      module.layers.push_back(nemotron_layer(config, "mtp_hybrid_override_pattern", parts, letter,
                                             static_cast<std::uint32_t>(model.layers.size() + module.layers.size())));
    model.drafts.push_back(module);
  }
}

}  // namespace scribeline::model
