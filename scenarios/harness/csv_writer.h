// Comma-separated result tables, quoted as RFC 4180 says where needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/harness/config_value.h"
#include "scenarios/harness/result_directory.h"

namespace scribeline::harness {

//   csv_writer requests(results, "requests.csv", {"id", "arrival_s", "ttft_ms"});
//   requests.row(1, 0.25, 12.5);
//   requests.close();
// The file appears when closed. Numbers are written in their shortest exact form, NaN as an empty cell.
class csv_writer {
 public:
  csv_writer(result_directory& results, const std::string& name, const std::vector<std::string>& columns);

  // Throws std::logic_error unless there is one cell a column.
  template <class... Cells>
  void row(const Cells&... cells) {
    write_row({cell(cells)...});
  }
  // Throws base::output_failed.
  void close() { file_->commit(); }

 private:
  static std::string cell(double value);
  static std::string cell(std::string_view text);
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  static std::string cell(Integer value) {
    return std::to_string(value);
  }
  void write_row(const std::vector<std::string>& cells);

  std::unique_ptr<atomic_file> file_;
  std::size_t columns_;
};

}  // namespace scribeline::harness
