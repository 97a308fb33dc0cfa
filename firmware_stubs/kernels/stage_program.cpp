#include "firmware_stubs/kernels/stage_program.h"

#include "firmware_stubs/kernels/stage_compiler.h"

namespace scribeline::kernels {

using plan::op_kind;
using plan::operation;
using wafer::descriptor;
using wafer::opcode;

namespace {

std::uint32_t u32(std::int64_t n) {
  return static_cast<std::uint32_t>(n);
}

// What all heads of a token need in attention is many times wider than its activation, so the tokens of a chunk stream
// through it: while one is summed the next is computed.
constexpr std::int64_t tokens_in_attention = 2;

constexpr std::int64_t activation_bytes = 2;

}  // namespace

std::uint32_t weight_traffic(const model::weight_format& format) {
  return format.bits_per_weight * 1000 / 8 + 2000;
}

wafer::arithmetic arithmetic_of(const model::weight_format& format) {
  if (format.bits_per_weight > 16) return wafer::arithmetic::fma_fp32;
  return format.bits_per_weight < 16 ? wafer::arithmetic::dequant_fma_fp16 : wafer::arithmetic::fma_fp16;
}

stage_compiler::stage_compiler(const plan::layer_plan& layer, const stage_map& map, std::uint64_t most_tokens)
    : layer_(layer), map_(map), most_tokens_(static_cast<std::int64_t>(most_tokens)) {
  program_.experts = experts_of(layer);
}

stage_program stage_compiler::run() {
  program_.operations.emplace_back("enter");
  enter();
  for (current_ = 0; current_ < layer_.operations.size(); ++current_) {
    program_.operations.push_back(layer_.operations[current_].name);
    if (layer_.operations[current_].kind == op_kind::head) {
      program_.first_logit_descriptor = program_.descriptors.size();
    }
    place(layer_.operations[current_]);
  }
  program_.operations.emplace_back("leave");
  leave();
  if (program_.first_logit_descriptor == 0) program_.first_logit_descriptor = program_.descriptors.size();
  program_.memory.buffers_per_core = buffers_per_core();
  return std::move(program_);
}

base::bytes stage_compiler::buffers_per_core() const {
  const std::int64_t tokens = std::min(most_tokens_, map_.token_tile);
  const std::int64_t streaming = std::min(most_tokens_, tokens_in_attention);
  const std::int64_t in_flight = 2 * activation_bytes * (widest_slice_ * tokens + widest_attention_slice_ * streaming);
  if (most_tokens_ <= map_.token_tile) return base::bytes{in_flight};
  // Residual stream, inputs and outputs of the widest operation of all tokens, spread.
  const std::int64_t kept = static_cast<std::int64_t>(layer_.input_elements) + widest_vector_;
  return base::bytes{in_flight + slice(activation_bytes * kept * most_tokens_, map_.region.cores())};
}

descriptor& stage_compiler::emit(opcode op) {
  descriptor d;
  d.op = op;
  d.operation = u32(static_cast<std::int64_t>(program_.operations.size()) - 1);
  d.scaled_by = wafer::scale::tokens;
  d.token_tile = u32(map_.token_tile);
  program_.descriptors.push_back(d);
  return program_.descriptors.back();
}

descriptor& stage_compiler::vector(std::int64_t a, std::int64_t b, wafer::arithmetic work, std::uint32_t millibytes,
                                   std::int64_t cores) {
  descriptor& d = emit(opcode::vector);
  d.work = work;
  d.extent_a = u32(a);
  d.extent_b = u32(b);
  d.operand_millibytes = millibytes;
  d.cores = u32(cores);
  return d;
}

descriptor& stage_compiler::as(routine code, descriptor& d, std::int64_t argument) {
  d.routine = static_cast<std::uint16_t>(code);
  d.routine_argument = static_cast<std::uint16_t>(argument);
  return d;
}

descriptor& stage_compiler::product_of(std::int64_t inputs, std::int64_t outputs, const model::weight_format& format,
                                       std::int64_t cores) {
  descriptor& d = vector(inputs, outputs, arithmetic_of(format), weight_traffic(format), cores);
  if (d.work != wafer::arithmetic::dequant_fma_fp16) return as(routine::product_over_a, d);
  return as(format.bits_per_weight <= 4 ? routine::packed_product_4 : routine::packed_product_8, d,
            format.group_inputs);
}

descriptor& stage_compiler::elementwise(routine code, std::int64_t elements, std::int64_t operations,
                                        std::int64_t argument) {
  return as(code, vector(elements, operations, wafer::arithmetic::copy_fp16, 2000, map_.region.cores()), argument);
}

descriptor& stage_compiler::dealt(descriptor& d, std::int64_t cores) const {
  d.token_divisor = u32(cores);
  return d;
}

descriptor& stage_compiler::communicate(opcode op, std::int64_t line, std::int64_t lines, std::int64_t elements,
                                        std::uint8_t element_bytes) {
  descriptor& d = emit(op);
  d.line = u32(line);
  d.lines = u32(lines);
  d.elements = u32(elements);
  d.element_bytes = element_bytes;
  return d;
}

// From the edge of the block to the far side of the region, on as many lines as the region has rows; all tokens one
// behind the other.
void stage_compiler::enter() {
  const std::int64_t hops = map_.hops_from_link + (map_.block.columns + map_.region.columns) / 2;
  communicate(opcode::transfer, hops, map_.region.rows,
              slice(static_cast<std::int64_t>(layer_.input_elements), map_.region.rows))
      .token_tile = 0;
}

void stage_compiler::leave() {
  const std::int64_t hops = map_.hops_to_link + (map_.block.columns - map_.region.columns) / 2;
  communicate(opcode::transfer, std::max<std::int64_t>(1, hops), map_.region.rows,
              slice(static_cast<std::int64_t>(layer_.output_elements), map_.region.rows))
      .token_tile = 0;
}

const operation* stage_compiler::next() const {
  return current_ + 1 < layer_.operations.size() ? &layer_.operations[current_ + 1] : nullptr;
}

// The next operation is one of that kind that needs no result of this one.
bool stage_compiler::next_runs_beside(op_kind kind) const {
  const operation* op = next();
  return op != nullptr && op->beside_previous && op->kind == kind;
}

void stage_compiler::place(const operation& op) {
  const bool on_the_block = op.kind == op_kind::embed || op.kind == op_kind::experts || in_expert_phase_;
  (on_the_block ? program_.memory.block_weights : program_.memory.region_weights) += op.weight_bytes;
  switch (op.kind) {
    case op_kind::embed:
      return embed(op);
    case op_kind::norm:
      return norm(op);
    case op_kind::projection:
    case op_kind::head:
      return in_expert_phase_ ? shared_expert(op) : product(op);
    case op_kind::rotary:
      return elementwise_on(op, routine::rotary, 2);
    case op_kind::residual:
      return residual(op);
    case op_kind::activation:
      return in_expert_phase_ ? expert_activation(op) : elementwise_on(op, routine::gate, activation_operations);
    case op_kind::cache_append:
      dealt(elementwise(routine::copy, slice(op.cache_entry_bytes.value() / 2, along()), 1), across());
      return;
    case op_kind::attention:
      return attention(op);
    case op_kind::index:
      return index(op);
    case op_kind::compress:
      return compress(op);
    case op_kind::convolution:
      return convolution(op);
    case op_kind::state_update:
      return state_update(op);
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
  }
}

expert_layout experts_of(const plan::layer_plan& layer) {
  expert_layout layout;
  for (const auto& op : layer.operations) {
    if (op.kind != op_kind::experts) continue;
    layout.routed = op.copies;
    layout.top_k = op.active_copies;
    break;
  }
  return layout;
}

stage_program compile(const plan::layer_plan& layer, const stage_map& map, std::uint64_t most_tokens) {
  return stage_compiler(layer, map, most_tokens).run();
}

}  // namespace scribeline::kernels
