#include "firmware_stubs/model/read_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <map>
#include <sstream>

#include "firmware_stubs/model/config_object.h"
#include "firmware_stubs/model/families.h"
#include "firmware_stubs/model/model_error.h"

namespace scribeline::model {
namespace {

using family_reader = void (*)(config_object&, model_spec&);

const std::map<std::string, family_reader>& language_families() {
  static const std::map<std::string, family_reader> families = {
      {"deepseek_v3", read_deepseek_v3},
      {"deepseek_v32", read_deepseek_v32},
      {"deepseek_v4", read_deepseek_v4},
      {"glm_moe_dsa", read_glm_moe_dsa},
      {"gpt_oss", read_gpt_oss},
      {"kimi_k2", read_deepseek_v3},
      {"kimi_linear", read_kimi_linear},
      {"llama", read_llama},
      {"llama4_text", read_llama4},
      {"nemotron_h", read_nemotron_h},
      {"qwen3", read_qwen3},
      {"qwen3_5_moe_text", read_qwen3_5_moe},
      {"qwen3_moe", read_qwen3_moe},
      {"qwen3_vl_moe_text", read_qwen3_moe},
  };
  return families;
}

// Wrappers of a language model and other towers: where its layers and head are in the checkpoint.
struct wrapped_modules {
  std::string layers;
  std::string head;
};

const std::map<std::string, wrapped_modules>& wrappers() {
  static const std::map<std::string, wrapped_modules> known = {
      {"kimi_k25", {"language_model.model.layers", "language_model.lm_head"}},
      {"kimi_k3", {"language_model.model.layers", "language_model.lm_head"}},
      {"llama4", {"language_model.model.layers", "language_model.lm_head"}},
      {"qwen3_5_moe", {"model.language_model.layers", "lm_head"}},
      {"qwen3_vl_moe", {"model.language_model.layers", "lm_head"}},
  };
  return known;
}

// Keys of every transformers configuration that say nothing about shapes or sizes of the language model.
void disregard_common_keys(config_object& config) {
  // clang-format off
  config.disregard({
      "architectures", "attention_dropout", "auto_map", "bad_words_ids", "begin_suppress_tokens", "bos_token_id",
      "chunk_size_feed_forward", "decoder_start_token_id", "diversity_penalty", "do_sample", "early_stopping",
      "encoder_no_repeat_ngram_size", "eos_token_id", "exponential_decay_length_penalty", "finetuning_task",
      "forced_bos_token_id", "forced_eos_token_id", "id2label", "initializer_range", "label2id", "length_penalty",
      "max_length", "min_length", "no_repeat_ngram_size", "num_beam_groups", "num_beams", "num_return_sequences",
      "output_attentions", "output_hidden_states", "output_scores", "pad_token_id", "prefix", "problem_type",
      "remove_invalid_values", "repetition_penalty", "return_dict", "return_dict_in_generate", "rms_norm_eps",
      "rope_parameters", "rope_scaling", "rope_theta", "sep_token_id", "suppress_tokens", "task_specific_params",
      "temperature", "tf_legacy_loss", "tokenizer_class", "top_k", "top_p", "torchscript", "transformers_version",
      "typical_p", "use_bfloat16", "use_cache"});
  // clang-format on
  config.must_be("add_cross_attention", false);
  config.must_be("is_decoder", false);
  config.must_be("is_encoder_decoder", false);
  config.must_be("tie_encoder_decoder", false);
  config.must_be_empty("cross_attention_hidden_size");
  config.must_be_empty("pruned_heads");
}

std::uint32_t read_plain_bits(config_object& config, model_spec& model) {
  const std::string key = config.has("dtype") ? "dtype" : "torch_dtype";
  config.disregard({"dtype", "torch_dtype"});
  if (!config.has(key)) {
    model.notes.push_back("no dtype is given: what is not quantised is taken as 16 bit");
    return 16;
  }
  return config.one_of(key, {"bfloat16", "float16", "float32"}) == "float32" ? 32 : 16;
}

// The language part: the family's keys and what all families share.
void read_language_model(config_object& config, std::uint32_t plain_bits, model_spec& model) {
  model.model_type = config.text("model_type");
  const auto family = language_families().find(model.model_type);
  if (family == language_families().end())
    config.fail("model_type",
                fmt::format("'{}' is not known; known: {}", model.model_type, fmt::join(known_model_types(), ", ")));
  model.hidden_width = config.positive("hidden_size", largest::width);
  model.vocabulary = config.positive("vocab_size", largest::vocabulary);
  model.longest_context = config.count_or("max_position_embeddings", 0, largest::context);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", model.tied_embeddings);
  disregard_common_keys(config);
  if (config.has("quantization_config")) {
    if (model.weights.method() != "none") config.fail("quantization_config", "is given here and outside text_config");
    model.weights = quantization::read(config.object("quantization_config"), plain_bits);
  } else if (model.weights.method() == "none") {
    model.weights = quantization::plain(plain_bits);
  }
  config.disregard({"quantization_config"});
  family->second(config, model);
  config.finish();
}

// A wrapper: the language part is under text_config; a quantization_config may be at either level.
void read_wrapper(config_object& config, model_spec& model, const wrapped_modules& modules) {
  config_object text = config.object("text_config");
  const std::uint32_t plain_bits = read_plain_bits(text, model);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  if (config.has("quantization_config")) {
    // Patterns name modules from where they are written: here that is the whole checkpoint.
    model.weights = quantization::read(config.object("quantization_config"), plain_bits);
    model.layers_module = modules.layers;
    model.head_module = modules.head;
  }
  disregard_common_keys(config);
  config.disregard({"dtype", "torch_dtype", "quantization_config", "ignore_index", "image_placeholder",
                    "image_token_id", "image_token_index", "media_placeholder_token_id", "boi_token_index",
                    "eoi_token_index", "use_unified_vision_chunk", "video_placeholder", "video_token_id",
                    "vision_config", "vision_start_token_id", "vision_end_token_id"});
  if (config.has("vision_config")) model.notes.push_back("the vision tower is not modelled");
  config.finish();
  read_language_model(text, plain_bits, model);
}

std::string name_of(const std::string& origin) {
  const std::size_t slash = origin.find_last_of('/');
  const std::string file = slash == std::string::npos ? origin : origin.substr(slash + 1);
  const std::size_t extension = file.rfind(".json");
  return extension == std::string::npos ? file : file.substr(0, extension);
}

}  // namespace

std::vector<std::string> known_model_types() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : language_families())
    names.push_back(name);
  for (const auto& [name, module] : wrappers())
    names.push_back(name);
  return names;
}

model_spec parse_model(const std::string& text, const std::string& origin) {
  const config_source source(text, origin);
  config_object config(source);
  model_spec model;
  model.name = name_of(origin);
  const std::string model_type = config.text("model_type");
  const auto wrapper = wrappers().find(model_type);
  if (wrapper != wrappers().end())
    read_wrapper(config, model, wrapper->second);
  else
    read_language_model(config, read_plain_bits(config, model), model);
  return model;
}

model_spec read_model(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw model_error(fmt::format("{}: the model description cannot be opened", path));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad() || text.str().empty())
    throw model_error(fmt::format("{}: the model description is empty or cannot be read", path));
  return parse_model(text.str(), path);
}

}  // namespace scribeline::model
