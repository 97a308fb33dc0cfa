// Readers of the model families: each fills the layers of a model from the keys of its kind of config.json.
// Private to the model library.
#pragma once

#include "firmware_stubs/model/config_object.h"
#include "firmware_stubs/model/model_spec.h"

namespace scribeline::model {

// Each reads every key it needs and disregards the ones that change no size; the caller has read what all
// families share and calls config.finish().
void read_llama(config_object& config, model_spec& model);
void read_llama4(config_object& config, model_spec& model);
void read_qwen3(config_object& config, model_spec& model);
void read_qwen3_moe(config_object& config, model_spec& model);
void read_gpt_oss(config_object& config, model_spec& model);
void read_deepseek_v3(config_object& config, model_spec& model);  // also Kimi-K2
void read_deepseek_v32(config_object& config, model_spec& model);
void read_glm_moe_dsa(config_object& config, model_spec& model);
void read_deepseek_v4(config_object& config, model_spec& model);
void read_qwen3_5_moe(config_object& config, model_spec& model);
void read_kimi_linear(config_object& config, model_spec& model);
void read_nemotron_h(config_object& config, model_spec& model);

// Keys that occur in many families.
// heads, kv_heads, widths and biases of grouped-query attention over every position.
grouped_attention read_grouped_attention(config_object& config, const model_spec& model);
// heads, ranks and widths of latent attention. The latent is shared by all heads: how many key-value heads the
// description names says nothing about the cache.
latent_attention read_latent_attention(config_object& config);
// The activation function; all known ones are elementwise. Refuses unknown names.
void check_activation(config_object& config, const std::string& key);
// layer_types, which must have one entry of `known` per layer.
std::vector<std::string> read_layer_types(config_object& config, std::uint32_t layers,
                                          std::initializer_list<const char*> known);
// Throws when a mixture would use more experts than it has.
void check_experts(config_object& config, const std::string& key, const mixture_of_experts& moe);

}  // namespace scribeline::model
