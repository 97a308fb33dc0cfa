#include "firmware_stubs/accelerator_kernels/rank_program.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "firmware_stubs/accelerator_kernels/sharding.h"
#include "rtl_tlm/base/error.h"

namespace scribeline::accelerator_kernels {

namespace {

using accelerator::descriptor;
using accelerator::opcode;
using accelerator::scale;
using plan::op_kind;

constexpr std::uint64_t activation_bytes = 2;  // 16 bit
// Assumption: 64 candidates of 8 bytes from each rank's share of the vocabulary are enough to sample from.
constexpr std::uint64_t candidate_bytes = 512;

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

class stage_builder {
 public:
  stage_builder(const parallelism& p, const exchange_formats& formats) : p_(p), formats_(formats) {}

  void add(const plan::layer_plan& whole) {
    const plan::layer_plan layer = rank_share(whole, p_);
    layer_ = whole.name;
    partial_sums_ = false;
    follows_product_ = false;
    for (const plan::operation& op : layer.operations)
      add(op);
    if (partial_sums_) all_reduce(layer.output_elements, "all_reduce");
  }

  rank_program take() { return std::move(program_); }

 private:
  void add(const plan::operation& op) {
    const bool follows_product = follows_product_;
    follows_product_ = false;
    switch (op.kind) {
      case op_kind::projection:
      case op_kind::route:
      case op_kind::head:
        return add_product(op, follows_product);
      case op_kind::experts:
        return add_experts(op);
      case op_kind::attention:
      case op_kind::index:
        return add_attention(op);
      case op_kind::state_update:
      case op_kind::convolution:
      case op_kind::compress:
        return add_recurrence(op);
      case op_kind::embed:
        return add_lookup(op);
      case op_kind::norm:
        if (ends_with(op.name, "attention_norm") || ends_with(op.name, "ffn_norm") || op.name == "final_norm")
          add_norm(op);
        return;
      case op_kind::dispatch:
        if (p_.tokens_travel()) token_exchange(opcode::dispatch, op.inputs, formats_.dispatch_bits, "dispatch");
        return;
      case op_kind::combine:
        if (p_.tokens_travel()) token_exchange(opcode::combine, op.inputs, formats_.combine_bits, "combine");
        return;
      case op_kind::residual:
        if (ends_with(op.name, "_residual") && partial_sums_)
          all_reduce(op.inputs, ends_with(op.name, "ffn_residual") ? "ffn_all_reduce" : "attention_all_reduce");
        return;
      case op_kind::sample:
        if (p_.tensor > 1) {
          exchange(opcode::all_gather, candidate_bytes * static_cast<std::uint64_t>(p_.tensor), p_.tensor,
                   "candidates_all_gather")
              .scaled_by = scale::sequences;
        }
        return;
      case op_kind::rotary:
      case op_kind::activation:
      case op_kind::cache_append:
        return;  // done along with the product or attention beside it
    }
  }

  descriptor& append(const std::string& name, opcode op) {
    descriptor d;
    d.op = op;
    d.operation = static_cast<std::uint32_t>(program_.operations.size());
    program_.operations.push_back({layer_, name});
    program_.descriptors.push_back(d);
    return program_.descriptors.back();
  }

  std::uint32_t narrow(std::uint64_t value, const char* what) const {
    if (value > std::numeric_limits<std::uint32_t>::max()) {
      throw base::bad_input(
          fmt::format("{}: {} of one rank come to {}, more than a launch descriptor holds", layer_, what, value));
    }
    return static_cast<std::uint32_t>(value);
  }

  void add_product(const plan::operation& op, bool follows_product) {
    const std::uint64_t macs = std::uint64_t{op.active_copies} * op.inputs * op.outputs;
    const auto bits = static_cast<std::uint8_t>(op.format.bits_per_weight);
    const bool joins = follows_product && op.beside_previous && program_.descriptors.back().weight_bits == bits;
    if (!joins) {
      descriptor& d = append(op.name, opcode::product);
      d.weight_bits = bits;
      d.flags = accelerator::flag::known_ahead;
      d.scaled_by = op.kind == op_kind::head ? scale::sequences : scale::tokens;
      d.input_bytes = narrow(activation_bytes * op.active_copies * op.inputs, "inputs");
    } else {
      program_.operations.back().name += "+" + op.name;
    }
    descriptor& d = program_.descriptors.back();
    d.weight_bytes += static_cast<std::uint64_t>(op.weight_bytes.value());
    d.macs_per_token += macs;
    d.output_bytes = narrow(d.output_bytes + activation_bytes * op.active_copies * op.outputs, "outputs");
    follows_product_ = true;
    const bool sums = op.kind == op_kind::projection && sharding_of(op) == sharding::rows;
    partial_sums_ = partial_sums_ || (sums && p_.tensor > 1);
  }

