// How far communication that a run simulated is from its closed forms.
#pragma once

#include <cstddef>
#include <string>

#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

class fidelity_results {
 public:
  void add(double simulated, double closed_form);

  // `medium`.simulated_`what` and `medium`.over_closed_form_*, and a table under `title` whose first column is headed
  // `column`.
  void show(const std::string& medium, const std::string& what, const std::string& title, const std::string& column,
            harness::run_context& context) const;

 private:
  std::size_t count_ = 0;
  double sum_ = 0;    // of differences relative to the closed form
  double worst_ = 0;  // the largest of them, either way
};

}  // namespace scribeline::scenarios
