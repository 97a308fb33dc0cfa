#include "firmware_stubs/kernels/stage_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/base/error.h"

namespace scribeline::kernels {

namespace {

using plan::op_kind;
using plan::operation;
using wafer::arithmetic;
using wafer::descriptor;
using wafer::opcode;

std::uint32_t u32(std::int64_t n) {
  return static_cast<std::uint32_t>(n);
}

std::int64_t slice(std::int64_t total, std::int64_t parts) {
  return base::ceil_div(total, parts);
}

// Reads per multiply-accumulate: a weight and a 16-bit accumulator.
std::uint32_t weight_traffic(const model::weight_format& format) {
  return format.bits_per_weight * 1000 / 8 + 2000;
}

arithmetic arithmetic_of(const model::weight_format& format) {
  if (format.bits_per_weight > 16) return arithmetic::fma_fp32;
  return format.bits_per_weight < 16 ? arithmetic::dequant_fma_fp16 : arithmetic::fma_fp16;
}

// Element-wise work per element of the softmax: subtract, exponentiate (range reduction and a cubic), scale.
constexpr std::int64_t softmax_operations = 8;  // assumption
// Element-wise work per element of a gated activation: a sigmoid and two products.
constexpr std::int64_t activation_operations = 6;  // assumption

// What all heads of a token need in attention is many times wider than its activation, so the tokens of a chunk stream
// through it: while one is summed the next is computed.
constexpr std::int64_t tokens_in_attention = 2;

class compiler {
 public:
  compiler(const plan::layer_plan& layer, const stage_map& map, std::uint64_t most_tokens)
      : layer_(layer), map_(map), most_tokens_(static_cast<std::int64_t>(most_tokens)) {
    program_.experts = experts_of(layer);
  }

  stage_program run() {
    program_.operations.push_back("enter");
    enter();
    for (current_ = 0; current_ < layer_.operations.size(); ++current_) {
      program_.operations.push_back(layer_.operations[current_].name);
      place(layer_.operations[current_]);
    }
    program_.operations.push_back("leave");
    leave();
    const std::int64_t streaming = std::min(most_tokens_, tokens_in_attention);
    program_.memory.buffers_per_core =
        base::bytes{2 * 2 * (widest_slice_ * most_tokens_ + widest_attention_slice_ * streaming)};
    return std::move(program_);
  }

 private:
  // Cores along the axis that splits the inputs of the next product, and along the other.
  std::int64_t across() const { return inputs_along_columns_ ? map_.region.columns : map_.region.rows; }
  std::int64_t along() const { return inputs_along_columns_ ? map_.region.rows : map_.region.columns; }
  void swap_axes() { inputs_along_columns_ = !inputs_along_columns_; }

  descriptor& emit(opcode op) {
    descriptor d;
    d.op = op;
    d.operation = u32(static_cast<std::int64_t>(program_.operations.size()) - 1);
    program_.descriptors.push_back(d);
    return program_.descriptors.back();
  }

  descriptor& vector(std::int64_t a, std::int64_t b, arithmetic work, std::uint32_t millibytes, std::int64_t cores) {
    descriptor& d = emit(opcode::vector);
    d.work = work;
    d.extent_a = u32(a);
    d.extent_b = u32(b);
    d.operand_millibytes = millibytes;
    d.cores = u32(cores);
    d.scaled_by = wafer::scale::tokens;
    return d;
  }

  // One 16-bit element in, one out, `operations` times.
  descriptor& elementwise(std::int64_t elements, std::int64_t operations) {
    return vector(elements, operations, arithmetic::copy_fp16, 2000, map_.region.cores());
  }

  descriptor& communicate(opcode op, std::int64_t line, std::int64_t lines, std::int64_t elements,
                          std::uint8_t element_bytes = 2) {
    descriptor& d = emit(op);
    d.line = u32(line);
    d.lines = u32(lines);
    d.elements = u32(elements);
    d.element_bytes = element_bytes;
    d.scaled_by = wafer::scale::tokens;
    return d;
  }

