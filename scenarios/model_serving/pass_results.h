// Where the time of the mean decode pass goes, host to host, in parts that add up to it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

struct pass_part_time {
  const char* name;   // in metrics
  const char* label;  // in tables
  double us;
};

// pass_us.* and a table. A third column, `title_of_each`, has the times divided by `count`, of stages or layers.
// Without decode passes nothing is measured and no table is shown.
void report_pass(const std::vector<pass_part_time>& parts, const std::string& title, const std::string& title_of_each,
                 double count, harness::run_context& context);

}  // namespace scribeline::scenarios
