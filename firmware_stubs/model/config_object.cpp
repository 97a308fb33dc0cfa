#include "firmware_stubs/model/config_object.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace scribeline::model {
namespace {

using nlohmann::json;

std::string shown(const json& value) {
  constexpr std::size_t longest = 60;
  const std::string text = value.dump();
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

}  // namespace

config_object::config_object(const config_source& source) : config_object(source, source.root(), "") {}

config_object::config_object(const config_source& source, const json& value, std::string path)
    : source_(&source), value_(&value), path_(std::move(path)) {}

std::string config_object::path_of(const std::string& key) const {
  if (path_.empty() || key.empty()) return path_ + key;
  return path_ + "." + key;
}

void config_object::fail(const std::string& key, const std::string& message) const {
  source_->fail(path_of(key), message);
}

const json* config_object::find(const std::string& key) {
  known_.insert(key);
  const auto found = value_->find(key);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

const json& config_object::require(const std::string& key, const char* kind) {
  const json* found = find(key);
  if (found == nullptr) fail(key, fmt::format("required key is missing; {} is expected", kind));
  return *found;
}

bool config_object::has(const std::string& key) const {
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

std::uint32_t config_object::count(const std::string& key, std::uint32_t at_most) {
  const json& value = require(key, "an integer");
  if (!value.is_number_integer()) fail(key, fmt::format("{} is not an integer", shown(value)));
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > at_most)
    fail(key, fmt::format("{} is out of range; 0 .. {} is possible", shown(value), at_most));
  return value.get<std::uint32_t>();
}

std::uint32_t config_object::positive(const std::string& key, std::uint32_t at_most) {
  const std::uint32_t value = count(key, at_most);
  if (value == 0) fail(key, fmt::format("0 is out of range; 1 .. {} is possible", at_most));
  return value;
}

std::string config_object::text(const std::string& key) {
  const json& value = require(key, "a string");
  if (!value.is_string()) fail(key, fmt::format("{} is not a string", shown(value)));
  return value.get<std::string>();
}

std::vector<std::uint32_t> config_object::counts(const std::string& key) {
  const json& value = require(key, "a list of integers");
  if (!value.is_array()) fail(key, fmt::format("{} is not a list", shown(value)));
  std::vector<std::uint32_t> list;
  for (const json& item : value) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() > largest::width)
      fail(key, fmt::format("item {} is {}, not a count", list.size(), shown(item)));
    list.push_back(item.get<std::uint32_t>());
  }
  return list;
}

std::vector<std::string> config_object::texts(const std::string& key) {
  const json& value = require(key, "a list of strings");
  if (!value.is_array()) fail(key, fmt::format("{} is not a list", shown(value)));
  std::vector<std::string> list;
  for (const json& item : value) {
    if (!item.is_string()) fail(key, fmt::format("item {} is {}, not a string", list.size(), shown(item)));
    list.push_back(item.get<std::string>());
  }
  return list;
}

config_object config_object::object(const std::string& key) {
  const json& value = require(key, "an object");
  if (!value.is_object()) fail(key, fmt::format("{} is not an object", shown(value)));
  return {*source_, value, path_of(key)};
}

std::vector<config_object> config_object::objects_of(const std::string& key) {
  config_object parent = object(key);
  std::vector<config_object> members;
  for (const auto& [name, value] : parent.value_->items()) {
    if (!value.is_object()) parent.fail(name, fmt::format("{} is not an object", shown(value)));
    members.push_back(config_object(*source_, value, parent.path_of(name)));
  }
  return members;
}

std::uint32_t config_object::positive_or(const std::string& key, std::uint32_t fallback, std::uint32_t at_most) {
  return find(key) == nullptr ? fallback : positive(key, at_most);
}

std::uint32_t config_object::count_or(const std::string& key, std::uint32_t fallback, std::uint32_t at_most) {
  return find(key) == nullptr ? fallback : count(key, at_most);
}

bool config_object::flag_or(const std::string& key, bool fallback) {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) fail(key, fmt::format("{} is neither true nor false", shown(*value)));
  return value->get<bool>();
}

double config_object::number_or(const std::string& key, double fallback) {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_number()) fail(key, fmt::format("{} is not a number", shown(*value)));
  return value->get<double>();
}

std::string config_object::text_or(const std::string& key, const std::string& fallback) {
  return find(key) == nullptr ? fallback : text(key);
}

std::vector<std::uint32_t> config_object::counts_or_empty(const std::string& key) {
  return find(key) == nullptr ? std::vector<std::uint32_t>{} : counts(key);
}

std::vector<std::string> config_object::texts_or_empty(const std::string& key) {
  return find(key) == nullptr ? std::vector<std::string>{} : texts(key);
}

std::string config_object::one_of(const std::string& key, std::initializer_list<const char*> known) {
  const std::string value = text(key);
  for (const char* name : known)
    if (value == name) return value;
  fail(key, fmt::format("'{}' is not known; known: {}", value, fmt::join(known, ", ")));
}

void config_object::must_be(const std::string& key, bool value) {
  if (flag_or(key, value) != value) fail(key, fmt::format("{} is not modelled; only {} is", !value, value));
}

void config_object::must_equal(const std::string& key, std::uint32_t value) {
  const std::uint32_t given = count_or(key, value);
  if (given != value) fail(key, fmt::format("{} is not modelled; only {} is", given, value));
}

void config_object::must_say(const std::string& key, const std::string& value) {
  const std::string given = text_or(key, value);
  if (given != value) fail(key, fmt::format("'{}' is not modelled; only '{}' is", given, value));
}

void config_object::must_agree(const std::string& key, std::uint32_t value, const std::string& with) {
  const std::uint32_t given = count_or(key, value);
  if (given != value) fail(key, fmt::format("{} contradicts {}, which gives {}", given, with, value));
}

void config_object::must_be_empty(const std::string& key) {
  const json* value = find(key);
  if (value != nullptr && !(value->is_structured() && value->empty()))
    fail(key, fmt::format("{} is not modelled; leave it out", shown(*value)));
}

void config_object::disregard(std::initializer_list<const char*> keys) {
  known_.insert(keys.begin(), keys.end());
}

void config_object::finish() const {
  for (const auto& [key, value] : value_->items()) {
    if (known_.count(key) != 0 || key.rfind('_', 0) == 0) continue;
    fail(key, "unknown key: it may change the structure of the model, so it is refused (comments start with '_')");
  }
}

}  // namespace scribeline::model
