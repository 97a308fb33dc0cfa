// Every way a description can be wrong has an error that says what, where and what would be right.
#include <catch2/catch.hpp>

#include "firmware_stubs/model/model_error.h"
#include "firmware_stubs/model/read_model.h"
#include "tests/unit/model/descriptions.h"

using namespace scribeline::model;
using descriptions::deepseek_v3;
using descriptions::llama;
using descriptions::replaced;
using descriptions::with;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_model(text, "bad.json");
  } catch (const model_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a file that is not there is named") {
  CHECK_THROWS_WITH(read_model("no/such/model.json"), "no/such/model.json: the model description cannot be opened");
}

TEST_CASE("a folder is not a description") {
  CHECK_THROWS_WITH(read_model(std::string(SCRIBELINE_SOURCE_DIR) + "/models"),
                    Catch::EndsWith("/models: the model description is empty or cannot be read"));
}

TEST_CASE("broken JSON is reported with its line") {
  CHECK_THAT(error_of("{\n  \"model_type\": \"llama\",\n  \"hidden_size\": 64x\n}"),
             Catch::StartsWith("bad.json:3: not valid JSON"));
  CHECK_THAT(error_of(""), Catch::StartsWith("bad.json:1: not valid JSON"));
  CHECK_THAT(error_of(replaced(llama(), "64,", "64")), Catch::StartsWith("bad.json:5: not valid JSON"));
  CHECK_THAT(error_of("{\n\"a\": \"unfinished"), Catch::StartsWith("bad.json:2: not valid JSON"));
}

TEST_CASE("a document that is no object is refused") {
  CHECK(error_of("[1, 2]") == "bad.json:1: a model description is a JSON object {...}");
}

TEST_CASE("a key given twice is refused") {
  CHECK(error_of(replaced(llama(), "\"vocab_size\": 100", "\"vocab_size\": 100,\n  \"hidden_size\": 128")) ==
        "bad.json:10: hidden_size: this key is given twice (first on line 4)");
}

TEST_CASE("a missing key is named") {
  CHECK(error_of(replaced(llama(), "\"hidden_size\": 64,", "")) ==
        "bad.json:1: hidden_size: required key is missing; an integer is expected");
  CHECK(error_of(replaced(llama(), "\"hidden_size\": 64", "\"hidden_size\": null")) ==
        "bad.json:4: hidden_size: required key is missing; an integer is expected");
  CHECK_THAT(error_of(R"({"model_type": "kimi_k25"})"),
             Catch::Contains("text_config: required key is missing; an object is expected"));
}

TEST_CASE("a value of the wrong type is shown with its line") {
  CHECK(error_of(replaced(llama(), "64", "\"64\"")) == "bad.json:4: hidden_size: \"64\" is not an integer");
  CHECK(error_of(replaced(llama(), "64", "64.5")) == "bad.json:4: hidden_size: 64.5 is not an integer");
  CHECK(error_of(replaced(llama(), "\"llama\"", "7")) == "bad.json:2: model_type: 7 is not a string");
  CHECK(error_of(replaced(llama(), "false", "\"no\"")) ==
        "bad.json:11: tie_word_embeddings: \"no\" is neither true nor false");
  CHECK(error_of(R"({"model_type": "kimi_k25", "text_config": []})") == "bad.json:1: text_config: [] is not an object");
}

TEST_CASE("a value out of range is shown with the range") {
  CHECK(error_of(replaced(llama(), "64", "0")) ==
        "bad.json:4: hidden_size: 0 is out of range; 1 .. 1048576 is possible");
  CHECK(error_of(replaced(llama(), "64", "-64")) ==
        "bad.json:4: hidden_size: -64 is out of range; 0 .. 1048576 is possible");
  CHECK(error_of(replaced(llama(), "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 99999999999")) ==
        "bad.json:5: num_hidden_layers: 99999999999 is out of range; 0 .. 16384 is possible");
}

TEST_CASE("values that contradict each other are refused") {
  CHECK(error_of(replaced(llama(), "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3")) ==
        "bad.json:7: num_key_value_heads: 3 does not divide num_attention_heads 8");
  CHECK_THAT(error_of(replaced(replaced(llama(), "\"hidden_size\": 64", "\"hidden_size\": 60"), "2,\n", "1,\n")),
             Catch::Contains("num_attention_heads: 8 does not divide hidden_size 60, and head_dim is not given"));
  CHECK(error_of(replaced(deepseek_v3(), "\"num_experts_per_tok\": 2", "\"num_experts_per_tok\": 9")) ==
        "bad.json:17: num_experts_per_tok: 9 experts per token are more than the 8 there are");
  CHECK_THAT(error_of(with(deepseek_v3(), R"("qk_head_dim": 16)")),
             Catch::Contains("qk_head_dim: 16 contradicts qk_nope_head_dim + qk_rope_head_dim, which gives 12"));
}

