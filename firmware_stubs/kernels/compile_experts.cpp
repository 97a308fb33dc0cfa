// Mixtures of experts on the block of a stage: a grid of groups, each with its experts and a slice of the shared ones.
#include "firmware_stubs/kernels/stage_compiler.h"

namespace scribeline::kernels {

using plan::op_kind;
using plan::operation;
using wafer::opcode;

namespace {

// From the middle of a line to its ends.
std::int64_t half(std::int64_t line) {
  return std::max<std::int64_t>(1, line / 2);
}

}  // namespace

std::int64_t stage_compiler::group_across(bool inputs_along_columns) const {
  return inputs_along_columns ? map_.group().columns : map_.group().rows;
}
std::int64_t stage_compiler::group_along(bool inputs_along_columns) const {
  return group_across(!inputs_along_columns);
}

// From the region along the rows of the block: every core of a row then knows what lies in it. From there along the
// columns, each of which multicasts what its cores multiply. Where routed experts get a projection of the token, the
// token goes with it for the shared ones.
void stage_compiler::dispatch(const operation& op) {
  in_expert_phase_ = true;
  routed_width_ = op.inputs;
  std::int64_t elements = op.inputs;
  for (std::size_t i = current_; layer_.operations[i].kind != op_kind::combine; ++i) {
    if (layer_.operations[i].kind != op_kind::projection) continue;
    if (layer_.operations[i].inputs != op.inputs) elements += layer_.operations[i].inputs;
    break;
  }
  communicate(opcode::transfer, half(map_.block.columns), map_.region.rows, slice(elements, map_.region.rows));
  communicate(opcode::transfer, half(map_.block.rows), map_.block.columns, slice(elements, map_.group().columns));
  expert_inputs_along_columns_ = true;
}

void stage_compiler::experts(const operation& op) {
  const bool columns = expert_inputs_along_columns_;
  const std::int64_t inputs = slice(op.inputs, group_across(columns));
  const std::int64_t outputs = slice(op.outputs, group_along(columns));
  per_pair(product_of(inputs, outputs, op.format, map_.group().cores()));
  const std::int64_t missing = slice(op.copies, map_.groups()) * map_.groups() - op.copies;
  const base::bytes padding{base::ceil_div<std::int64_t>(op.weight_bytes.value(), op.copies) * missing};
  program_.memory.block_weights += padding;
  program_.memory.padding += padding;
  buffer(std::max(inputs, outputs));
  // Results of the last product are summed into one line of the group, from where they return.
  const bool last = !columns;
  per_pair(
      communicate(last ? opcode::reduce : opcode::all_reduce, group_across(columns), group_along(columns), outputs));
  expert_inputs_along_columns_ = !columns;
}

// Runs on the axes of the routed product beside it.
void stage_compiler::shared_expert(const operation& op) {
  const bool columns = !expert_inputs_along_columns_;
  const std::int64_t lines = group_along(columns) * map_.groups();
  const bool last = !columns;
  const std::int64_t inputs = slice(last ? slice(op.inputs, map_.groups()) : op.inputs, group_across(columns));
  const std::int64_t outputs = slice(last ? op.outputs : slice(op.outputs, map_.groups()), group_along(columns));
  product_of(inputs, outputs, op.format, map_.group().cores() * map_.groups());
  communicate(last ? opcode::reduce : opcode::all_reduce, group_across(columns), lines, outputs);
  buffer(std::max(inputs, outputs));
  // Results as wide as the routed ones were added to them in the group.
  if (last && op.outputs != routed_width_) returning_beside_ = slice(op.outputs, group_along(columns));
}

void stage_compiler::expert_activation(const operation& op) {
  const std::int64_t parts = group_across(expert_inputs_along_columns_);
  if (op.beside_previous) {  // of the shared experts
    as(routine::gate, vector(slice(slice(op.inputs, map_.groups()), parts), activation_operations,
                             wafer::arithmetic::copy_fp16, 2000, map_.group().cores() * map_.groups()));
    return;
  }
  per_pair(as(routine::gate, vector(slice(op.inputs, parts), activation_operations, wafer::arithmetic::copy_fp16, 2000,
                                    map_.group().cores())));
}

// The last product of an expert is summed along the columns of its group, each column's in a row of its own: the
// results of all groups for one slice then lie in the same columns and rows, and are summed along both without sharing
// a link with those of other slices. Rows of the region learn them.
void stage_compiler::combine(const operation& op) {
  in_expert_phase_ = false;
  const std::int64_t slices = map_.group().columns;
  const std::int64_t elements = slice(op.inputs, slices) + returning_beside_;
  returning_beside_ = 0;
  const std::int64_t of_row = slice(slices, map_.group().rows);
  sum_over_groups(map_.group_rows, map_.group().rows, map_.block.columns, elements);
  sum_over_groups(map_.group_columns, map_.group().columns, slice(slices, of_row), of_row * elements);
  communicate(opcode::transfer, half(map_.region.columns), slice(slices, of_row), of_row * elements);
}

void stage_compiler::sum_over_groups(std::int64_t groups, std::int64_t distance, std::int64_t lines,
                                     std::int64_t elements) {
  if (groups == 1) return;
  communicate(opcode::reduce, groups, lines, elements).extent_a = static_cast<std::uint32_t>(distance);
}

// Work and words of one group grow with the token-expert pairs of the busiest one, which counts tokens already.
void stage_compiler::per_pair(wafer::descriptor& d) const {
  d.scaled_by = wafer::scale::expert_load;
  d.token_tile = 0;
  d.pairs_per_token = program_.experts.top_k;
}

}  // namespace scribeline::kernels
