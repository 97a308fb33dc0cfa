// A place in a line of program text: takes words, numbers and signs one by one and says where one is missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace scribeline::fabric {

class text_cursor {
 public:
  // `where` is file and line: "ring.txt:12". The line is without comment.
  text_cursor(std::string_view line, std::string where) : line_(line), where_(std::move(where)) { skip_blanks(); }

  bool at_end() const { return at_ == line_.size(); }

  // Take it if it is next. A word ends where letters, digits and underscores end.
  bool take_word(std::string_view word);
  bool take_sign(std::string_view sign);
  bool is_number() const;

  // Throw base::bad_input when something else is next.
  void need_word(std::string_view word);
  void need_sign(std::string_view sign);
  void need_end() const;
  std::string need_any_word(std::string_view expected);
  std::string need_quoted(std::string_view expected);
  std::int32_t need_integer(std::string_view expected);
  double need_real(std::string_view expected);

  // Throws base::bad_input: "FILE:LINE:COLUMN: expected ..., found ...".
  [[noreturn]] void expected(std::string_view what) const;
  [[noreturn]] void wrong(const std::string& what) const;

 private:
  void skip_blanks();
  std::string_view rest() const { return line_.substr(at_); }
  std::string_view next_word() const;

  std::string_view line_;
  std::string where_;
  std::size_t at_ = 0;
};

}  // namespace scribeline::fabric
