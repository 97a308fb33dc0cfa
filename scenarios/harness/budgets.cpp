#include "scenarios/harness/budgets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/closest_name.h"
#include "scenarios/harness/config_value.h"

namespace scribeline::harness {
namespace {

// Enough digits that a value on the wrong side of its limit is seen to be there.
std::string number_text(double value) {
  return std::isnan(value) ? "not measured" : fmt::format("{:.6g}", value);
}

std::string margin_text(double margin, double limit) {
  if (std::isnan(margin)) return "-";
  if (limit == 0) return fmt::format("{:+.4g}", margin);
  return fmt::format("{:+.4g} ({:+.2f} %)", margin, margin / std::abs(limit) * 100);
}

}  // namespace

void check_budget(const budget& one) {
  for (const auto& limit : {one.min, one.max}) {
    if (limit && !std::isfinite(*limit)) {
      throw base::bad_input(
          fmt::format("{}: budget \"{}\": {} is not a limit", one.where, one.metric, shortest(*limit)));
    }
  }
  if (one.min && one.max && *one.min > *one.max) {
    throw base::bad_input(fmt::format("{}: budget \"{}\": min {} is above max {}", one.where, one.metric,
                                      shortest(*one.min), shortest(*one.max)));
  }
}

budget_report check_budgets(const std::vector<budget>& budgets, const metrics& measured) {
  std::vector<std::string> problems;
  budget_report report{true, text_table({"metric", "budget", "measured", "margin", "verdict"})};
  report.table.align_right(2).align_right(3);
  for (const budget& one : budgets) {
    const metric* found = measured.find(one.metric);
    if (found == nullptr) {
      std::string hint = suggestion(one.metric, measured.names());
      if (hint.empty()) hint = "; metrics.json lists the metrics there are";
      problems.push_back(fmt::format("{}: budget for unknown metric \"{}\"{}", one.where, one.metric, hint));
      continue;
    }
    const double value = found->number();
    const auto judge = [&](double limit, const char* sign, double margin) {
      const bool met = margin >= 0;
      report.met = report.met && met;
      report.table.add_row({one.metric, fmt::format("{} {}", sign, shortest(limit)), number_text(value),
                            margin_text(margin, limit), met ? "met" : "MISSED"});
    };
    if (one.min) judge(*one.min, ">=", value - *one.min);
    if (one.max) judge(*one.max, "<=", *one.max - value);
  }
  if (!problems.empty()) throw base::bad_input(fmt::format("{}", fmt::join(problems, "\n")));
  return report;
}

}  // namespace scribeline::harness
