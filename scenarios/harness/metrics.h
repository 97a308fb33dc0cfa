// What a run measured: an ordered list of named numbers, each with its unit and, where physics sets a limit,
// its bound and the resource that binds.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/harness/text_table.h"

namespace scribeline::harness {

// The value of a metric that a run could not measure: null in JSON, an empty cell in CSV, "-" in tables.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

class metric {
 public:
  using value_type = std::variant<std::int64_t, double, std::string>;

  metric(std::string name, value_type value) : name_(std::move(name)), value_(std::move(value)) {}

  metric& unit(std::string text);
  // Shown in the table on stdout, under this label.
  metric& headline(std::string label);
  // No machine can be below (a time) or above (a rate) the bound; `binds` names the resource that sets it.
  // `relative_tolerance` is for results that meet the bound exactly but for rounding.
  metric& at_least(double bound, std::string binds, double relative_tolerance = 1e-9);
  metric& at_most(double bound, std::string binds, double relative_tolerance = 1e-9);

  const std::string& name() const { return name_; }
  const value_type& value() const { return value_; }
  // NaN for text.
  double number() const;
  const std::string& unit() const { return unit_; }
  const std::string& label() const { return label_; }
  bool is_headline() const { return !label_.empty(); }
  std::optional<double> bound() const;
  const std::string& binds() const { return binds_; }
  // "tpot_ms.p50 = 1.2 beats its bound 1.3 (link latency): a time cannot be below it", or nothing.
  std::optional<std::string> contradiction() const;

 private:
  std::string name_;
  value_type value_;
  std::string unit_;
  std::string label_;
  std::optional<double> least_;
  std::optional<double> most_;
  std::string binds_;
  double tolerance_ = 0;
};

class metrics {
 public:
  // Names are dotted ("tpot_ms.p50") and unique; NaN stands for "not measured" (a TPOT of one-token answers) and is
  // null in JSON. The reference stays valid until the next add. Throws std::logic_error for a name taken or reserved
  // ("config.", "bound.", "binds.", "unit.").
  metric& add(std::string name, double value);
  metric& add(std::string name, std::int64_t value);
  metric& add(std::string name, int value) { return add(std::move(name), static_cast<std::int64_t>(value)); }
  metric& add(std::string name, std::string value);
  metric& add(std::string name, const char* value) { return add(std::move(name), std::string(value)); }
  // name.mean, .p50, .p90, .p99 of the samples, all of them with this unit.
  void add_percentiles(const std::string& name, const std::vector<double>& samples, const std::string& unit);

  // nullptr if there is no such metric.
  const metric* find(std::string_view name) const;
  // For headlines and bounds of metrics added elsewhere. Throws std::logic_error for a name never added.
  metric& at(std::string_view name);
  const std::vector<metric>& all() const { return metrics_; }
  std::vector<std::string> names() const;
  // Every result that is better than physics allows.
  std::vector<std::string> contradictions() const;
  // The headline metrics: name, value, unit, bound, what binds.
  text_table headline_table() const;

 private:
  metric& insert(metric one);
  std::vector<metric> metrics_;
};

// Linear interpolation between closest ranks (numpy's default): percentile 0 is the smallest sample, 100 the largest.
// NaN without samples; throws std::logic_error for a sample that is NaN.
double percentile(std::vector<double> samples, double percent);

}  // namespace scribeline::harness