  // Elements of one token that a core holds as input and output of an operation: two buffers of 16-bit elements.
  void buffer(std::int64_t elements) { widest_slice_ = std::max(widest_slice_, elements); }
  void buffer_attention(std::int64_t elements) {
    widest_attention_slice_ = std::max(widest_attention_slice_, elements);
  }

  // From the edge of the block to the far side of the region, on as many lines as the region has rows.
  void enter() {
    communicate(opcode::transfer, (map_.block.columns + map_.region.columns) / 2, map_.region.rows,
                slice(static_cast<std::int64_t>(layer_.input_elements), map_.region.rows));
  }
  void leave() {
    const std::int64_t hops = (map_.block.columns - map_.region.columns) / 2;
    communicate(opcode::transfer, std::max<std::int64_t>(1, hops), map_.region.rows,
                slice(static_cast<std::int64_t>(layer_.output_elements), map_.region.rows));
  }

  void place(const operation& op) {
    switch (op.kind) {
      case op_kind::embed:
        return embed(op);
      case op_kind::norm:
        return norm(op);
      case op_kind::projection:
      case op_kind::head:
        return in_expert_phase_ ? shared_expert(op) : product(op);
      case op_kind::rotary:
      case op_kind::residual:
        return elementwise_on(op, 2);
      case op_kind::activation:
        return in_expert_phase_ ? expert_activation(op) : elementwise_on(op, activation_operations);
      case op_kind::cache_append:
        elementwise(slice(op.cache_entry_bytes.value() / 2, along()), 1);
        return;
      case op_kind::attention:
        return attention(op);
      case op_kind::route:
        return route(op);
      case op_kind::dispatch:
        return dispatch(op);
      case op_kind::experts:
        return experts(op);
      case op_kind::combine:
        return combine(op);
      case op_kind::sample:
        return sample(op);
      case op_kind::index:
      case op_kind::compress:
      case op_kind::convolution:
      case op_kind::state_update:
        throw base::bad_input(
            fmt::format("{}: the wafer has no kernel for '{}' ({}); it runs grouped-query and latent "
                        "attention with dense or mixture-of-experts layers",
                        layer_.name, op.name, plan::to_string(op.kind)));
    }
  }

  // The row of a token lies in one line of cores and goes to the region's middle.
  void embed(const operation& op) {
    communicate(opcode::transfer, (map_.block.columns + map_.block.rows) / 2, map_.region.columns,
                slice(op.outputs, map_.region.columns));
    program_.memory.block_weights += op.weight_bytes;
  }

  void norm(const operation& op) {
    const std::int64_t elements = slice(std::int64_t{op.inputs} * op.copies, across());
    elementwise(elements, 3);  // square and add, scale by the root, scale by the weight
    program_.memory.region_weights += op.weight_bytes;
    buffer(elements);
    unsummed_squares_ += op.copies;
    if (next_runs_beside(op_kind::norm)) return;
    communicate(opcode::all_reduce, across(), along(), unsummed_squares_, 4);
    unsummed_squares_ = 0;
  }

  void elementwise_on(const operation& op, std::int64_t operations) {
    const std::int64_t elements = slice(std::int64_t{op.inputs} * op.copies, across());
    elementwise(elements, operations);
    buffer(elements);
  }

  // The next operation is one of the same kind that can share this one's all-reduce.
  bool next_runs_beside(op_kind kind) const {
    const auto& ops = layer_.operations;
    return current_ + 1 < ops.size() && ops[current_ + 1].beside_previous && ops[current_ + 1].kind == kind;
  }

  void product(const operation& op) {
    program_.memory.region_weights += op.weight_bytes;
    if (op.copies > 1) return banded_product(op);
    const std::int64_t inputs = slice(op.inputs, across());
    const std::int64_t outputs = slice(op.outputs, along());
    vector(inputs, outputs, arithmetic_of(op.format), weight_traffic(op.format), map_.region.cores());
    unsummed_outputs_ += outputs;
    buffer(std::max(inputs, unsummed_outputs_));
    if (next_runs_beside(op_kind::projection) && op.kind == op_kind::projection) return;
    communicate(opcode::all_reduce, across(), along(), unsummed_outputs_);
    unsummed_outputs_ = 0;
    swap_axes();
  }

