// What one layer of a model is made of: the part that mixes tokens (attention or a recurrence) and the
// feed-forward part. Widths count elements of one token; nothing here knows a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace scribeline::model {

// --- parts that mix tokens ---

struct no_attention {};

enum class query_key_norm { none, weighted, weightless };

// Attention with a key and a value per key-value head and position: multi-head, grouped-query, multi-query.
struct grouped_attention {
  enum class span { all, sliding_window, chunk };

  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t key_width = 0;     // of one head
  std::uint32_t value_width = 0;   // of one head
  std::uint32_t rotary_width = 0;  // of one head; 0 = no rotary embedding
  span reach = span::all;
  std::uint32_t window = 0;  // positions a token sees at most, itself included; 0 for span::all
  query_key_norm norm = query_key_norm::none;
  bool input_bias = false;   // on the query, key and value projections
  bool output_bias = false;  // on the output projection
  bool sinks = false;        // one learned score per head
  bool output_gate = false;  // a gate as wide as the attention output, computed from the layer input
};

// A small scorer that picks the positions attention looks at (lightning indexer): `heads` queries of `width`
// against one cached key of `width` per entry; the `top_k` best entries are attended to.
struct sparse_index {
  std::uint32_t heads = 0;
  std::uint32_t width = 0;
  std::uint32_t top_k = 0;
};

// Multi-head latent attention: one latent vector and one rotary key per position, shared by all heads.
struct latent_attention {
  std::uint32_t heads = 0;
  std::uint32_t query_rank = 0;  // 0 = the query is projected directly
  std::uint32_t latent_width = 0;
  std::uint32_t nope_width = 0;  // per head, without rotary embedding
  std::uint32_t rope_width = 0;  // shared by the heads
  bool rotary = true;            // false: the rope_width part is used without rotation
  std::uint32_t value_width = 0;
  bool output_gate = false;
  std::optional<sparse_index> index;
};

// DeepSeek-V4's attention: one shared key-value vector of `width` per cache entry. Each token sees the last
// `window` positions as they are, and the earlier ones as entries that summarise `ratio` positions each
// (ratio 0: the window only); with an index, only the best entries. The output projection has a low rank,
// in `output_groups` groups of heads.
struct compressed_attention {
  std::uint32_t heads = 0;
  std::uint32_t width = 0;
  std::uint32_t rope_width = 0;
  std::uint32_t query_rank = 0;
  std::uint32_t window = 0;
  std::uint32_t ratio = 0;
  bool overlapping = false;  // neighbouring entries summarise overlapping stretches of 2 x ratio positions
  std::uint32_t output_groups = 0;
  std::uint32_t output_rank = 0;  // of one group
  std::optional<sparse_index> index;
};

// Linear attention with the delta rule: per value head a matrix state of key_width x value_width that decays,
// is corrected by each token and is read once per token.
struct delta_attention {
  enum class decay { per_head, per_channel };  // gated delta net, Kimi delta attention

  decay forgetting = decay::per_head;
  std::uint32_t key_heads = 0;
  std::uint32_t value_heads = 0;
  std::uint32_t key_width = 0;    // of one head
  std::uint32_t value_width = 0;  // of one head
  std::uint32_t decay_rank = 0;   // inner width of the decay projection (per_channel)
  std::uint32_t gate_rank = 0;    // inner width of the output gate; 0 = full rank
  std::uint32_t convolution = 0;  // positions of the short convolution, itself included
  std::uint32_t state_bits = 32;
};

// Mamba-2 (state space duality): per head a state of head_width x state_width.
struct mamba2 {
  std::uint32_t heads = 0;
  std::uint32_t head_width = 0;
  std::uint32_t groups = 0;  // heads of one group share the input and output vectors B and C
  std::uint32_t state_width = 0;
  std::uint32_t convolution = 0;
  bool convolution_bias = false;
  bool projection_bias = false;
  std::uint32_t state_bits = 32;
};

using token_mixer =
    std::variant<no_attention, grouped_attention, latent_attention, compressed_attention, delta_attention, mamba2>;

enum class attention_kind {
  none,
  grouped,            // every position
  sliding_window,     // grouped, the last `window` positions
  chunked,            // grouped, the positions of the same chunk
  latent,             // MLA
  latent_sparse,      // MLA + index (DSA)
  compressed_sparse,  // DeepSeek-V4
  gated_delta,
  kimi_delta,
  mamba2,
};

attention_kind kind_of(const token_mixer& mixer);
const char* to_string(attention_kind kind);

// --- feed-forward parts ---

struct no_feed_forward {};

struct dense_feed_forward {
  std::uint32_t width = 0;
  bool gated = true;  // gate and up projections; false: up only
  bool bias = false;
};

struct mixture_of_experts {
  std::uint32_t experts = 0;  // routed
  std::uint32_t active = 0;   // routed experts of a token
  std::uint32_t expert_width = 0;
  std::uint32_t latent_width = 0;  // the routed experts work on a projection of the token this wide; 0 = none
  bool latent_norm = false;
  std::uint32_t shared_width = 0;  // of all shared experts together; 0 = none
  bool shared_gate = false;        // the shared experts are scaled by a learned gate of the token
  bool gated = true;
  bool expert_bias = false;
  bool router_bias = false;  // one number per expert, added to or correcting the scores
  bool hashed = false;       // the experts are looked up by token id in a table, the router only weighs them
};

using feed_forward = std::variant<no_feed_forward, dense_feed_forward, mixture_of_experts>;

enum class feed_forward_kind { none, dense, mixture_of_experts };

feed_forward_kind kind_of(const feed_forward& part);
const char* to_string(feed_forward_kind kind);

// --- a layer ---

struct layer_spec {
  std::uint32_t index = 0;
  token_mixer mixer;
  feed_forward ffn;
  // Names of the two parts in the checkpoint, as quantization patterns see them: "self_attn", "mlp".
  std::string mixer_module = "self_attn";
  std::string ffn_module = "mlp";
};

}  // namespace scribeline::model
