#include "firmware_stubs/accelerator_kernels/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "rtl_tlm/base/error.h"

namespace scribeline::accelerator_kernels {

namespace {

using plan::op_kind;

// The products of the planner by name.
const std::map<std::string_view, sharding>& products() {
  static const std::map<std::string_view, sharding> table = {
      {"q_proj", sharding::columns},
      {"k_proj", sharding::columns},
      {"v_proj", sharding::columns},
      {"gate_proj", sharding::columns},
      {"g_proj", sharding::columns},
      {"q_b_proj", sharding::columns},
      {"f_b_proj", sharding::columns},
      {"g_b_proj", sharding::columns},
      {"b_proj", sharding::columns},
      {"in_proj", sharding::columns},
      {"in_proj_qkvz", sharding::columns},
      {"in_proj_ba", sharding::columns},
      {"gate_up_proj", sharding::columns},
      {"up_proj", sharding::columns},
      {"shared_gate_up", sharding::columns},
      {"lm_head", sharding::columns},
      {"o_proj", sharding::rows},
      {"out_proj", sharding::rows},
      {"o_b_proj", sharding::rows},
      {"down_proj", sharding::rows},
      {"shared_down", sharding::rows},
      {"absorb_key", sharding::heads},
      {"absorb_value", sharding::heads},
      {"o_a_proj", sharding::heads},
      {"q_a_proj", sharding::replicated},
      {"kv_a_proj_with_mqa", sharding::replicated},
      {"kv_proj", sharding::replicated},
      {"f_a_proj", sharding::replicated},
      {"g_a_proj", sharding::replicated},
      {"index_q_proj", sharding::replicated},
      {"index_k_proj", sharding::replicated},
      {"index_weights_proj", sharding::replicated},
      {"compressor_kv_proj", sharding::replicated},
      {"compressor_gate_proj", sharding::replicated},
      {"index_compressor_kv_proj", sharding::replicated},
      {"index_compressor_gate_proj", sharding::replicated},
      {"latent_in_proj", sharding::replicated},
      {"latent_out_proj", sharding::replicated},
      {"attention_stream_mix", sharding::replicated},
      {"ffn_stream_mix", sharding::replicated},
      {"head_stream_mix", sharding::replicated},
      {"shared_gate", sharding::replicated},
      {"router", sharding::replicated},
  };
  return table;
}

std::uint32_t split(std::uint32_t whole, std::int64_t over) {
  return static_cast<std::uint32_t>(base::ceil_div<std::int64_t>(whole, over));
}

base::bytes split(base::bytes whole, std::int64_t part, std::int64_t of) {
  return base::bytes{base::ceil_div<std::int64_t>(whole.value() * part, of)};
}

// Key-value heads of the layer's attention; 1 when they are shared by all heads.
std::int64_t kv_heads_of(const plan::layer_plan& layer) {
  for (const plan::operation& op : layer.operations)
    if (op.kind == op_kind::attention) return op.kv_heads;
  return 1;
}

void split_weights(plan::operation& op, std::int64_t part, std::int64_t of) {
  op.weight_bytes = split(op.weight_bytes, part, of);
  op.weight_elements = static_cast<std::uint64_t>(
      base::ceil_div<std::int64_t>(static_cast<std::int64_t>(op.weight_elements) * part, of));
}

// Attention and recurrences.
void split_heads(plan::operation& op, std::int64_t tensor) {
  const std::int64_t heads = std::max<std::uint32_t>(op.heads, op.copies);
  const std::int64_t kept = base::ceil_div(heads, tensor);
  split_weights(op, kept, heads);
  op.macs_per_token = op.macs_per_token * static_cast<double>(kept) / static_cast<double>(heads);
  op.state_bytes = split(op.state_bytes, kept, heads);
  op.heads = split(op.heads, tensor);
  if (op.copies > 1) op.copies = split(op.copies, tensor);
  op.active_copies = std::min(op.active_copies, op.copies);
  if (op.kv_heads > 0) {
    const std::int64_t kv = base::ceil_div<std::int64_t>(op.kv_heads, tensor);
    op.cache_entry_bytes = split(op.cache_entry_bytes, kv, op.kv_heads);
    op.kv_heads = static_cast<std::uint32_t>(kv);
  }
}

void split_experts(plan::operation& op, const parallelism& p) {
  const std::uint32_t all = op.copies;
  op.copies = split(op.copies, p.expert);
  split_weights(op, op.copies, all);
  const std::int64_t width = p.expert_width_split();
  split_weights(op, 1, width);
  (op.name == "experts_down" ? op.inputs : op.outputs) =
      split(op.name == "experts_down" ? op.inputs : op.outputs, width);
}

plan::operation share_of(plan::operation op, const parallelism& p, std::int64_t kv_heads) {
  const std::int64_t t = p.tensor;
  switch (op.kind) {
    case op_kind::attention:
    case op_kind::state_update:
      split_heads(op, t);
      return op;
    case op_kind::convolution:  // over channels, which belong to heads
      op.inputs = split(op.inputs, t);
      split_weights(op, 1, t);
      op.state_bytes = split(op.state_bytes, 1, t);
      op.macs_per_token /= static_cast<double>(t);
      return op;
    case op_kind::cache_append:
      if (op.name == "kv_append")
        op.cache_entry_bytes = split(op.cache_entry_bytes, base::ceil_div(kv_heads, t), kv_heads);
      return op;
    case op_kind::embed:
      if (op.name == "embed_tokens") split_weights(op, 1, t);  // rows of the table, joined by an all-reduce
      return op;
    case op_kind::projection:
    case op_kind::route:
    case op_kind::experts:
    case op_kind::head:
      break;
    default:
      return op;
  }
  // Keys and values cannot be split further than there are heads.
  const std::int64_t over =
      op.name == "k_proj" || op.name == "v_proj" ? std::min(t, std::max<std::int64_t>(1, kv_heads)) : t;
  switch (sharding_of(op)) {
    case sharding::replicated:
      break;
    case sharding::columns:
      op.outputs = split(op.outputs, over);
      split_weights(op, 1, over);
      break;
    case sharding::rows:
      op.inputs = split(op.inputs, over);
      split_weights(op, 1, over);
      break;
    case sharding::heads: {
      const std::uint32_t all = op.copies;
      op.copies = split(op.copies, t);
      op.active_copies = op.copies;
      split_weights(op, op.copies, all);
      break;
    }
    case sharding::experts:
      split_experts(op, p);
      break;
  }
  return op;
}

}  // namespace

sharding sharding_of(const plan::operation& op) {
  if (op.kind == op_kind::experts) return sharding::experts;
  const auto known = products().find(op.name);
  if (known == products().end()) {
    throw base::bad_input(
        fmt::format("no accelerator kernel for {} {}: the ways it may be split over ranks are not known",
                    plan::to_string(op.kind), op.name));
  }
  return known->second;
}

plan::layer_plan rank_share(const plan::layer_plan& layer, const parallelism& p) {
  plan::layer_plan mine = layer;
  const std::int64_t kv_heads = kv_heads_of(layer);
  for (plan::operation& op : mine.operations)
    op = share_of(op, p, kv_heads);
  return mine;
}

}  // namespace scribeline::accelerator_kernels
