#include "scenarios/harness/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "scenarios/harness/config_value.h"

namespace scribeline::harness {

metric& metric::unit(std::string text) {
  return unit_ = std::move(text), *this;
}
metric& metric::headline(std::string label) {
  return label_ = std::move(label), *this;
}

metric& metric::at_least(double bound, std::string binds, double relative_tolerance) {
  least_ = bound;
  binds_ = std::move(binds);
  tolerance_ = relative_tolerance;
  return *this;
}

metric& metric::at_most(double bound, std::string binds, double relative_tolerance) {
  most_ = bound;
  binds_ = std::move(binds);
  tolerance_ = relative_tolerance;
  return *this;
}

double metric::number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  return not_measured;
}

std::optional<double> metric::bound() const {
  return least_ ? least_ : most_;
}

std::optional<std::string> metric::contradiction() const {
  const double value = number();
  if (bound() && std::isnan(*bound()) && !std::isnan(value)) {
    return fmt::format("{} = {} has a bound that is not a number ({})", name_, shortest(value), binds_);
  }
  if (least_ && value < *least_ - std::abs(*least_) * tolerance_) {
    return fmt::format("{} = {} is below its lower bound {} ({})", name_, shortest(value), shortest(*least_), binds_);
  }
  if (most_ && value > *most_ + std::abs(*most_) * tolerance_) {
    return fmt::format("{} = {} is above its upper bound {} ({})", name_, shortest(value), shortest(*most_), binds_);
  }
  return std::nullopt;
}

metric& metrics::insert(metric one) {
  for (const char* reserved : {"config.", "bound.", "binds.", "unit."}) {
    if (one.name().rfind(reserved, 0) == 0) throw std::logic_error("reserved metric name: " + one.name());
  }
  if (find(one.name()) != nullptr) throw std::logic_error("metric added twice: " + one.name());
  return metrics_.emplace_back(std::move(one));
}

metric& metrics::add(std::string name, double value) {
  return insert({std::move(name), value});
}
metric& metrics::add(std::string name, std::int64_t value) {
  return insert({std::move(name), value});
}
metric& metrics::add(std::string name, std::string value) {
  return insert({std::move(name), std::move(value)});
}

void metrics::add_percentiles(const std::string& name, const std::vector<double>& samples, const std::string& unit) {
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  add(name + ".mean", samples.empty() ? std::nan("") : sum / static_cast<double>(samples.size())).unit(unit);
  for (const int percent : {50, 90, 99})
    add(fmt::format("{}.p{}", name, percent), percentile(samples, percent)).unit(unit);
}

const metric* metrics::find(std::string_view name) const {
  const auto found = std::find_if(metrics_.begin(), metrics_.end(), [&](const metric& m) { return m.name() == name; });
  return found == metrics_.end() ? nullptr : &*found;
}

metric& metrics::at(std::string_view name) {
  const auto found = std::find_if(metrics_.begin(), metrics_.end(), [&](const metric& m) { return m.name() == name; });
  if (found == metrics_.end()) throw std::logic_error("no such metric: " + std::string(name));
  return *found;
}

std::vector<std::string> metrics::names() const {
  std::vector<std::string> names;
  for (const metric& one : metrics_)
    names.push_back(one.name());
  return names;
}

std::vector<std::string> metrics::contradictions() const {
  std::vector<std::string> found;
  for (const metric& one : metrics_) {
    if (auto text = one.contradiction()) found.push_back(std::move(*text));
  }
  return found;
}

text_table metrics::headline_table() const {
  text_table table({"result", "value", "unit", "bound", "bound by"});
  table.align_right(1).align_right(3);
  for (const metric& one : metrics_) {
    if (!one.is_headline()) continue;
    const auto* text = std::get_if<std::string>(&one.value());
    const auto* integer = std::get_if<std::int64_t>(&one.value());
    table.add_row({one.label(),
                   text != nullptr      ? *text
                   : integer != nullptr ? fmt::format("{}", *integer)
                                        : short_number(one.number()),
                   one.unit(), one.bound() ? short_number(*one.bound()) : "", one.binds()});
  }
  return table;
}

double percentile(std::vector<double> samples, double percent) {
  if (samples.empty()) return std::nan("");
  if (std::any_of(samples.begin(), samples.end(), [](double x) { return std::isnan(x); })) {
    throw std::logic_error("a percentile of samples that are not numbers");
  }
  std::sort(samples.begin(), samples.end());
  const double rank = percent / 100.0 * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (samples[above] - samples[below]) * (rank - std::floor(rank));
}

}  // namespace scribeline::harness