TEST_CASE("an unknown model type is refused with the known ones") {
  const std::string error = error_of(replaced(llama(), "\"llama\"", "\"lama\""));
  CHECK_THAT(error, Catch::StartsWith("bad.json:2: model_type: 'lama' is not known; known: deepseek_v3, "));
  for (const std::string& name : known_model_types())
    CHECK_THAT(error, Catch::Contains(name));
  CHECK_THAT(error_of("{\"model_type\": \"kimi_k25\",\n\"text_config\": {\n\"model_type\": \"gru\"}}"),
             Catch::StartsWith("bad.json:3: text_config.model_type: 'gru' is not known"));
}

TEST_CASE("an unknown layer kind is refused with the known ones") {
  const std::string gpt_oss = R"({"model_type": "gpt_oss", "dtype": "bfloat16", "hidden_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 8, "head_dim": 8, "intermediate_size": 64, "num_local_experts": 4,
    "num_experts_per_tok": 2, "sliding_window": 16, "vocab_size": 100,
    "layer_types": ["full_attention", "sliding_attention"]})";
  CHECK(error_of(gpt_oss) == "accepted");
  CHECK(error_of(replaced(gpt_oss, "\"sliding_attention\"", "\"ring_attention\"")) ==
        "bad.json:4: layer_types: layer kind 'ring_attention' is not known; known: full_attention, sliding_attention");
  CHECK(error_of(replaced(gpt_oss, ", \"sliding_attention\"", "")) ==
        "bad.json:4: layer_types: has 1 entries for 2 layers");
}

TEST_CASE("unknown letters of a hybrid pattern are refused") {
  const std::string nemotron = R"({"model_type": "nemotron_h", "dtype": "bfloat16", "hidden_size": 64,
    "num_hidden_layers": 3, "hybrid_override_pattern": "M*E", "num_attention_heads": 8, "mamba_num_heads": 4,
    "mamba_head_dim": 8, "n_groups": 2, "ssm_state_size": 16, "conv_kernel": 4, "mlp_hidden_act": "relu2",
    "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "intermediate_size": 32,
    "vocab_size": 100})";
  CHECK(error_of(nemotron) == "accepted");
  CHECK_THAT(error_of(replaced(nemotron, "M*E", "M*X")),
             Catch::Contains("hybrid_override_pattern: layer kind 'X' is not known; known: M (Mamba-2)"));
  CHECK_THAT(error_of(replaced(nemotron, "M*E", "M*EE")),
             Catch::Contains("hybrid_override_pattern: has 4 letters for 3 layers"));
}

TEST_CASE("each layer of a Kimi hybrid is in one of the two lists") {
  const std::string kimi = R"({"model_type": "kimi_linear", "dtype": "bfloat16", "hidden_size": 64,
    "num_hidden_layers": 3, "num_attention_heads": 4, "kv_lora_rank": 32, "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4, "v_head_dim": 8, "first_k_dense_replace": 1, "intermediate_size": 96, "num_experts": 4,
    "num_experts_per_token": 2, "moe_intermediate_size": 32, "vocab_size": 100,
    "linear_attn_config": {"full_attn_layers": [2], "kda_layers": [1, 3], "num_heads": 4, "head_dim": 8,
    "short_conv_kernel_size": 4}})";
  CHECK(error_of(kimi) == "accepted");
  CHECK(error_of(replaced(kimi, "[1, 3]", "[1]")) ==
        "bad.json:5: linear_attn_config.kda_layers: layer 3 is in neither list");
  CHECK(error_of(replaced(kimi, "[1, 3]", "[1, 2, 3]")) ==
        "bad.json:5: linear_attn_config.kda_layers: layer 2 is listed twice");
  CHECK(error_of(replaced(kimi, "[1, 3]", "[1, 3, 4]")) ==
        "bad.json:5: linear_attn_config.kda_layers: layer 4 does not exist; layers are numbered 1 .. 3");
  CHECK(error_of(replaced(kimi, "\"num_heads\": 4,", "\"num_heads\": 4, \"delta_order\": 2,")) ==
        "bad.json:5: linear_attn_config.delta_order: unknown key: it may change the structure of the model, so it is "
        "refused (comments start with '_')");
}

