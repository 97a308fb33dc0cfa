// Small descriptions that tests read whole or with something changed.
#pragma once

#include <stdexcept>
#include <string>

namespace descriptions {

inline std::string llama() {
  return R"({
  "model_type": "llama",
  "dtype": "bfloat16",
  "hidden_size": 64,
  "num_hidden_layers": 2,
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "intermediate_size": 96,
  "vocab_size": 100,
  "max_position_embeddings": 2048,
  "tie_word_embeddings": false
})";
}

inline std::string deepseek_v3() {
  return R"({
  "model_type": "deepseek_v3",
  "dtype": "bfloat16",
  "hidden_size": 64,
  "num_hidden_layers": 3,
  "num_nextn_predict_layers": 1,
  "num_attention_heads": 4,
  "q_lora_rank": 24,
  "kv_lora_rank": 32,
  "qk_nope_head_dim": 8,
  "qk_rope_head_dim": 4,
  "v_head_dim": 8,
  "first_k_dense_replace": 1,
  "intermediate_size": 96,
  "n_routed_experts": 8,
  "n_shared_experts": 1,
  "num_experts_per_tok": 2,
  "moe_intermediate_size": 32,
  "topk_method": "noaux_tc",
  "vocab_size": 100
})";
}

// `members` (without the comma before them) added at the end of an object.
inline std::string with(std::string object, const std::string& members) {
  return object.insert(object.rfind('}'), ",\n  " + members + "\n");
}

// The first `from` replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::invalid_argument("no '" + from + "' in the description");
  return text.replace(at, from.size(), to);
}

}  // namespace descriptions
