// Reads the small tables under tests/validation/data: comma-separated, '#' comments, a line of column names.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace scribeline::test {

using csv_row = std::map<std::string, std::string>;

inline std::vector<std::string> split_csv_line(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line + ',');
  for (std::string cell; std::getline(stream, cell, ',');)
    cells.push_back(cell);
  return cells;
}

// Throws std::runtime_error when the file is missing or a row has another number of cells than there are columns.
inline std::vector<csv_row> read_csv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> names;
  std::vector<csv_row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = split_csv_line(line);
    if (names.empty()) {
      names = cells;
      continue;
    }
    if (cells.size() != names.size()) throw std::runtime_error(path + ": another number of cells in: " + line);
    csv_row row;
    for (std::size_t i = 0; i < cells.size(); ++i)
      row[names[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace scribeline::test
