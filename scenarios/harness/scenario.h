// What a scenario is: keys, and a run that measures something.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/harness/budgets.h"
#include "scenarios/harness/interrupt.h"
#include "scenarios/harness/key_table.h"
#include "scenarios/harness/metrics.h"
#include "scenarios/harness/progress.h"
#include "scenarios/harness/result_directory.h"
#include "scenarios/harness/run_settings.h"

namespace scribeline::harness {

// What the harness lends to a run.
class run_context {
 public:
  run_context(const run_settings& run, result_directory& folder, const interrupt_guard& interrupt, progress& line,
              std::ostream& stderr_stream)
      : settings(run), results(folder), bar(line), notes(stderr_stream), interrupt_(interrupt) {}

  const run_settings& settings;
  result_directory& results;
  progress& bar;
  harness::metrics metrics;
  // For a line to the user that is not a result; goes to stderr.
  std::ostream& notes;

  // True once the user pressed Ctrl-C. Poll it, stop the simulation, and return with what was measured so far.
  bool interrupted() const { return interrupt_.requested(); }
  // A table shown on stdout under the headline metrics.
  void show(std::string title, text_table table) { tables_.emplace_back(std::move(title), std::move(table)); }
  const std::vector<std::pair<std::string, text_table>>& tables() const { return tables_; }
  // A limit that the run itself sets on one of its metrics; judged like the budgets of the scenario file.
  void require(budget limit) { requirements_.push_back(std::move(limit)); }
  const std::vector<budget>& requirements() const { return requirements_; }

 private:
  const interrupt_guard& interrupt_;
  std::vector<std::pair<std::string, text_table>> tables_;
  std::vector<budget> requirements_;
};

class scenario {
 public:
  virtual ~scenario() = default;
  // The name of the binary, "wafer_chain".
  virtual std::string name() const = 0;
  // One or two sentences for --help.
  virtual std::string summary() const = 0;
  // Presets before the keys they fill.
  virtual void declare_keys(key_table& keys) = 0;
  // The fabric fidelities that run() implements; the first is the default.
  virtual std::vector<fidelity> fidelities() const { return {fidelity::formula}; }
  // Builds the machine, simulates, fills context.metrics and writes files of its own. Throws the errors of
  // rtl_tlm/base/error.h for what the user can act on.
  virtual void run(run_context& context) = 0;
};

}  // namespace scribeline::harness
