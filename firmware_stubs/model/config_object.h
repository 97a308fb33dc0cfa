// Typed, strict access to one JSON object of a model description.
//
// Every key that is read is ticked off; finish() refuses the keys nobody read or knew, because an unknown
// key may change the structure, and a structure that is guessed gives sizes that are wrong.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firmware_stubs/model/config_source.h"

namespace scribeline::model {

// Largest values that are taken for real. They keep every product of two of them within 32 bits, and a slip
// of the keyboard from becoming a model that fills the memory.
namespace largest {
constexpr std::uint32_t count = 1 << 14;    // layers, heads, experts, widths of one head, ranks
constexpr std::uint32_t width = 1 << 20;    // of a layer; positions of a window
constexpr std::uint32_t parallel = 1 << 6;  // shared experts, residual streams
constexpr std::uint32_t vocabulary = 1 << 24;
constexpr std::uint32_t context = 1 << 30;
}  // namespace largest

class config_object {
 public:
  // The whole description, or the object found at `path` in it. The source must outlive this view.
  explicit config_object(const config_source& source);

  bool has(const std::string& key) const;  // present and not null

  // Required values. Each throws model_error naming the key when it is missing, null or of another type.
  std::uint32_t positive(const std::string& key, std::uint32_t at_most = largest::count);  // integer >= 1
  std::uint32_t count(const std::string& key, std::uint32_t at_most = largest::count);     // integer >= 0
  std::string text(const std::string& key);
  std::vector<std::uint32_t> counts(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  config_object object(const std::string& key);
  std::vector<config_object> objects_of(const std::string& key);  // the members of an object, in key order

  // Values with a default for a missing or null key.
  std::uint32_t positive_or(const std::string& key, std::uint32_t fallback, std::uint32_t at_most = largest::count);
  std::uint32_t count_or(const std::string& key, std::uint32_t fallback, std::uint32_t at_most = largest::count);
  bool flag_or(const std::string& key, bool fallback);
  double number_or(const std::string& key, double fallback);
  std::string text_or(const std::string& key, const std::string& fallback);
  std::vector<std::uint32_t> counts_or_empty(const std::string& key);
  std::vector<std::string> texts_or_empty(const std::string& key);

  // The value must be one of `known`; the error lists them.
  std::string one_of(const std::string& key, std::initializer_list<const char*> known);
  // Keys whose other values describe something this reader does not model: absent, null or as given, or refused.
  void must_be(const std::string& key, bool value);
  void must_equal(const std::string& key, std::uint32_t value);
  void must_say(const std::string& key, const std::string& value);
  // The same fact said twice: absent, null or equal to what is known already, or refused.
  void must_agree(const std::string& key, std::uint32_t value, const std::string& with);
  void must_be_empty(const std::string& key);  // absent, null, {} or []

  // Keys that do not change shapes or sizes.
  void disregard(std::initializer_list<const char*> keys);

  // Throws model_error for the first key that was not read or disregarded. Keys that start with an
  // underscore are comments ("_sources").
  void finish() const;

  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  const config_source& source() const { return *source_; }

 private:
  config_object(const config_source& source, const nlohmann::json& value, std::string path);

  std::string path_of(const std::string& key) const;
  const nlohmann::json* find(const std::string& key);
  const nlohmann::json& require(const std::string& key, const char* kind);

  const config_source* source_;
  const nlohmann::json* value_;
  std::string path_;
  std::set<std::string> known_;
};

}  // namespace scribeline::model
