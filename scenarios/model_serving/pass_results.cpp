#include "scenarios/model_serving/pass_results.h"

#include <fmt/format.h>

#include <algorithm>

namespace scribeline::scenarios {

void report_pass(const std::vector<pass_part_time>& parts, const std::string& title, const std::string& title_of_each,
                 double count, harness::run_context& context) {
  double whole = 0;
  for (const auto& part : parts)
    whole += part.us;
  const bool measured = whole > 0;
  harness::text_table table({"part of a decode pass", title, title_of_each, "share"});
  for (std::size_t column = 1; column < 4; ++column)
    table.align_right(column);
  for (const auto& part : parts) {
    context.metrics.add(fmt::format("pass_us.{}", part.name), measured ? part.us : harness::not_measured).unit("us");
    table.add_row({part.label, fmt::format("{:.2f}", part.us), fmt::format("{:.3f}", part.us / count),
                   fmt::format("{:.1f} %", measured ? 100 * part.us / whole : 0)});
  }
  table.add_row({"together", fmt::format("{:.2f}", whole), fmt::format("{:.3f}", whole / count), "100.0 %"});
  const auto& largest =
      *std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.us < b.us; });
  context.metrics.add("pass_us.total", measured ? whole : harness::not_measured).unit("us");
  context.metrics.add("pass_us.largest", measured ? largest.name : "");
  if (measured) context.show(fmt::format("Where a decode pass spends its time (largest: {})", largest.label), table);
}

}  // namespace scribeline::scenarios