  // Before attention the heads lie side by side on the input axis; after it every core of that axis has a slice of
  // each head, and the heads spread along the outputs.
  void banded_product(const operation& op) {
    if (attended_) {
      const std::int64_t inputs = slice(op.inputs, across());
      const std::int64_t outputs = slice(std::int64_t{op.copies} * op.outputs, along());
      vector(inputs, outputs, arithmetic_of(op.format), weight_traffic(op.format), map_.region.cores());
      communicate(opcode::all_reduce, across(), along(), outputs);
      buffer(std::max(inputs, outputs));
      return swap_axes();
    }
    const std::int64_t copies_per_band = slice(op.copies, across());
    const std::int64_t band = std::max<std::int64_t>(1, across() / op.copies);
    const std::int64_t inputs = copies_per_band * slice(op.inputs, band);
    const std::int64_t outputs = slice(op.outputs, along());
    vector(inputs, outputs, arithmetic_of(op.format), weight_traffic(op.format), map_.region.cores());
    communicate(opcode::reduce, band, along() * op.copies, copies_per_band * outputs);
    communicate(opcode::broadcast, across(), along(), op.copies * outputs);
    buffer_attention(op.copies * outputs);
    swap_axes();
  }

  void attention(const operation& op) {
    const std::int64_t bands = std::min(map_.attention_bands, across());
    const std::int64_t elements_axis = across() / bands;
    const std::int64_t positions_axis = along();
    const std::int64_t kv_per_core = slice(op.kv_heads, elements_axis);
    const std::int64_t cores_per_kv = std::max<std::int64_t>(1, elements_axis / op.kv_heads);
    const std::int64_t queries = kv_per_core * slice(op.heads, op.kv_heads);
    const std::int64_t key_slice = slice(op.key_width, cores_per_kv);
    const std::int64_t value_slice = slice(op.value_width, cores_per_kv);
    const auto over_positions = [&](descriptor& d) {
      d.scaled_by |= wafer::scale::positions;
      d.positions_divisor = u32(positions_axis * bands * op.positions_per_entry);
      const std::uint64_t limit = op.sparse_top_k ? op.sparse_top_k : op.window;
      d.positions_limit = static_cast<std::uint32_t>(limit);
    };

    if (bands > 1) communicate(opcode::broadcast, across(), along(), queries * key_slice);
    over_positions(vector(queries, key_slice, arithmetic::fma_fp16, 4000, map_.region.cores()));
    over_positions(communicate(opcode::all_reduce, cores_per_kv, positions_axis * bands * op.kv_heads, queries));
    over_positions(elementwise(queries, softmax_operations));
    sum_over_positions(queries, 4, bands);  // the maximum
    over_positions(vector(queries, value_slice, arithmetic::fma_fp16, 4000, map_.region.cores()));
    sum_over_positions(queries * (value_slice + 2), 2, bands);  // values, and the sum of exponentials in 32 bit
    buffer_attention(queries * std::max(key_slice, value_slice));
    attended_ = true;
  }

  // Along the positions of a band, then over the bands.
  void sum_over_positions(std::int64_t elements, std::uint8_t element_bytes, std::int64_t bands) {
    communicate(opcode::all_reduce, along(), across(), elements, element_bytes);
    if (bands == 1) return;
    communicate(opcode::reduce, bands, along() * across() / bands, elements, element_bytes);
    communicate(opcode::transfer, across(), along(), elements, element_bytes);
  }

  void route(const operation& op) {
    product(op);
    // Every line learns all scores, then picks the best one top-k times.
    communicate(opcode::broadcast, across(), along(), op.outputs);
    elementwise(op.outputs, program_.experts.top_k);
  }

  // To the farthest core of the block, along rows and then columns.
  void dispatch(const operation& op) {
    in_expert_phase_ = true;
    communicate(opcode::transfer, (map_.block.columns + map_.block.rows) / 2, map_.region.rows,
                slice(op.inputs, map_.region.rows));
    expert_inputs_along_columns_ = true;
  }

