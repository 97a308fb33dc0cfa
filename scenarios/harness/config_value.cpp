#include "scenarios/harness/config_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace scribeline::harness {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
}

template <class T>
bool read_whole(std::string_view text, T& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

// Digits may be grouped as TOML allows: 1_000_000.
std::string without_digit_separators(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (text[i] == '_' && i > 0 && digit(i - 1) && digit(i + 1)) continue;
    plain += text[i];
  }
  return plain;
}

scalar parse_scalar(std::string_view text, scalar_type type) {
  text = trimmed(text);
  if (is_quoted(text)) return std::string(text.substr(1, text.size() - 2));
  if (type == scalar_type::string) return std::string(text);
  if (text == "true") return true;
  if (text == "false") return false;
  const std::string plain = without_digit_separators(text);
  std::int64_t integer = 0;
  if (read_whole(plain, integer)) return integer;
  double number = 0;
  if (read_whole(plain, number)) return number;
  return std::string(text);
}

// Cuts at commas that stand outside quotes.
std::vector<std::string_view> split_items(std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t start = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == ',') {
      items.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  if (!trimmed(text.substr(start)).empty()) items.push_back(text.substr(start));
  return items;
}

template <class List, class Render>
std::string joined(const List& list, Render render) {
  std::string text = "[";
  for (const auto& item : list)
    text += (text.size() > 1 ? ", " : "") + render(item);
  return text + "]";
}

}  // namespace

std::string why_no_integer(double number) {
  constexpr double beyond_64_bits = 9223372036854775808.0;
  if (!std::isfinite(number)) return shortest(number);
  if (std::abs(number) >= beyond_64_bits) return "a number beyond 64 bits";
  if (number != std::floor(number)) return "a number with a fraction";
  return fmt::format("a number with point or exponent; write {}", static_cast<std::int64_t>(number));
}

std::string describe(value_type type) {
  static constexpr const char* one[] = {"true or false", "an integer", "a number", "a string"};
  static constexpr const char* many[] = {"a list of true and false", "a list of integers", "a list of numbers",
                                         "a list of strings"};
  const auto index = static_cast<std::size_t>(type.element);
  return type.is_list ? many[index] : one[index];
}

std::string describe(const config_value& value) {
  if (const auto* other = std::get_if<unsupported_value>(&value)) return other->what;
  if (std::holds_alternative<scalar_list>(value)) return "a list";
  static constexpr const char* names[] = {"true/false", "an integer", "a number", "a string"};
  return names[std::get<scalar>(value).index()];
}

config_value parse_value(std::string_view text, value_type type) {
  text = trimmed(text);
  if (!type.is_list) return parse_scalar(text, type.element);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  scalar_list list;
  for (const std::string_view item : split_items(text))
    list.push_back(parse_scalar(item, type.element));
  return list;
}

std::string in_quotes(std::string_view text) {
  std::string escaped = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // JSON leaves DEL alone, TOML does not.
  for (auto at = escaped.find('\x7f'); at != std::string::npos; at = escaped.find('\x7f'))
    escaped.replace(at, 1, "\\u007f");
  return escaped;
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value == 0 ? 0.0 : value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string to_toml(const scalar& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value)) return shortest(*number);
  return in_quotes(std::get<std::string>(value));
}

std::string to_toml(const config_value& value) {
  if (const auto* one = std::get_if<scalar>(&value)) return to_toml(*one);
  if (const auto* list = std::get_if<scalar_list>(&value)) {
    return joined(*list, [](const scalar& item) { return to_toml(item); });
  }
  return "(" + std::get<unsupported_value>(value).what + ")";
}

std::string to_json(const scalar& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && !std::isfinite(*number) ? "null" : to_toml(value);
}

std::string to_json(const config_value& value) {
  if (const auto* one = std::get_if<scalar>(&value)) return to_json(*one);
  if (const auto* list = std::get_if<scalar_list>(&value)) {
    return joined(*list, [](const scalar& item) { return to_json(item); });
  }
  return "null";
}

}  // namespace scribeline::harness
