// Who holds the memory of the fullest part of a machine.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/base/units.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// Metrics and a table, row by row: `kind`.weights_gb, ...
class memory_results {
 public:
  // `kind` is the memory in the names of metrics ("hbm"), `title` heads the table.
  memory_results(std::string kind, const std::string& title, base::bytes capacity, harness::run_context& context);

  void row(const std::string& name, base::bytes held);
  // Says how many requests of the workload fit, and shows the table.
  void show(std::int64_t requests_that_fit);

 private:
  std::string kind_;
  base::bytes capacity_;
  harness::run_context& context_;
  harness::text_table table_;
};

}  // namespace scribeline::scenarios
