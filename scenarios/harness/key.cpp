#include "scenarios/harness/key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "scenarios/harness/closest_name.h"

namespace scribeline::harness {
namespace {

constexpr double unbounded = std::numeric_limits<double>::max();

template <class Check>
void for_each_scalar(const config_value& value, Check check) {
  if (const auto* one = std::get_if<scalar>(&value)) check(*one);
  if (const auto* list = std::get_if<scalar_list>(&value)) std::for_each(list->begin(), list->end(), check);
}

// Shortest for people: 1000, 1e9, 0.001.
std::string bound_text(double value) {
  std::string text = fmt::format("{:g}", value);
  if (std::stod(text) != value) text = fmt::format("{}", value);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  return text.substr(0, exponent + 1) + std::to_string(std::stoi(text.substr(exponent + 1)));
}

}  // namespace

key::key(std::string path, std::unique_ptr<field_binding> field) : path_(std::move(path)), field_(std::move(field)) {}

key& key::unit(std::string text) {
  return unit_ = std::move(text), *this;
}
key& key::source(std::string text) {
  return source_ = std::move(text), *this;
}
key& key::meaning(std::string text) {
  return meaning_ = std::move(text), *this;
}
key& key::range(double smallest, double largest) {
  return range_ = {smallest, largest}, *this;
}
key& key::one_of(std::vector<std::string> words) {
  return words_ = std::move(words), *this;
}
key& key::word(std::string text, std::int64_t stands_for) {
  return word_ = {std::move(text), stands_for}, *this;
}
key& key::from_preset() {
  return from_preset_ = true, *this;
}
key& key::required() {
  return required_ = true, *this;
}
key& key::names_file() {
  return names_file_ = true, *this;
}
key& key::observes_only() {
  return observes_only_ = true, *this;
}

key& key::used_when(std::function<bool()> predicate, std::string condition) {
  used_ = std::move(predicate);
  condition_ = std::move(condition);
  return *this;
}

key& key::must(std::function<bool()> predicate, std::string rule) {
  rules_.emplace_back(std::move(predicate), std::move(rule));
  return *this;
}

std::string key::range_text() const {
  if (!range_) return "";
  const auto [low, high] = *range_;
  const std::string suffix = unit_.empty() ? "" : " " + unit_;
  if (high >= unbounded) return low <= -unbounded ? "" : "at least " + bound_text(low) + suffix;
  if (low <= -unbounded) return "at most " + bound_text(high) + suffix;
  return bound_text(low) + ".." + bound_text(high) + suffix;
}

std::string key::type_text() const {
  static constexpr const char* names[] = {"true/false", "integer", "number", "string"};
  const auto words = words_.empty() ? field_->choices() : words_;
  std::string text = names_file_ ? "file" : names[static_cast<std::size_t>(type().element)];
  if (!words.empty()) text = fmt::format("{}", fmt::join(words, " | "));
  if (type().is_list) text = "list of " + text;
  if (range_) {
    const auto [low, high] = *range_;
    if (low > -unbounded && high < unbounded) {
      text += " " + bound_text(low) + ".." + bound_text(high);
    } else if (low > -unbounded) {
      text += " >= " + bound_text(low);
    } else if (high < unbounded) {
      text += " <= " + bound_text(high);
    }
  }
  if (word_) text += " or \"" + word_->first + "\"";
  return text;
}

void key::check_range(const scalar& value) const {
  double number = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else {
    return;
  }
  // Without a range any finite number will do; NaN is never inside one.
  const auto [low, high] = range_.value_or(std::pair{-unbounded, unbounded});
  if (number >= low && number <= high) return;
  const std::string text = range_text();
  if (text.empty()) throw value_problem("must be finite");
  throw value_problem((text.rfind("at ", 0) == 0 ? "must be " : "must be in ") + text);
}

void key::check_words(const scalar& value) const {
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr || words_.empty() || std::find(words_.begin(), words_.end(), *word) != words_.end()) return;
  throw value_problem(fmt::format("must be one of {}{}", fmt::join(words_, ", "), suggestion(*word, words_)));
}

void key::assign(const config_value& value) {
  if (word_ && value == config_value{scalar{word_->first}}) return field_->assign(scalar{word_->second});
  for_each_scalar(value, [this](const scalar& one) { check_words(one); });
  try {
    field_->assign(value);
  } catch (const value_problem& problem) {
    throw value_problem(problem.what() + (word_ ? " (or \"" + word_->first + "\")" : std::string{}));
  }
  for_each_scalar(field_->current(), [this](const scalar& one) { check_range(one); });
}

config_value key::current() const {
  config_value value = field_->current();
  if (word_ && value == config_value{scalar{word_->second}}) return scalar{word_->first};
  return value;
}

std::optional<std::string> key::broken_rule() const {
  for (const auto& [holds, rule] : rules_) {
    if (!holds()) return rule;
  }
  return std::nullopt;
}

}  // namespace scribeline::harness
