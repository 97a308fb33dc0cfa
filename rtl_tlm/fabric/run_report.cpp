#include "rtl_tlm/fabric/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace scribeline::fabric {

void sort_timestamps(std::vector<timestamp_record>& timestamps) {
  const auto order = [](const timestamp_record& r) {
    return std::tuple(r.cycle.value(), r.where.row, r.where.column, r.mark);
  };
  std::sort(timestamps.begin(), timestamps.end(),
            [&](const timestamp_record& x, const timestamp_record& y) { return order(x) < order(y); });
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
