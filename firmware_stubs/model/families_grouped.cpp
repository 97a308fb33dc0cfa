// Families with grouped-query attention: Llama 3, Llama 4, Qwen3 (dense and mixture of experts), gpt-oss.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "firmware_stubs/model/families.h"

namespace scribeline::model {

void check_activation(config_object& config, const std::string& key) {
  if (config.has(key)) config.one_of(key, {"silu", "gelu", "gelu_pytorch_tanh", "relu", "relu2", "situ"});
  config.disregard({key.c_str()});
}

grouped_attention read_grouped_attention(config_object& config, const model_spec& model) {
  grouped_attention attention;
  attention.heads = config.positive("num_attention_heads");
  attention.kv_heads = config.positive_or("num_key_value_heads", attention.heads);
  if (attention.heads % attention.kv_heads != 0)
    config.fail("num_key_value_heads",
                fmt::format("{} does not divide num_attention_heads {}", attention.kv_heads, attention.heads));
  if (!config.has("head_dim") && model.hidden_width % attention.heads != 0)
    config.fail("num_attention_heads", fmt::format("{} does not divide hidden_size {}, and head_dim is not given",
                                                   attention.heads, model.hidden_width));
  attention.key_width = config.positive_or("head_dim", model.hidden_width / attention.heads);
  attention.value_width = attention.key_width;
  attention.rotary_width = attention.key_width;
  attention.input_bias = config.flag_or("attention_bias", false);
  attention.output_bias = attention.input_bias;
  return attention;
}

std::vector<std::string> read_layer_types(config_object& config, std::uint32_t layers,
                                          std::initializer_list<const char*> known) {
  const std::vector<std::string> types = config.texts("layer_types");
  if (types.size() != layers)
    config.fail("layer_types", fmt::format("has {} entries for {} layers", types.size(), layers));
  for (const std::string& type : types)
    if (std::find(known.begin(), known.end(), type) == known.end())
      config.fail("layer_types", fmt::format("layer kind '{}' is not known; known: {}", type, fmt::join(known, ", ")));
  return types;
}

void check_experts(config_object& config, const std::string& key, const mixture_of_experts& moe) {
  if (moe.active > moe.experts)
    config.fail(key, fmt::format("{} experts per token are more than the {} there are", moe.active, moe.experts));
}

namespace {

layer_spec layer(std::uint32_t index, token_mixer mixer, feed_forward ffn) {
  layer_spec spec;
  spec.index = index;
  spec.mixer = std::move(mixer);
  spec.ffn = std::move(ffn);
  return spec;
}

grouped_attention with_window(const grouped_attention& attention, std::uint32_t window) {
  grouped_attention windowed = attention;
  windowed.reach = grouped_attention::span::sliding_window;
  windowed.window = window;
  return windowed;
}

// Attention with weighted norms of queries and keys, and a window in the layers from max_window_layers on where
// use_sliding_window says so.
struct qwen3_attention {
  grouped_attention whole;
  bool windowed = false;
  std::uint32_t first_windowed = 0;
  std::uint32_t window = 0;

