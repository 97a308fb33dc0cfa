// Timing budgets: limits that a scenario file sets on metrics, so that a slower commit fails the build.
//
//   [budgets]
//   "tpot_ms.p50" = { max = 4.0 }
//   tokens_per_s_per_user = { min = 250 }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/harness/metrics.h"

namespace scribeline::harness {

struct budget {
  std::string metric;
  std::optional<double> min;
  std::optional<double> max;
  std::string where;  // begins error messages
};

// Throws base::bad_input for limits that no value can meet.
void check_budget(const budget& one);

struct budget_report {
  bool met = true;
  // One row a limit: metric, budget, measured, margin, verdict. The margin is the distance to the limit in the
  // measure's unit and in percent of the limit; negative when missed.
  text_table table;
};

// A metric that was not measured misses its budget. Throws base::bad_input for a metric the run does not have,
// naming the nearest one.
budget_report check_budgets(const std::vector<budget>& budgets, const metrics& measured);

}  // namespace scribeline::harness