TEST_CASE("unknown compression of DeepSeek-V4's attention is refused") {
  const std::string v4 = R"({"model_type": "deepseek_v4", "dtype": "bfloat16", "hidden_size": 64, "hc_mult": 2,
    "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 16, "qk_rope_head_dim": 4, "q_lora_rank": 24,
    "o_groups": 2, "o_lora_rank": 8, "sliding_window": 8, "index_n_heads": 2, "index_head_dim": 8, "index_topk": 4,
    "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "vocab_size": 100,
    "compress_ratios": [128, 4]})";
  CHECK(error_of(v4) == "accepted");
  CHECK(error_of(replaced(v4, "[128, 4]", "[128, 16]")) ==
        "bad.json:5: compress_ratios: 16 is not known; known: 0 (window only), 4 (with index), 128");
  CHECK(error_of(replaced(v4, "[128, 4]", "[128]")) ==
        "bad.json:5: compress_ratios: has 1 entries for 2 layers (draft layers included)");
  CHECK(error_of(replaced(v4, "\"o_groups\": 2", "\"o_groups\": 3")) ==
        "bad.json:3: o_groups: 3 does not divide num_attention_heads 4");
  CHECK_THAT(error_of(with(v4, R"("expert_dtype": "fp5")")), Catch::Contains("expert_dtype: 'fp5' is not known"));
}

TEST_CASE("an unknown key is refused because it may change the structure") {
  CHECK(error_of(with(llama(), R"("num_memory_heads": 4)")) ==
        "bad.json:13: num_memory_heads: unknown key: it may change the structure of the model, so it is refused "
        "(comments start with '_')");
  CHECK_THAT(error_of(replaced(llama(), "num_key_value_heads", "num_key_values_heads")),
             Catch::Contains("num_key_values_heads: unknown key"));
}

TEST_CASE("a structure the family does not have is refused") {
  CHECK(error_of(with(deepseek_v3(), R"("attention_bias": true)")) ==
        "bad.json:22: attention_bias: true is not modelled; only false is");
  CHECK_THAT(error_of(with(llama(), R"("is_encoder_decoder": true)")), Catch::Contains("is_encoder_decoder"));
  CHECK_THAT(error_of(with(llama(), R"("pruned_heads": {"1": [2]})")), Catch::Contains("pruned_heads"));
  CHECK_THAT(error_of(with(llama(), R"("hidden_act": "maxout")")),
             Catch::Contains("hidden_act: 'maxout' is not known; known: silu, "));
  CHECK_THAT(error_of(replaced(llama(), "\"bfloat16\"", "\"int3\"")),
             Catch::Contains("dtype: 'int3' is not known; known: bfloat16, float16, float32"));
}

TEST_CASE("unknown quantisation is refused with what is known") {
  CHECK_THAT(error_of(with(llama(), R"("quantization_config": {"quant_method": "awq", "bits": 4})")),
             Catch::Contains("quantization_config.quant_method: 'awq' is not known; known: compressed-tensors, fp8, "
                             "modelopt, mxfp4"));
  CHECK_THAT(error_of(with(llama(), R"("quantization_config": {"quant_method": "fp8", "rotation": "hadamard"})")),
             Catch::Contains("quantization_config.rotation: unknown key"));
  CHECK_THAT(error_of(with(llama(), R"("quantization_config": {"quant_method": "fp8", "fmt": "e5m2"})")),
             Catch::Contains("quantization_config.fmt: 'e5m2' is not modelled; only 'e4m3' is"));
  CHECK_THAT(error_of(with(llama(), R"("quantization_config": {"quant_method": "fp8", "weight_block_size": [128]})")),
             Catch::Contains("weight_block_size: two sizes >= 1 are expected"));
  CHECK_THAT(error_of(with(llama(), R"("quantization_config": {"quant_method": "modelopt", "quant_algo": "W4A8"})")),
             Catch::Contains("quant_algo: 'W4A8' is not known; known: NVFP4, FP8"));
  const std::string int4 = R"("quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized",
    "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"type": "int", "num_bits": 4,
    "strategy": "group", "group_size": 32}}}, "ignore": ["lm_head"]})";
  CHECK(error_of(with(llama(), int4)) == "accepted");
  CHECK_THAT(error_of(with(llama(), replaced(int4, "pack-quantized", "marlin-24"))),
             Catch::Contains("'marlin-24' is not known; known: float-quantized, "));
  CHECK_THAT(error_of(with(llama(), replaced(int4, "\"num_bits\": 4", "\"num_bits\": 3"))),
             Catch::Contains("config_groups.group_0.weights.num_bits: 3 is not modelled; 4 and 8 are"));
  CHECK_THAT(error_of(with(llama(), replaced(int4, "\"group\"", "\"lattice\""))),
             Catch::Contains("strategy: 'lattice' is not known; known: group, channel, block, tensor"));
  CHECK_THAT(error_of(with(llama(), replaced(int4, "\"lm_head\"", "\"re:(unclosed\""))),
             Catch::Contains("ignore: a pattern is not a valid regular expression"));
}
