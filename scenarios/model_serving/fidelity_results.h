// How far what a run simulated is from its closed forms.
#pragma once

#include <cstddef>
#include <string>

#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

class fidelity_results {
 public:
  // What takes no time by closed form does not count.
  void add(double simulated, double closed_form);

  std::size_t count() const { return count_; }
  // Of differences relative to the closed form, as text with a sign and %; "-" of none.
  std::string mean_text() const;
  std::string worst_text() const;
  // `group`.over_closed_form_mean and _worst.
  void add_metrics(const std::string& group, harness::metrics& metrics) const;

  // `medium`.simulated_`what` and `medium`.over_closed_form_*, and a table under `title` whose first column is headed
  // `column`.
  void show(const std::string& medium, const std::string& what, const std::string& title, const std::string& column,
            harness::run_context& context) const;

 private:
  double mean() const;

  std::size_t count_ = 0;
  double sum_ = 0;    // of differences relative to the closed form
  double worst_ = 0;  // the largest of them, either way
};

}  // namespace scribeline::scenarios
