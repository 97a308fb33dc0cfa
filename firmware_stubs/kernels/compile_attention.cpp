// Attention over a cache that is spread over the region, and the index that picks entries for it.
#include <cmath>

#include "firmware_stubs/kernels/stage_compiler.h"

namespace scribeline::kernels {

using plan::op_kind;
using plan::operation;
using wafer::arithmetic;
using wafer::opcode;

namespace {

// Choosing the best entries of 16-bit scores: four rounds of histograms of 16 bins, each narrowing the limit by 4 bits.
constexpr int histogram_rounds = 4;
constexpr std::int64_t histogram_bins = 16;

}  // namespace

std::int64_t most_picked_on_a_core(std::int64_t picked, std::int64_t cores) {
  if (cores <= 1) return picked;
  const double mean = static_cast<double>(picked) / static_cast<double>(cores);
  const double draws = std::log(static_cast<double>(cores));
  const auto most = static_cast<std::int64_t>(std::ceil(mean + std::sqrt(2 * mean * draws) + draws / 3));
  return std::min(most, picked);
}

stage_compiler::attention_layout stage_compiler::attention_layout_now() const {
  const std::int64_t bands = std::min(map_.attention_bands, across());
  return {bands, across() / bands, along()};
}

void stage_compiler::over_positions(const operation& op, wafer::descriptor& d) const {
  const auto layout = attention_layout_now();
  const std::int64_t cores = layout.positions_axis * layout.bands;
  d.scaled_by |= wafer::scale::positions;
  d.positions_divisor = static_cast<std::uint32_t>(cores * op.positions_per_entry);
  std::int64_t limit = static_cast<std::int64_t>(op.window);
  if (op.kind == op_kind::attention && op.sparse_top_k != 0) {
    limit = most_picked_on_a_core(static_cast<std::int64_t>(op.sparse_top_k), cores) * cores * op.positions_per_entry;
  }
  d.positions_limit = static_cast<std::uint32_t>(limit);
}

// Entries of the window and compressed ones share a softmax: scores first, then one maximum and one sum.
void stage_compiler::attention(const operation& op) {
  scores(op);
  unweighed_.push_back(&op);
  if (next_runs_beside(op_kind::attention)) return;
  const auto layout = attention_layout_now();
  const std::int64_t kv_per_core = slice(op.kv_heads, layout.elements_axis);
  const std::int64_t queries = kv_per_core * slice(op.heads, op.kv_heads);
  const std::int64_t cores_per_kv = std::max<std::int64_t>(1, layout.elements_axis / op.kv_heads);
  const std::int64_t value_slice = slice(op.value_width, cores_per_kv);
  sum_over_positions(queries, 4, layout.bands);  // the maximum
  for (const operation* part : unweighed_)
    values(*part);
  unweighed_.clear();
  // Values, and the sum of exponentials in 32 bit.
  sum_over_positions(queries * (value_slice + 2), 2, layout.bands);
  dealt(elementwise(routine::softmax_division, queries * value_slice, 1, queries), along());
  attended_ = true;
}

void stage_compiler::scores(const operation& op) {
  const auto layout = attention_layout_now();
  const std::int64_t cores_per_kv = std::max<std::int64_t>(1, layout.elements_axis / op.kv_heads);
  const std::int64_t queries = slice(op.kv_heads, layout.elements_axis) * slice(op.heads, op.kv_heads);
  const std::int64_t key_slice = slice(op.key_width, cores_per_kv);
  if (layout.bands > 1 && unweighed_.empty()) {
    communicate(opcode::broadcast, across(), along(), queries * key_slice);
  }
  // A key serves the queries of all heads and tokens.
  auto& products = vector(queries, key_slice, arithmetic::fma_fp16, 4000, map_.region.cores());
  as(routine::product_over_b, products).tokens_join_a = 1;
  over_positions(op, products);
  over_positions(
      op, communicate(opcode::all_reduce, cores_per_kv, layout.positions_axis * layout.bands * op.kv_heads, queries));
  over_positions(op, dealt(elementwise(routine::softmax_maximum, queries, maximum_operations), cores_per_kv));
  buffer_attention(queries * key_slice);
}

void stage_compiler::values(const operation& op) {
  const auto layout = attention_layout_now();
  const std::int64_t cores_per_kv = std::max<std::int64_t>(1, layout.elements_axis / op.kv_heads);
  const std::int64_t queries = slice(op.kv_heads, layout.elements_axis) * slice(op.heads, op.kv_heads);
  const std::int64_t value_slice = slice(op.value_width, cores_per_kv);
  over_positions(op, dealt(elementwise(routine::softmax_exponential, queries, softmax_operations - maximum_operations),
                           cores_per_kv));
  auto& products = vector(queries, value_slice, arithmetic::fma_fp16, 4000, map_.region.cores());
  as(routine::product_over_positions, products).tokens_join_a = 1;
  over_positions(op, products);
  buffer_attention(queries * value_slice);
}

// Along the positions of a band, then over the bands.
void stage_compiler::sum_over_positions(std::int64_t elements, std::uint8_t element_bytes, std::int64_t bands) {
  communicate(opcode::all_reduce, along(), across(), elements, element_bytes);
  if (bands == 1) return;
  communicate(opcode::reduce, bands, along() * across() / bands, elements, element_bytes);
  communicate(opcode::transfer, across(), along(), elements, element_bytes);
}

// Scores of all heads against every key, weighed and added to one score per entry; then the limit above which the best
// `outputs` entries lie.
void stage_compiler::index(const operation& op) {
  const auto layout = attention_layout_now();
  const std::int64_t key_slice = slice(op.key_width, layout.elements_axis);
  const std::int64_t queries = op.heads;
  if (layout.bands > 1) communicate(opcode::broadcast, across(), along(), queries * key_slice);
  over_positions(op, elementwise(routine::copy, key_slice, 1));  // keys of 8 bit become 16 bit
  auto& products = vector(queries, key_slice, arithmetic::fma_fp16, 4000, map_.region.cores());
  as(routine::product_over_b, products).tokens_join_a = 1;
  over_positions(op, products);
  over_positions(op,
                 communicate(opcode::all_reduce, layout.elements_axis, layout.positions_axis * layout.bands, queries));
  over_positions(op, dealt(elementwise(routine::index_weigh, queries, 3), layout.elements_axis));
  for (int round = 0; round < histogram_rounds; ++round) {
    over_positions(op, elementwise(routine::index_count, 1, 2));
    sum_over_positions(histogram_bins, 4, layout.bands);
  }
  buffer_attention(queries * key_slice);
}

}  // namespace scribeline::kernels
