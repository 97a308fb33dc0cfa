// Recurrences whose state stays on the cores, short convolutions, and the compressors of cache entries.
#include "firmware_stubs/kernels/stage_compiler.h"

namespace scribeline::kernels {

using plan::operation;
using wafer::arithmetic;
using wafer::opcode;

// Gate and value of each channel join the unfinished entry, which waits in 32 bit at the roots of the all-reduce
// before: one line of cores works.
void stage_compiler::compress(const operation& op) {
  const std::int64_t channels = slice(op.inputs, across());
  as(routine::pool, dealt(vector(channels, softmax_operations, arithmetic::copy_fp16, 2000, across()), along()));
  vector(channels, 1, arithmetic::fma_fp32, 8000, across());
  buffer(channels);
}

// One line of cores works, as above: the last inputs of a channel need to be kept in one place only.
void stage_compiler::convolution(const operation& op) {
  const std::int64_t taps = static_cast<std::int64_t>(op.macs_per_token) / op.inputs;
  const std::int64_t channels = slice(op.inputs, across());
  vector(channels, taps, arithmetic::fma_fp16, 4000, across());
  buffer(channels);
  keep(op.inputs);
}

// Heads lie in a grid: `head_rows` of them one above the other, so that a head's values take the rows of its cell.
void stage_compiler::state_update(const operation& op) {
  const std::int64_t head_rows =
      std::clamp<std::int64_t>(along() / op.value_width, 1, std::min<std::int64_t>(op.heads, along()));
  const std::int64_t head_columns = slice(op.heads, head_rows);
  const std::int64_t heads_per_cell = slice(head_columns, across());
  const std::int64_t cell_columns = std::max<std::int64_t>(1, across() / head_columns);
  const std::int64_t cell_rows = along() / head_rows;
  const std::int64_t keys = slice(op.key_width, cell_columns);
  const std::int64_t values = slice(op.value_width, cell_rows);
  const std::int64_t state_elements = std::int64_t{op.heads} * op.key_width * op.value_width;
  const std::int64_t passes = static_cast<std::int64_t>(op.macs_per_token) / state_elements;
  const auto element_bytes = static_cast<std::uint32_t>(op.state_bytes.value() / state_elements);
  const std::int64_t lines = along() * across() / cell_columns;

  // The line of a cell learns the values of its head.
  communicate(opcode::broadcast, cell_columns, lines, heads_per_cell * op.value_width);
  vector(heads_per_cell * keys * passes, values, element_bytes > 2 ? arithmetic::fma_fp32 : arithmetic::fma_fp16,
         2 * 1000 * element_bytes, map_.region.cores());
  // What the state holds for key and query, and the product of the two.
  communicate(opcode::all_reduce, cell_columns, lines, heads_per_cell * (2 * values + 1), 4);
  // Every core of a column learns its share of the results of the heads in it.
  communicate(opcode::broadcast, along(), across(), slice(std::int64_t{op.heads} * op.value_width, across()));
  buffer_attention(heads_per_cell * (op.value_width + 2 * keys));
  keep(std::int64_t{op.heads} * (2 * op.key_width + op.value_width));
}

}  // namespace scribeline::kernels
