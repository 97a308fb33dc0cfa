#include "scenarios/harness/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace scribeline::harness {
namespace {

// Characters on screen: UTF-8 continuation bytes take no column.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text)
    cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

}  // namespace

text_table::text_table(std::vector<std::string> header)
    : header_(std::move(header)), alignment_(header_.size(), align::left) {}

text_table& text_table::align_right(std::size_t column) {
  alignment_.at(column) = align::right;
  return *this;
}

void text_table::add_row(std::vector<std::string> cells) {
  if (cells.size() != header_.size()) throw std::logic_error("a table row needs one cell a column");
  rows_.push_back(std::move(cells));
}

std::string text_table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < header_.size(); ++column) {
    widths.push_back(width(header_[column]));
    for (const auto& row : rows_)
      widths[column] = std::max(widths[column], width(row[column]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string padding(widths[column] - width(cells[column]), ' ');
      if (column > 0) text += "  ";
      text += alignment_[column] == align::right ? padding + cells[column] : cells[column] + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string all = line(header_);
  for (const auto& row : rows_)
    all += line(row);
  return all;
}

std::string text_table::markdown() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells)
      text += " " + markdown_cell(cell) + " |";
    return text + "\n";
  };
  std::string all = line(header_) + "|";
  for (const align side : alignment_)
    all += side == align::right ? " ---: |" : " --- |";
  all += "\n";
  for (const auto& row : rows_)
    all += line(row);
  return all;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (size >= 1e4 && size < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace scribeline::harness
