#include "firmware_stubs/plan/work.h"

#include <algorithm>
#include <cmath>

namespace scribeline::plan {
namespace {

base::bytes rounded_bytes(double value) {
  return base::bytes{std::llround(value)};
}

// Powers by squaring: the same bits on every machine, unlike the library's pow.
double power(double x, std::uint64_t n) {
  double result = 1;
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) result *= x;
    x *= x;
  }
  return result;
}

// Sum of floor(n / ratio) for n = 1 .. last.
std::uint64_t sum_of_entries(std::uint64_t last, std::uint64_t ratio) {
  const std::uint64_t whole = last / ratio;
  return whole == 0 ? 0 : ratio * (whole * (whole - 1) / 2) + whole * (last % ratio + 1);
}

// Entries seen by the tokens at positions 0 .. positions - 1, summed; the n-th token sees n positions.
std::uint64_t visible_up_to(const operation& op, std::uint64_t positions) {
  if (op.reach == span::chunk) {
    const std::uint64_t rest = positions % op.window;
    return positions / op.window * (op.window * (op.window + 1) / 2) + rest * (rest + 1) / 2;
  }
  // A limit on entries is reached at a number of positions; from there on every token sees as many.
  const std::uint64_t limit = op.reach == span::sliding_window ? op.window : op.sparse_top_k;
  if (limit == 0) return sum_of_entries(positions, op.positions_per_entry);
  const std::uint64_t growing = std::min(positions, limit * op.positions_per_entry);
  return sum_of_entries(growing, op.positions_per_entry) + (positions - growing) * limit;
}

// Different cache entries that the tokens of a call need.
std::uint64_t distinct_entries(const operation& op, std::uint64_t tokens, std::uint64_t context) {
  const std::uint64_t positions = context + tokens;
  if (op.reach == span::chunk) return positions - context / op.window * op.window;
  if (op.reach == span::sliding_window) return std::min(positions, op.window + tokens - 1);
  const std::uint64_t entries = positions / op.positions_per_entry;
  return op.sparse_top_k == 0 ? entries : std::min(entries, visible_entries(op, tokens, context));
}

bool is_product(op_kind kind) {
  return kind == op_kind::projection || kind == op_kind::route || kind == op_kind::experts || kind == op_kind::head;
}

}  // namespace

work& work::operator+=(const work& other) {
  macs += other.macs;
  weight_bytes_read += other.weight_bytes_read;
  cache_bytes_read += other.cache_bytes_read;
  cache_bytes_written += other.cache_bytes_written;
  return *this;
}

double expected_active_copies(const operation& op, std::uint64_t tokens) {
  const double copies = op.copies;
  if (tokens <= 1 || op.active_copies == op.copies) return tokens == 0 ? 0 : op.active_copies;
  return copies * (1 - power(1 - op.active_copies / copies, tokens));
}

std::uint64_t visible_entries(const operation& op, std::uint64_t tokens, std::uint64_t context) {
  return visible_up_to(op, context + tokens) - visible_up_to(op, context);
}

work work_of(const operation& op, std::uint64_t tokens, std::uint64_t context) {
  work result;
  if (tokens == 0) return result;
  const double each = static_cast<double>(tokens);
  const double used = expected_active_copies(op, tokens) / op.copies;
  result.weight_bytes_read = rounded_bytes(static_cast<double>(op.weight_bytes.value()) * used);
  result.macs = op.macs_per_token * each;
  if (is_product(op.kind)) result.macs += each * op.active_copies * op.inputs * op.outputs;
  if (op.kind == op_kind::attention || op.kind == op_kind::index) {
    result.macs +=
        static_cast<double>(visible_entries(op, tokens, context)) * op.heads * (op.key_width + op.value_width);
    result.cache_bytes_read = op.cache_entry_bytes * static_cast<std::int64_t>(distinct_entries(op, tokens, context));
  }
  if (op.kind == op_kind::cache_append) {
    const std::uint64_t entries = (context + tokens) / op.positions_per_entry - context / op.positions_per_entry;
    result.cache_bytes_written = op.cache_entry_bytes * static_cast<std::int64_t>(entries);
  }
  result.cache_bytes_read += op.state_bytes;
  result.cache_bytes_written += op.state_bytes;
  return result;
}

work work_of(const layer_plan& layer, std::uint64_t tokens, std::uint64_t context) {
  work total;
  for (const operation& op : layer.operations)
    total += work_of(op, tokens, context);
  return total;
}

}  // namespace scribeline::plan
