#include "scenarios/harness/csv_writer.h"

#include <cmath>
#include <stdexcept>

namespace scribeline::harness {

csv_writer::csv_writer(result_directory& results, const std::string& name, const std::vector<std::string>& columns)
    : file_(results.create(name)), columns_(columns.size()) {
  std::vector<std::string> header;
  for (const std::string& column : columns)
    header.push_back(cell(column));
  write_row(header);
}

std::string csv_writer::cell(double value) {
  return std::isnan(value) ? "" : shortest(value);
}

std::string csv_writer::cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted_text = "\"";
  for (const char c : text)
    quoted_text += c == '"' ? "\"\"" : std::string(1, c);
  return quoted_text + "\"";
}

void csv_writer::write_row(const std::vector<std::string>& cells) {
  if (cells.size() != columns_) throw std::logic_error("a CSV row needs one cell a column: " + file_->path().string());
  std::string line;
  for (const std::string& one : cells)
    line += (&one == cells.data() ? "" : ",") + one;
  file_->write(line + "\n");
}

}  // namespace scribeline::harness
