// A value of a scenario key while it travels between scenario file, command line and config struct.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace scribeline::harness {

using scalar = std::variant<bool, std::int64_t, double, std::string>;
using scalar_list = std::vector<scalar>;

// Something TOML can say and no key can hold ("a date", "a table", "a list of lists").
struct unsupported_value {
  std::string what;
  friend bool operator==(const unsupported_value& a, const unsupported_value& b) { return a.what == b.what; }
};

using config_value = std::variant<scalar, scalar_list, unsupported_value>;

// What a key accepts.
enum class scalar_type { boolean, integer, number, string };
struct value_type {
  scalar_type element = scalar_type::string;
  bool is_list = false;
};

// A value that its key cannot take. The text continues "key = value: ...".
class value_problem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "an integer", "a list of numbers"
std::string describe(value_type type);
// "a string", "a list", for error messages
std::string describe(const config_value& value);
// What is wrong with a number that an integer was expected for.
std::string why_no_integer(double number);

// Reads the text of `--set key=text` for a key of this type: plain words need no quotes, lists are written
// [a, b] or a,b. Text that is not of the type comes back as a string, which the key then refuses.
config_value parse_value(std::string_view text, value_type type);

// The value as TOML, which is also its canonical form: doubles in the shortest form that reads back the same.
std::string to_toml(const scalar& value);
std::string to_toml(const config_value& value);
// The value as JSON (infinities and NaN become null).
std::string to_json(const scalar& value);
std::string to_json(const config_value& value);

// Text between double quotes, escaped as JSON and TOML both read it.
std::string in_quotes(std::string_view text);
// The shortest decimal text that reads back as the same double, always with a point or exponent.
std::string shortest(double value);

template <class T>
constexpr scalar_type scalar_type_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return scalar_type::boolean;
  } else if constexpr (std::is_integral_v<T>) {
    return scalar_type::integer;
  } else if constexpr (std::is_floating_point_v<T>) {
    return scalar_type::number;
  } else {
    static_assert(std::is_same_v<T, std::string>,
                  "a key is bound to bool, an integer, double, std::string, an enum "
                  "with add_choice(), or a std::vector of these");
    return scalar_type::string;
  }
}

template <class T>
scalar to_scalar(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<double>(value);
  }
}

// Throws value_problem when the scalar is of another type or out of the range of T. Integers become doubles.
template <class T>
T from_scalar(const scalar& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<T>(*integer);
    if (const auto* number = std::get_if<double>(&value)) return static_cast<T>(*number);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      const T narrow = static_cast<T>(*integer);
      if (static_cast<std::int64_t>(narrow) == *integer && (narrow < T{}) == (*integer < 0)) return narrow;
      throw value_problem("does not fit into " + std::to_string(sizeof(T) * 8) + " bits" +
                          (std::is_unsigned_v<T> ? ", which are unsigned" : ""));
    }
    if (const auto* number = std::get_if<double>(&value))
      throw value_problem("expects an integer, got " + why_no_integer(*number));
  } else {
    if (const auto* same = std::get_if<T>(&value)) return *same;
  }
  throw value_problem("expects " + describe(value_type{scalar_type_of<T>(), false}) + ", got " +
                      describe(config_value{value}));
}

}  // namespace scribeline::harness
