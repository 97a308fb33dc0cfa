#include "rtl_tlm/trace/vcd_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace scribeline::trace {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string range_of(const signal_info& info) {
  return info.kind == signal_kind::vector && info.width > 1 ? fmt::format("[{}:0]", info.width - 1) : "";
}

}  // namespace

std::string identifier_code(std::size_t number) {
  std::string code;
  do {
    code += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return code;
}

std::string binary_digits(std::uint64_t value) {
  return fmt::format("{:b}", value);
}

std::string escaped_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c > ' ' && c <= '~' && c != '\\') {
      escaped += c;
    } else {
      escaped += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

std::string declaration(const signal_info& info, const std::string& code) {
  static constexpr const char* types[] = {"wire", "wire", "real", "string"};
  const std::string range = range_of(info);
  return fmt::format("$var {} {} {} {}{} $end\n", types[static_cast<std::size_t>(info.kind)], info.width, code,
                     info.name, range.empty() ? "" : " " + range);
}

std::string viewer_name(const signal_info& info) {
  return info.scope + "." + info.name + range_of(info);
}

void check_signal_name(const std::string& scope, const std::string& name) {
  std::string_view rest = scope;
  bool good = is_name(name);
  while (good) {
    const auto dot = rest.find('.');
    good = is_name(rest.substr(0, dot));
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (!good) throw std::logic_error("not a signal name: " + scope + " . " + name);
}

}  // namespace scribeline::trace