  void experts(const operation& op) {
    const rectangle group = map_.group();
    const std::int64_t across_group = expert_inputs_along_columns_ ? group.columns : group.rows;
    const std::int64_t along_group = expert_inputs_along_columns_ ? group.rows : group.columns;
    const std::int64_t inputs = slice(op.inputs, across_group);
    const std::int64_t outputs = slice(op.outputs, along_group);
    per_pair(vector(inputs, outputs, arithmetic_of(op.format), weight_traffic(op.format), group.cores()));
    const std::int64_t held = slice(op.copies, map_.groups()) * map_.groups();
    program_.memory.block_weights +=
        base::bytes{base::ceil_div<std::int64_t>(op.weight_bytes.value(), op.copies) * held};
    buffer(std::max(inputs, outputs));
    per_pair(communicate(opcode::all_reduce, across_group, along_group, outputs));
    expert_inputs_along_columns_ = !expert_inputs_along_columns_;
  }

  // Dealt to a group like a routed expert: its time is one more pair of the busiest group, drawn per pass.
  void shared_expert(const operation& op) { program_.memory.block_weights += op.weight_bytes; }

  void expert_activation(const operation& op) {
    if (op.beside_previous) return;  // of the shared experts, which count as routed ones
    const rectangle group = map_.group();
    const std::int64_t parts = expert_inputs_along_columns_ ? group.columns : group.rows;
    per_pair(vector(slice(op.inputs, parts), activation_operations, arithmetic::copy_fp16, 2000, group.cores()));
  }

  // Results flow to the region: across the block, summed where groups meet.
  void combine(const operation& op) {
    in_expert_phase_ = false;
    const std::int64_t parts = expert_inputs_along_columns_ ? map_.group().columns : map_.group().rows;
    const std::int64_t elements = slice(op.inputs, parts);
    communicate(opcode::transfer, (map_.block.columns + map_.block.rows) / 2, parts, elements);
    if (map_.group_columns > 1) communicate(opcode::reduce, map_.group_columns, parts, elements);
    if (map_.group_rows > 1) communicate(opcode::reduce, map_.group_rows, parts, elements);
  }

  void sample(const operation& op) {
    elementwise(slice(op.inputs, across()), 1);
    communicate(opcode::all_reduce, across(), along(), 2, 4);  // score and token number
  }

  // Work and words of one group grow with the token-expert pairs of the busiest one, which counts tokens already.
  void per_pair(descriptor& d) const {
    d.scaled_by = wafer::scale::expert_load;
    d.pairs_per_token = program_.experts.top_k + program_.experts.shared;
  }

  const plan::layer_plan& layer_;
  const stage_map& map_;
  std::int64_t most_tokens_;
  stage_program program_;
  std::size_t current_ = 0;
  bool inputs_along_columns_ = true;
  bool expert_inputs_along_columns_ = true;
  bool in_expert_phase_ = false;
  bool attended_ = false;
  std::int64_t unsummed_outputs_ = 0;
  std::int64_t unsummed_squares_ = 0;
  std::int64_t widest_slice_ = 0;
  std::int64_t widest_attention_slice_ = 0;
};

}  // namespace

expert_layout experts_of(const plan::layer_plan& layer) {
  expert_layout layout;
  // Multiply-accumulates of the first product of a routed expert, and of all shared ones together.
  std::int64_t routed_work = 0;
  std::int64_t shared_work = 0;
  bool in_expert_phase = false;
  for (const auto& op : layer.operations) {
    if (op.kind == op_kind::dispatch) in_expert_phase = true;
    if (op.kind == op_kind::combine) in_expert_phase = false;
    if (op.kind == op_kind::experts && layout.routed == 0) {
      layout.routed = op.copies;
      layout.top_k = op.active_copies;
      routed_work = std::int64_t{op.inputs} * op.outputs;
    }
    if (in_expert_phase && op.kind == op_kind::projection && shared_work == 0) {
      shared_work = std::int64_t{op.inputs} * op.outputs;
    }
  }
  if (layout.routed != 0) layout.shared = u32(base::ceil_div(shared_work, routed_work));
  return layout;
}

stage_program compile(const plan::layer_plan& layer, const stage_map& map, std::uint64_t most_tokens) {
  return compiler(layer, map, most_tokens).run();
}

}  // namespace scribeline::kernels