  void add_experts(const plan::operation& op) {
    descriptor& d = append(op.name, opcode::product);
    d.weight_bits = static_cast<std::uint8_t>(op.format.bits_per_weight);
    d.scaled_by = scale::experts;
    d.weight_bytes = static_cast<std::uint64_t>(op.weight_bytes.value()) / op.copies;
    d.macs_per_token = std::uint64_t{op.inputs} * op.outputs;
    d.input_bytes = narrow(activation_bytes * op.inputs, "inputs");
    d.output_bytes = narrow(activation_bytes * op.outputs, "outputs");
    if (!p_.tokens_travel() && p_.tensor > 1 && op.name == "experts_down") partial_sums_ = true;
  }

  void add_attention(const plan::operation& op) {
    descriptor& d = append(op.name, opcode::attention);
    d.flags = op.sparse_top_k == 0 ? accelerator::flag::known_ahead : 0;
    d.macs_per_entry = std::uint64_t{op.heads} * (op.key_width + op.value_width);
    d.entry_bytes = narrow(static_cast<std::uint64_t>(op.cache_entry_bytes.value()), "bytes of a cache entry");
    d.positions_per_entry = op.positions_per_entry;
    d.entry_limit = narrow(op.reach == plan::span::all ? op.sparse_top_k : op.window, "positions of a window");
    d.input_bytes = narrow(activation_bytes * op.heads * op.key_width, "queries");
    const std::uint64_t results = op.value_width == 0 ? op.outputs : std::uint64_t{op.heads} * op.value_width;
    d.output_bytes = narrow(activation_bytes * results, "results");
  }

  void add_recurrence(const plan::operation& op) {
    descriptor& d = append(op.name, opcode::attention);
    d.flags = accelerator::flag::known_ahead;
    d.weight_bytes = static_cast<std::uint64_t>(op.weight_bytes.value());
    d.macs_per_token = static_cast<std::uint64_t>(op.macs_per_token);
    d.state_bytes = narrow(static_cast<std::uint64_t>(op.state_bytes.value()), "bytes of state");
    const std::uint64_t vectors = op.kind == op_kind::state_update ? op.copies : 1;
    d.input_bytes = narrow(activation_bytes * vectors * op.inputs, "inputs");
    d.output_bytes = d.input_bytes;
  }

  void add_lookup(const plan::operation& op) {
    descriptor& d = append(op.name, opcode::elementwise);
    d.output_bytes = narrow(activation_bytes * op.outputs, "outputs");
    if (op.name == "embed_tokens") partial_sums_ = p_.tensor > 1;
  }

  void add_norm(const plan::operation& op) {
    descriptor& d = append(op.name, opcode::elementwise);
    d.input_bytes = narrow(activation_bytes * op.inputs * op.copies, "inputs");
    d.output_bytes = d.input_bytes;
  }

  descriptor& exchange(opcode op, std::uint64_t bytes, std::int64_t ranks, const std::string& name) {
    descriptor& d = append(name, op);
    d.input_bytes = narrow(bytes, "bytes of an exchange");
    d.ranks = static_cast<std::uint32_t>(ranks);
    return d;
  }

  // 4-bit elements carry an 8-bit scale for 16 of them.
  static std::uint64_t packed_bytes(std::uint64_t elements, int bits) {
    return bits == 4 ? elements / 2 + elements / 16 : elements * static_cast<std::uint64_t>(bits) / 8;
  }

  void token_exchange(opcode op, std::uint64_t elements, int bits, const std::string& name) {
    descriptor& d = exchange(op, packed_bytes(elements, bits), p_.expert, name);
    d.round_trip_bytes =
        narrow(packed_bytes(elements, formats_.dispatch_bits) + packed_bytes(elements, formats_.combine_bits),
               "bytes of an exchange");
    if (op == opcode::combine && bits == 4) d.flags |= accelerator::flag::low_precision;
  }

  void all_reduce(std::uint64_t elements, const std::string& name) {
    exchange(opcode::all_reduce, activation_bytes * elements, p_.tensor, name);
    partial_sums_ = false;
  }

  parallelism p_;
  exchange_formats formats_;
  rank_program program_;
  std::string layer_;
  bool partial_sums_ = false;     // of this half of a layer, on the tensor ranks
  bool follows_product_ = false;  // the operation before is a product, the last descriptor
};

std::optional<expert_shape> experts_of(const std::vector<plan::layer_plan>& layers) {
  std::optional<expert_shape> shape;
  for (const auto& layer : layers)
    for (const auto& op : layer.operations) {
      if (op.kind != op_kind::experts) continue;
      if (!shape) shape = expert_shape{op.copies, op.active_copies};
      if (shape->experts != op.copies || shape->top_k != op.active_copies) {
        throw base::bad_input(
            fmt::format("{}: {} of {} experts where other layers have {} of {}: one launch draws one "
                        "routing for all its layers",
                        layer.name, op.active_copies, op.copies, shape->top_k, shape->experts));
      }
    }
  return shape;
}

}  // namespace

rank_program make_rank_program(const std::vector<plan::layer_plan>& layers, const parallelism& p,
                               const exchange_formats& formats) {
  stage_builder builder(p, formats);
  for (const auto& layer : layers)
    builder.add(layer);
  rank_program program = builder.take();
  program.experts = experts_of(layers);
  return program;
}

}  // namespace scribeline::accelerator_kernels
