#include "rtl_tlm/fabric/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace scribeline::fabric {

namespace {

bool is_earlier(const timestamp_record& x, const timestamp_record& y) {
  const auto order_in_cycle = [](const timestamp_record& r) { return std::tuple(r.where.row, r.where.column, r.mark); };
  return x.cycle != y.cycle ? x.cycle < y.cycle : order_in_cycle(x) < order_in_cycle(y);
}

void sort_if_needed(timestamp_record* begin, timestamp_record* end) {
  if (!std::is_sorted(begin, end, is_earlier)) std::sort(begin, end, is_earlier);
}

// Sorts by a number of first..last into `to`, in the order in which equal ones come; visits every group of them there.
template <class Number, class Visit>
void sort_by(const timestamp_record* begin, const timestamp_record* end, timestamp_record* to, std::int64_t first,
             std::int64_t last, Number&& number, Visit&& visit) {
  std::vector<std::size_t> begin_of(static_cast<std::size_t>(last - first) + 2, 0);
  for (const timestamp_record* r = begin; r != end; ++r)
    ++begin_of[static_cast<std::size_t>(number(*r) - first) + 1];
  for (std::size_t i = 1; i < begin_of.size(); ++i)
    begin_of[i] += begin_of[i - 1];
  for (const timestamp_record* r = begin; r != end; ++r)
    to[begin_of[static_cast<std::size_t>(number(*r) - first)]++] = *r;
  std::size_t group = 0;  // begin_of is the end of every group by now
  for (std::size_t i = 0; i + 1 < begin_of.size(); group = begin_of[i++])
    visit(to + group, to + begin_of[i]);
}

std::int64_t cycle_of(const timestamp_record& r) {
  return r.cycle.value();
}
std::int64_t row_of(const timestamp_record& r) {
  return r.where.row;
}

void sort_a_cycle(timestamp_record* begin, timestamp_record* end) {
  constexpr std::ptrdiff_t few = 64;
  if (std::is_sorted(begin, end, is_earlier)) return;
  if (end - begin < few) return std::sort(begin, end, is_earlier);
  std::int64_t rows = 0;
  for (const timestamp_record* r = begin; r != end; ++r)
    rows = std::max(rows, row_of(*r));
  std::vector<timestamp_record> by_row(static_cast<std::size_t>(end - begin));
  sort_by(begin, end, by_row.data(), 0, rows, row_of, sort_if_needed);
  std::copy(by_row.begin(), by_row.end(), begin);
}

}  // namespace

// Cores of a large fabric read their counters in the same cycle, hundreds of thousands of them: numbers as small as
// cycles and rows are counted instead of compared.
std::vector<timestamp_record> sorted_timestamps(const timestamp_record* records, std::size_t count) {
  if (count == 0) return {};
  const timestamp_record* end = records + count;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;
  for (const timestamp_record* r = records; r != end; ++r) {
    first = std::min(first, cycle_of(*r));
    last = std::max(last, cycle_of(*r));
  }
  std::vector<timestamp_record> sorted;
  if (last - first <= 4 * static_cast<std::int64_t>(count)) {
    sorted.resize(count);
    sort_by(records, end, sorted.data(), first, last, cycle_of, sort_a_cycle);
  } else {
    sorted.assign(records, end);
    std::sort(sorted.begin(), sorted.end(), is_earlier);
  }
  return sorted;
}

void report_violation(run_result& result, color_id color, coordinate where, std::int64_t cycle) {
  result.outcome = run_outcome::violation;
  result.violation = fmt::format("two words of color {} enter the router at {} from two sides in cycle {}", color,
                                 to_string(where), cycle);
  result.explanation = result.violation;
}

void report_cycle_limit(run_result& result) {
  result.outcome = run_outcome::cycle_limit;
  result.explanation = fmt::format("still busy after {} cycles", result.cycles.value());
}

}  // namespace scribeline::fabric
