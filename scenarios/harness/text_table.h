// Tables for people: aligned columns of plain text.
#pragma once

#include <string>
#include <vector>

namespace scribeline::harness {

class text_table {
 public:
  enum class align { left, right };

  // Columns are left-aligned unless said otherwise.
  explicit text_table(std::vector<std::string> header);
  text_table& align_right(std::size_t column);

  // Throws std::logic_error unless there is one cell a column.
  void add_row(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }

  // Lines end with "\n" and have no trailing blanks.
  std::string text() const;
  std::string markdown() const;

 private:
  std::vector<std::string> header_;
  std::vector<align> alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// A measured number for people: four significant digits, no exponent between 1e-4 and 1e15, "-" for NaN.
std::string short_number(double value);

}  // namespace scribeline::harness
