#include "scenarios/model_serving/fidelity_results.h"

#include <fmt/format.h>

#include <cmath>

namespace scribeline::scenarios {

void fidelity_results::add(double simulated, double closed_form) {
  const double difference = simulated / closed_form - 1;
  ++count_;
  sum_ += difference;
  if (std::abs(difference) > std::abs(worst_)) worst_ = difference;
}

void fidelity_results::show(const std::string& medium, const std::string& what, const std::string& title,
                            const std::string& column, harness::run_context& context) const {
  const double mean = count_ == 0 ? harness::not_measured : sum_ / static_cast<double>(count_);
  context.metrics.add(fmt::format("{}.simulated_{}", medium, what), static_cast<std::int64_t>(count_));
  context.metrics.add(fmt::format("{}.over_closed_form_mean", medium), mean);
  context.metrics.add(fmt::format("{}.over_closed_form_worst", medium), worst_);
  harness::text_table table({column, "mean over closed form", "worst"});
  table.align_right(0).align_right(1).align_right(2);
  const auto percent = [this](double difference) {
    return count_ == 0 ? "-" : fmt::format("{:+.1f} %", 100 * difference);
  };
  table.add_row({std::to_string(count_), percent(mean), percent(worst_)});
  context.show(title, table);
}

}  // namespace scribeline::scenarios
