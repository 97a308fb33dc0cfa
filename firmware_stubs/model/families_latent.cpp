// Families with latent attention: DeepSeek-V3, Kimi-K2, DeepSeek-V3.2, GLM-5; and DeepSeek-V4's compressed
// sparse attention.
#include <fmt/format.h>

#include "firmware_stubs/model/families.h"

namespace scribeline::model {

latent_attention read_latent_attention(config_object& config) {
  latent_attention attention;
  attention.heads = config.positive("num_attention_heads");
  attention.query_rank = config.positive_or("q_lora_rank", 0);
  attention.latent_width = config.positive("kv_lora_rank");
  attention.nope_width = config.positive("qk_nope_head_dim");
  attention.rope_width = config.positive("qk_rope_head_dim");
  attention.value_width = config.positive("v_head_dim");
  config.disregard({"num_key_value_heads", "head_dim"});
  return attention;
}

namespace {

latent_attention read_deepseek_attention(config_object& config) {
  latent_attention attention = read_latent_attention(config);
  config.must_agree("qk_head_dim", attention.nope_width + attention.rope_width, "qk_nope_head_dim + qk_rope_head_dim");
  config.must_be("attention_bias", false);
  config.disregard({"rope_interleave"});
  return attention;
}

sparse_index read_index(config_object& config) {
  config.disregard({"indexer_rope_interleave"});
  return {config.positive("index_n_heads"), config.positive("index_head_dim"),
          config.positive("index_topk", largest::width)};
}

mixture_of_experts read_deepseek_experts(config_object& config) {
  mixture_of_experts moe;
  moe.experts = config.positive("n_routed_experts");
  moe.active = config.positive("num_experts_per_tok");
  moe.expert_width = config.positive("moe_intermediate_size", largest::width);
  moe.shared_width = moe.expert_width * config.count_or("n_shared_experts", 0, largest::parallel);
  // topk_method noaux_tc steers the choice with one correction per expert.
  moe.router_bias = config.text_or("topk_method", "") == "noaux_tc";
  check_experts(config, "num_experts_per_tok", moe);
  check_activation(config, "hidden_act");
  config.disregard({"scoring_func", "norm_topk_prob", "routed_scaling_factor", "n_group", "topk_group", "seq_aux",
                    "aux_loss_alpha", "ep_size", "pretraining_tp"});
  return moe;
}

// The layers of DeepSeek-V3's shape: the first ones dense, then a mixture of experts every moe_layer_freq.
void read_deepseek_layers(config_object& config, model_spec& model, const latent_attention& attention) {
  const mixture_of_experts moe = read_deepseek_experts(config);
  const std::uint32_t dense_layers = config.count_or("first_k_dense_replace", 0);
  const std::uint32_t moe_step = config.positive_or("moe_layer_freq", 1);
  const std::uint32_t layers = config.positive("num_hidden_layers");
  dense_feed_forward dense;
  if (dense_layers != 0 || moe_step != 1) dense.width = config.positive("intermediate_size", largest::width);
  config.disregard({"intermediate_size"});
  const auto layer = [&](std::uint32_t index) {
    layer_spec spec;
    spec.index = index;
    spec.mixer = attention;
    spec.ffn = index >= dense_layers && index % moe_step == 0 ? feed_forward(moe) : feed_forward(dense);
    return spec;
  };
  for (std::uint32_t i = 0; i < layers; ++i)
    model.layers.push_back(layer(i));
  const std::uint32_t drafts = config.count_or("num_nextn_predict_layers", 0);
  for (std::uint32_t i = 0; i < drafts; ++i)
    model.drafts.push_back({{layer(layers + i)}});
}

// compress_ratios has one entry per layer, drafts included.
std::vector<std::uint32_t> read_compress_ratios(config_object& config, std::uint32_t layers) {
  const std::vector<std::uint32_t> ratios = config.counts("compress_ratios");
  if (ratios.size() != layers)
    config.fail("compress_ratios",
                fmt::format("has {} entries for {} layers (draft layers included)", ratios.size(), layers));
  for (const std::uint32_t ratio : ratios)
    if (ratio != 0 && ratio != 4 && ratio != 128)
      config.fail("compress_ratios",
                  fmt::format("{} is not known; known: 0 (window only), 4 (with index), 128", ratio));
  return ratios;
}

}  // namespace

void read_deepseek_v3(config_object& config, model_spec& model) {
  read_deepseek_layers(config, model, read_deepseek_attention(config));
}

void read_deepseek_v32(config_object& config, model_spec& model) {
  latent_attention attention = read_deepseek_attention(config);
  attention.index = read_index(config);
  read_deepseek_layers(config, model, attention);
}

void read_glm_moe_dsa(config_object& config, model_spec& model) {
  read_deepseek_v32(config, model);
}

// Compressed attention after the DeepSeek-V4 report: every layer sees a window; ratio 4 adds overlapping
// entries picked by an index, ratio 128 adds entries that are all attended to.
void read_deepseek_v4(config_object& config, model_spec& model) {
  compressed_attention attention;
  attention.heads = config.positive("num_attention_heads");
  attention.width = config.positive("head_dim");
  attention.rope_width = config.positive("qk_rope_head_dim");
  attention.query_rank = config.positive("q_lora_rank");
  attention.window = config.positive("sliding_window", largest::width);
  attention.output_groups = config.positive("o_groups");
  attention.output_rank = config.positive("o_lora_rank");
  if (attention.heads % attention.output_groups != 0)
    config.fail("o_groups",
                fmt::format("{} does not divide num_attention_heads {}", attention.output_groups, attention.heads));
  config.must_equal("num_key_value_heads", 1);
  config.must_be("attention_bias", false);
  const sparse_index index = read_index(config);
  const mixture_of_experts moe = read_deepseek_experts(config);
  const std::uint32_t hashed_layers = config.count_or("num_hash_layers", 0);
  const std::uint32_t layers = config.positive("num_hidden_layers");
  const std::uint32_t drafts = config.count_or("num_nextn_predict_layers", 0);
  const std::vector<std::uint32_t> ratios = read_compress_ratios(config, layers + drafts);
  if (config.has("expert_dtype")) {
    config.one_of("expert_dtype", {"fp4"});
    model.weights.set_expert_format(mxfp4_format());
  }
  model.residual.how = residual_path::kind::hyper;
  model.residual.streams = config.positive("hc_mult", largest::parallel);
  config.disregard({"hc_eps", "hc_sinkhorn_iters", "compress_rope_theta", "swiglu_limit"});

  for (std::uint32_t i = 0; i < layers + drafts; ++i) {
    layer_spec spec;
    spec.index = i;
    compressed_attention mixer = attention;
    mixer.ratio = ratios[i];
    mixer.overlapping = ratios[i] == 4;
    if (ratios[i] == 4) mixer.index = index;
    spec.mixer = mixer;
    mixture_of_experts ffn = moe;
    ffn.hashed = i < hashed_layers;
    if (ffn.hashed) ffn.router_bias = false;
    spec.ffn = ffn;
    spec.mixer_module = "attn";
    spec.ffn_module = "ffn";
    if (i < layers)
      model.layers.push_back(spec);
    else
      model.drafts.push_back({{spec}});
  }
  model.notes.push_back(
      "compressed attention, hyper-connections and hash routing have shapes the keys only partly give: compressor and "
      "index layout are assumptions checked against the published cache size and parameter totals");
}

}  // namespace scribeline::model