  token_mixer of_layer(std::uint32_t index) const {
    return windowed && index >= first_windowed ? with_window(whole, window) : whole;
  }
};

qwen3_attention read_qwen3_attention(config_object& config, const model_spec& model, std::uint32_t layers) {
  qwen3_attention attention;
  attention.whole = read_grouped_attention(config, model);
  attention.whole.norm = query_key_norm::weighted;
  attention.windowed = config.flag_or("use_sliding_window", false);
  attention.first_windowed = config.count_or("max_window_layers", layers);
  if (attention.windowed) attention.window = config.positive("sliding_window", largest::width);
  config.disregard({"sliding_window"});
  return attention;
}

}  // namespace

void read_llama(config_object& config, model_spec& model) {
  const grouped_attention attention = read_grouped_attention(config, model);
  dense_feed_forward ffn;
  ffn.width = config.positive("intermediate_size", largest::width);
  ffn.bias = config.flag_or("mlp_bias", false);
  check_activation(config, "hidden_act");
  config.disregard({"pretraining_tp"});
  const std::uint32_t layers = config.positive("num_hidden_layers");
  for (std::uint32_t i = 0; i < layers; ++i)
    model.layers.push_back(layer(i, attention, ffn));
}

void read_qwen3(config_object& config, model_spec& model) {
  const std::uint32_t layers = config.positive("num_hidden_layers");
  const qwen3_attention attention = read_qwen3_attention(config, model, layers);
  dense_feed_forward ffn;
  ffn.width = config.positive("intermediate_size", largest::width);
  check_activation(config, "hidden_act");
  for (std::uint32_t i = 0; i < layers; ++i)
    model.layers.push_back(layer(i, attention.of_layer(i), ffn));
}

void read_qwen3_moe(config_object& config, model_spec& model) {
  const std::uint32_t layers = config.positive("num_hidden_layers");
  const qwen3_attention attention = read_qwen3_attention(config, model, layers);
  config.disregard({"norm_topk_prob", "output_router_logits", "router_aux_loss_coef"});
  dense_feed_forward dense;
  dense.width = config.positive("intermediate_size", largest::width);
  mixture_of_experts moe;
  moe.experts = config.positive("num_experts");
  moe.active = config.positive("num_experts_per_tok");
  moe.expert_width = config.positive("moe_intermediate_size", largest::width);
  check_experts(config, "num_experts_per_tok", moe);
  check_activation(config, "hidden_act");
  const std::uint32_t step = config.positive_or("decoder_sparse_step", 1);
  const std::vector<std::uint32_t> dense_layers = config.counts_or_empty("mlp_only_layers");
  for (std::uint32_t i = 0; i < layers; ++i) {
    const bool is_dense =
        (i + 1) % step != 0 || std::find(dense_layers.begin(), dense_layers.end(), i) != dense_layers.end();
    const feed_forward ffn = is_dense ? feed_forward(dense) : feed_forward(moe);
    model.layers.push_back(layer(i, attention.of_layer(i), ffn));
  }
}

// Layers alternate between chunked attention with rotary embedding and full attention without it (every
// no_rope_layer_interval-th, 4 by default); every interleave_moe_layer_step-th layer is a mixture of experts
// with one shared expert.
void read_llama4(config_object& config, model_spec& model) {
  grouped_attention chunked = read_grouped_attention(config, model);
  chunked.reach = grouped_attention::span::chunk;
  chunked.window = config.positive("attention_chunk_size", largest::width);
  grouped_attention full = chunked;
  full.reach = grouped_attention::span::all;
  full.window = 0;
  full.rotary_width = 0;
  if (config.flag_or("use_qk_norm", true)) chunked.norm = query_key_norm::weightless;

  dense_feed_forward dense;
  dense.width = config.positive("intermediate_size_mlp", largest::width);
  mixture_of_experts moe;
  moe.experts = config.positive("num_local_experts");
  moe.active = config.positive("num_experts_per_tok");
  moe.expert_width = config.positive("intermediate_size", largest::width);
  moe.shared_width = moe.expert_width;
  check_experts(config, "num_experts_per_tok", moe);
  check_activation(config, "hidden_act");
  config.must_be_empty("no_rope_layers");
  config.must_be_empty("moe_layers");
  config.disregard({"output_router_logits", "router_aux_loss_coef", "router_jitter_noise", "attn_temperature_tuning",
                    "attn_scale", "floor_scale", "for_llm_compressor"});
  const std::uint32_t full_interval = config.positive_or("no_rope_layer_interval", 4);
  const std::uint32_t moe_interval = config.positive_or("interleave_moe_layer_step", 1);
  const std::uint32_t layers = config.positive("num_hidden_layers");
  for (std::uint32_t i = 0; i < layers; ++i) {
    const feed_forward ffn = (i + 1) % moe_interval == 0 ? feed_forward(moe) : feed_forward(dense);
    layer_spec spec = layer(i, (i + 1) % full_interval == 0 ? full : chunked, ffn);
    spec.ffn_module = "feed_forward";
    model.layers.push_back(spec);
  }
}

void read_gpt_oss(config_object& config, model_spec& model) {
  grouped_attention full = read_grouped_attention(config, model);
  full.sinks = true;
  const grouped_attention windowed = with_window(full, config.positive("sliding_window", largest::width));
  mixture_of_experts moe;
  moe.experts = config.positive("num_local_experts");
  moe.active = config.positive("num_experts_per_tok");
  config.must_agree("experts_per_token", moe.active, "num_experts_per_tok");
  moe.expert_width = config.positive("intermediate_size", largest::width);
  moe.expert_bias = true;
  moe.router_bias = true;
  check_experts(config, "num_experts_per_tok", moe);
  check_activation(config, "hidden_act");
  config.disregard({"initial_context_length", "output_router_logits", "router_aux_loss_coef", "swiglu_limit"});
  const std::uint32_t layers = config.positive("num_hidden_layers");
  const std::vector<std::string> types = read_layer_types(config, layers, {"full_attention", "sliding_attention"});
  for (std::uint32_t i = 0; i < layers; ++i)
    model.layers.push_back(layer(i, types[i] == "full_attention" ? full : windowed, moe));
}

}  // namespace scribeline::model
