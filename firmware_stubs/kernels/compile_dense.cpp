// Dense products, norms and element-wise operations on the region of a stage.
#include "firmware_stubs/kernels/stage_compiler.h"

namespace scribeline::kernels {

using plan::op_kind;
using plan::operation;
using wafer::opcode;

// The row of a token lies in one line of cores and goes to the region's middle.
void stage_compiler::embed(const operation& op) {
  communicate(opcode::transfer, (map_.block.columns + map_.block.rows) / 2, map_.region.columns,
              slice(op.outputs, map_.region.columns));
}

// Sums of squares run over the line, or over the band of each head. Before a product they travel with its sums, which
// run over the same line, and the product is scaled afterwards.
void stage_compiler::norm(const operation& op) {
  const std::int64_t elements = slice(std::int64_t{op.inputs} * op.copies, across());
  const std::int64_t vectors = slice(op.copies, across());
  const bool rides = norms_ride();
  wafer::descriptor& squares = elementwise(routine::norm_squares, elements, 1, vectors);
  if (!rides) dealt(squares, along());  // otherwise every line scales its outputs of every token
  buffer(elements);
  keep(std::int64_t{op.inputs} * op.copies);
  unscaled_.push_back({elements, vectors});
  unsummed_squares_ += vectors;
  squares_line_ = std::max(squares_line_, across() / op.copies);
  if (rides || next_runs_beside(op_kind::norm)) return;
  dealt(communicate(opcode::all_reduce, squares_line_, along() * across() / squares_line_, unsummed_squares_, 4),
        along());
  scale_norms();
}

// Whether this norm and those beside it are of whole lines and a product that sums over the same line follows.
bool stage_compiler::norms_ride() const {
  const auto& operations = layer_.operations;
  const auto beside = [&](std::size_t i) {
    return operations[i].beside_previous && operations[i].kind == op_kind::norm;
  };
  std::size_t first = current_;
  while (beside(first))
    --first;
  std::size_t next = first;
  do {
    if (operations[next].copies != 1) return false;
    ++next;
  } while (next < operations.size() && beside(next));
  if (in_expert_phase_ || next == operations.size() || operations[next].copies != 1) return false;
  const op_kind kind = operations[next].kind;
  return kind == op_kind::projection || kind == op_kind::route || kind == op_kind::head;
}

// By the root, by the weight.
void stage_compiler::scale_norms() {
  for (const norm_slice& n : unscaled_)
    dealt(elementwise(routine::norm_scale, n.elements, 2, n.vectors), along());
  unscaled_.clear();
  unsummed_squares_ = 0;
  squares_line_ = 1;
}

void stage_compiler::elementwise_on(const operation& op, routine code, std::int64_t operations) {
  const std::int64_t elements = slice(std::int64_t{op.inputs} * op.copies, across());
  dealt(elementwise(code, elements, operations, slice(op.copies, across())), along());
  buffer(elements);
  keep(std::int64_t{op.inputs} * op.copies);
}

// Attention over depth scores each of its sources first.
void stage_compiler::residual(const operation& op) {
  if (op.macs_per_token > 0) {
    const std::int64_t elements = std::int64_t{op.inputs} * op.copies;
    const auto per_element = static_cast<std::int64_t>(op.macs_per_token) / elements;
    dealt(vector(slice(elements, across()), per_element, wafer::arithmetic::fma_fp16, 4000, across()), along());
    dealt(communicate(opcode::all_reduce, across(), along(), op.copies, 4), along());
  }
  elementwise_on(op, op.copies > 1 ? routine::mix : routine::add, 2);
}

void stage_compiler::product(const operation& op) {
  if (op.copies > 1) return banded_product(op);
  const std::int64_t inputs = slice(op.inputs, across());
  const std::int64_t outputs = slice(op.outputs, along());
  product_of(inputs, outputs, op.format, map_.region.cores());
  unsummed_outputs_ += outputs;
  unsummed_vector_ += op.outputs;
  (op.outputs_everywhere ? outputs_everywhere_ : unsummed_alone_) += op.outputs;
  buffer(std::max(inputs, unsummed_outputs_));
  keep(op.inputs + unsummed_vector_);
  if (op.kind != op_kind::head && next_runs_beside(op_kind::projection)) return;
  finish_products();
}

void stage_compiler::finish_products() {
  constexpr std::int64_t elements_of_square = 2;  // 32 bit
  communicate(opcode::all_reduce, across(), along(), unsummed_outputs_ + elements_of_square * unsummed_squares_);
  if (unsummed_squares_ > 0) {
    dealt(elementwise(routine::scale, unsummed_outputs_, 1), across());
    scale_norms();  // for those that need the input again
  }
  attended_ = false;
  swap_axes();
  if (outputs_everywhere_ > 0) {
    communicate(opcode::broadcast, across(), along(), outputs_everywhere_);
    buffer_attention(outputs_everywhere_);
    // What goes on is still split as before.
    if (unsummed_alone_ == 0) swap_axes();
  }
  unsummed_outputs_ = unsummed_vector_ = outputs_everywhere_ = unsummed_alone_ = 0;
}

// Before attention the heads lie side by side on the input axis; after it every core of that axis has a slice of
// each head, and the heads spread along the outputs.
void stage_compiler::banded_product(const operation& op) {
  if (attended_) {
    attended_ = false;
    const std::int64_t inputs = slice(op.inputs, across());
    const std::int64_t outputs = slice(std::int64_t{op.copies} * op.outputs, along());
    product_of(inputs, outputs, op.format, map_.region.cores());
    communicate(opcode::all_reduce, across(), along(), outputs);
    buffer(std::max(inputs, outputs));
    keep(std::int64_t{op.copies} * op.outputs);
    return swap_axes();
  }
  const std::int64_t copies_per_band = slice(op.copies, across());
  const std::int64_t band = std::max<std::int64_t>(1, across() / op.copies);
  const std::int64_t inputs = copies_per_band * slice(op.inputs, band);
  const std::int64_t outputs = slice(op.outputs, along());
  product_of(inputs, outputs, op.format, map_.region.cores());
  communicate(opcode::reduce, band, along() * op.copies, copies_per_band * outputs);
  communicate(opcode::broadcast, across(), along(), op.copies * outputs);
  buffer_attention(op.copies * outputs);
  swap_axes();
}

// Every core knows all scores. Each of a line ranks its share of the experts: so many scores are compared with each,
// and what all weigh together is summed over the line.
void stage_compiler::route(const operation& op) {
  product(op);
  const std::int64_t share = slice(op.outputs, across());
  dealt(elementwise(routine::rank, op.outputs, 2 * share + 1, share), along());
  dealt(communicate(opcode::all_reduce, across(), along(), 1, 4), along());
  dealt(elementwise(routine::rank_division, share, 1, share), along());
}

void stage_compiler::sample(const operation& op) {
  dealt(elementwise(routine::best_score, slice(op.inputs, across()), 1), along());
  dealt(communicate(opcode::all_reduce, across(), along(), 2, 4), along());  // score and token number
}

}  // namespace scribeline::kernels
