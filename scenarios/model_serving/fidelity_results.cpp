#include "scenarios/model_serving/fidelity_results.h"

#include <fmt/format.h>

#include <cmath>

namespace scribeline::scenarios {

namespace {

std::string percent(double part) {
  return fmt::format("{:+.1f} %", 100 * part);
}

}  // namespace

void fidelity_results::add(double simulated, double closed_form) {
  if (closed_form == 0) return;
  const double difference = simulated / closed_form - 1;
  ++count_;
  sum_ += difference;
  if (std::abs(difference) > std::abs(worst_)) worst_ = difference;
}

double fidelity_results::mean() const {
  return count_ == 0 ? harness::not_measured : sum_ / static_cast<double>(count_);
}

std::string fidelity_results::mean_text() const {
  return count_ == 0 ? "-" : percent(mean());
}

std::string fidelity_results::worst_text() const {
  return count_ == 0 ? "-" : percent(worst_);
}

void fidelity_results::add_metrics(const std::string& group, harness::metrics& metrics) const {
  metrics.add(group + ".over_closed_form_mean", mean());
  metrics.add(group + ".over_closed_form_worst", worst_);
}

void fidelity_results::show(const std::string& medium, const std::string& what, const std::string& title,
                            const std::string& column, harness::run_context& context) const {
  context.metrics.add(fmt::format("{}.simulated_{}", medium, what), static_cast<std::int64_t>(count_));
  add_metrics(medium, context.metrics);
  harness::text_table table({column, "mean over closed form", "worst"});
  table.align_right(0).align_right(1).align_right(2);
  table.add_row({std::to_string(count_), mean_text(), worst_text()});
  context.show(title, table);
}

}  // namespace scribeline::scenarios
