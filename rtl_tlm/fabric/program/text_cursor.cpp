#include "rtl_tlm/fabric/program/text_cursor.h"

#include <fmt/format.h>

#include <charconv>

#include "rtl_tlm/base/error.h"

namespace scribeline::fabric {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

}  // namespace

void text_cursor::skip_blanks() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r'))
    ++at_;
}

std::string_view text_cursor::next_word() const {
  std::size_t end = at_;
  while (end < line_.size() && is_part_of_word(line_[end]))
    ++end;
  return line_.substr(at_, end - at_);
}

bool text_cursor::take_word(std::string_view word) {
  if (next_word() != word) return false;
  at_ += word.size();
  skip_blanks();
  return true;
}

bool text_cursor::take_sign(std::string_view sign) {
  if (rest().substr(0, sign.size()) != sign) return false;
  at_ += sign.size();
  skip_blanks();
  return true;
}

bool text_cursor::is_number() const {
  const std::string_view text = rest();
  const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  return text.size() > first && is_digit(text[first]);
}

void text_cursor::need_word(std::string_view word) {
  if (!take_word(word)) expected(fmt::format("\"{}\"", word));
}

void text_cursor::need_sign(std::string_view sign) {
  if (!take_sign(sign)) expected(fmt::format("\"{}\"", sign));
}

void text_cursor::need_end() const {
  if (!at_end()) expected("the end of the line");
}

std::string text_cursor::need_any_word(std::string_view what) {
  const std::string_view word = next_word();
  if (word.empty()) expected(what);
  at_ += word.size();
  skip_blanks();
  return std::string(word);
}

std::string text_cursor::need_quoted(std::string_view what) {
  const std::string_view text = rest();
  const std::size_t end = text.empty() || text[0] != '"' ? std::string_view::npos : text.find('"', 1);
  if (end == std::string_view::npos) expected(fmt::format("{} in double quotes", what));
  at_ += end + 1;
  skip_blanks();
  return std::string(text.substr(1, end - 1));
}

std::int32_t text_cursor::need_integer(std::string_view what) {
  std::int32_t value = 0;
  const std::string_view text = rest();
  const auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc::result_out_of_range) wrong(fmt::format("{} does not fit into 32 bits", what));
  if (problem != std::errc{}) expected(what);
  at_ += static_cast<std::size_t>(stopped - text.data());
  skip_blanks();
  return value;
}

double text_cursor::need_real(std::string_view what) {
  double value = 0;
  const std::string_view text = rest();
  const auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{}) expected(what);
  at_ += static_cast<std::size_t>(stopped - text.data());
  skip_blanks();
  return value;
}

void text_cursor::expected(std::string_view what) const {
  std::string_view found = next_word();
  if (found.empty()) found = rest().substr(0, 1);
  wrong(at_end() ? fmt::format("expected {}, but the line ends", what)
                 : fmt::format("expected {}, found \"{}\"", what, found));
}

void text_cursor::wrong(const std::string& what) const {
  throw base::bad_input(fmt::format("{}:{}: {}", where_, at_ + 1, what));
}

}  // namespace scribeline::fabric
