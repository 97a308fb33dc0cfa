#include "rtl_tlm/fabric/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace scribeline::fabric {

namespace {

using timestamps = std::vector<timestamp_record>;
using place = timestamps::iterator;

auto order_in_cycle(const timestamp_record& r) {
  return std::tuple(r.where.row, r.where.column, r.mark);
}
bool is_earlier(const timestamp_record& x, const timestamp_record& y) {
  return x.cycle != y.cycle ? x.cycle < y.cycle : order_in_cycle(x) < order_in_cycle(y);
}

// Sorts `from` by a small number into `to`, in the order in which equal ones come; visits every group of them there.
template <class Number, class Visit>
void sort_by(place from, place end, place to, Number&& number, Visit&& visit) {
  const auto [least, most] = std::minmax_element(
      from, end, [&](const timestamp_record& x, const timestamp_record& y) { return number(x) < number(y); });
  const auto first = number(*least);
  std::vector<std::size_t> begin_of(static_cast<std::size_t>(number(*most) - first) + 2, 0);
  for (place r = from; r != end; ++r)
    ++begin_of[static_cast<std::size_t>(number(*r) - first) + 1];
  for (std::size_t i = 1; i < begin_of.size(); ++i)
    begin_of[i] += begin_of[i - 1];
  for (place r = from; r != end; ++r)
    to[static_cast<std::ptrdiff_t>(begin_of[static_cast<std::size_t>(number(*r) - first)]++)] = *r;
  std::size_t begin = 0;  // of a group; begin_of is its end by now
  for (std::size_t i = 0; i + 1 < begin_of.size(); begin = begin_of[i++])
    visit(to + static_cast<std::ptrdiff_t>(begin), to + static_cast<std::ptrdiff_t>(begin_of[i]));
}

}  // namespace

// Cores of a large fabric read their counters in the same cycle, millions of them: numbers as small as cycles and rows
// are counted instead of compared.
void sort_timestamps(timestamps& all) {
  constexpr std::ptrdiff_t few = 64;
  if (std::is_sorted(all.begin(), all.end(), is_earlier)) return;
  const auto cycle = [](const timestamp_record& r) { return r.cycle.value(); };
  const auto row = [](const timestamp_record& r) { return r.where.row; };
  const auto [first, last] = std::minmax_element(all.begin(), all.end(), is_earlier);
  if (cycle(*last) - cycle(*first) > 4 * static_cast<std::int64_t>(all.size())) {
    std::sort(all.begin(), all.end(), is_earlier);
    return;
  }
  timestamps by_cycle(all.size());
  sort_by(all.begin(), all.end(), by_cycle.begin(), cycle, [&](place begin, place end) {
    if (std::is_sorted(begin, end, is_earlier)) return;
    if (end - begin < few) return std::sort(begin, end, is_earlier);
    const place to = all.begin() + (begin - by_cycle.begin());
    sort_by(begin, end, to, row, [](place b, place e) {
      if (!std::is_sorted(b, e, is_earlier)) std::sort(b, e, is_earlier);
    });
    std::copy(to, to + (end - begin), begin);
  });
  all = std::move(by_cycle);
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
