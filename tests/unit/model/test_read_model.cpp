#include <catch2/catch.hpp>

#include "firmware_stubs/model/read_model.h"
#include "tests/unit/model/descriptions.h"

using namespace scribeline::model;

TEST_CASE("a Llama description becomes layers of grouped attention and dense feed-forward") {
  const model_spec m = parse_model(descriptions::llama(), "folder/tiny.json");
  CHECK(m.name == "tiny");
  CHECK(m.model_type == "llama");
  CHECK(m.hidden_width == 64);
  CHECK(m.vocabulary == 100);
  CHECK(m.longest_context == 2048);
  CHECK_FALSE(m.tied_embeddings);
  REQUIRE(m.layers.size() == 2);
  const auto& attention = std::get<grouped_attention>(m.layers[1].mixer);
  CHECK(attention.heads == 8);
  CHECK(attention.kv_heads == 2);
  CHECK(attention.key_width == 8);  // hidden_size / num_attention_heads
  CHECK(kind_of(m.layers[1].mixer) == attention_kind::grouped);
  CHECK(std::get<dense_feed_forward>(m.layers[1].ffn).width == 96);
  CHECK(m.layers[1].index == 1);
  CHECK(m.cache_bits() == 16);
}

TEST_CASE("defaults of a Llama description are those of its family") {
  const model_spec m = parse_model(
      R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 8,
          "intermediate_size": 96, "vocab_size": 100, "num_key_value_heads": null})",
      "tiny.json");
  CHECK(std::get<grouped_attention>(m.layers[0].mixer).kv_heads == 8);
  CHECK(m.plain_bits() == 16);
  REQUIRE(m.notes.size() == 1);
  CHECK_THAT(m.notes[0], Catch::Contains("no dtype"));
}

TEST_CASE("the language part of a wrapper is read and the rest is noted") {
  const model_spec m = parse_model(R"({"model_type": "llama4", "vision_config": {"depth": 3}, "text_config":
      {"model_type": "llama4_text", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 8,
       "attention_chunk_size": 32, "intermediate_size": 96, "intermediate_size_mlp": 128, "num_local_experts": 4,
       "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "vocab_size": 100, "use_qk_norm": true}})",
                                   "tiny.json");
  CHECK(m.notes == std::vector<std::string>{"no dtype is given: what is not quantised is taken as 16 bit",
                                            "the vision tower is not modelled"});
  REQUIRE(m.layers.size() == 4);
  CHECK(kind_of(m.layers[0].mixer) == attention_kind::chunked);
  CHECK(std::get<grouped_attention>(m.layers[0].mixer).norm == query_key_norm::weightless);
  CHECK(kind_of(m.layers[3].mixer) == attention_kind::grouped);
  CHECK(std::get<grouped_attention>(m.layers[3].mixer).rotary_width == 0);
  CHECK(kind_of(m.layers[0].ffn) == feed_forward_kind::dense);
  CHECK(std::get<mixture_of_experts>(m.layers[1].ffn).shared_width == 96);
}

TEST_CASE("sliding windows start at the layer a Qwen3 description names") {
  const model_spec m = parse_model(
      R"({"model_type": "qwen3", "dtype": "bfloat16", "hidden_size": 64, "num_hidden_layers": 3,
          "num_attention_heads": 8, "head_dim": 16, "intermediate_size": 96, "vocab_size": 100,
          "use_sliding_window": true, "max_window_layers": 2, "sliding_window": 7})",
      "tiny.json");
  CHECK(kind_of(m.layers[1].mixer) == attention_kind::grouped);
  CHECK(kind_of(m.layers[2].mixer) == attention_kind::sliding_window);
  CHECK(std::get<grouped_attention>(m.layers[2].mixer).window == 7);
}

TEST_CASE("dense layers of a Qwen3 mixture are those the step leaves out or the list names") {
  const model_spec m = parse_model(
      R"({"model_type": "qwen3_moe", "dtype": "bfloat16", "hidden_size": 64, "num_hidden_layers": 6,
          "num_attention_heads": 8, "head_dim": 16, "intermediate_size": 96, "vocab_size": 100, "num_experts": 4,
          "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 2, "mlp_only_layers": [3]})",
      "tiny.json");
  std::string kinds;
  for (const layer_spec& layer : m.layers)
    kinds += kind_of(layer.ffn) == feed_forward_kind::dense ? 'd' : 'm';
  CHECK(kinds == "dmdddm");
}

TEST_CASE("comments, Infinity and a null are accepted where Python writes them") {
  const model_spec m = parse_model(descriptions::with(descriptions::llama(), R"("_sources": {"*": "a test"},
      "temperature": Infinity, "rope_theta": -Infinity, "quantization_config": null, "prefix": "Infinity")"),
                                   "tiny.json");
  CHECK(m.layers.size() == 2);
}
