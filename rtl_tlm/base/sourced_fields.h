// Fills the fields of a preset and keeps where each value comes from.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scribeline::base {

// The source of a value by its field: "clock_ghz", "vector.setup_cycles".
using value_sources = std::map<std::string, std::string_view>;

class sourced_fields {
 public:
  explicit sourced_fields(value_sources& sources) : sources_(sources) {}

  template <class Field, class Value>
  sourced_fields& set(const char* key, Field& field, Value value, std::string_view source) {
    field = static_cast<Field>(value);
    sources_[key] = source;
    return *this;
  }

 private:
  value_sources& sources_;
};

}  // namespace scribeline::base
