// Published measurements of collectives on GPUs, row by row, with what the closed forms say for them.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "firmware_stubs/network_collectives/dense_collectives.h"
#include "firmware_stubs/network_collectives/token_exchange.h"
#include "tests/support/csv.h"

namespace scribeline::validation {

// NCCL rows from this size on: where TensorRT-LLM hands its own all-reduce over to NCCL for any number of GPUs.
inline constexpr double large_message_bytes = 16 << 20;

struct collective_row {
  std::string gpu, library, operation;
  int ranks = 0;
  double bytes = 0;
  double us = 0;  // measured

  bool is_modelled() const { return library == "TensorRT-LLM" || bytes >= large_message_bytes; }
  // Rows the constants of the GPU's generation are fitted on.
  bool is_fitted_on() const { return is_modelled() && (ranks == 2 || (gpu == "h200" && ranks == 8)); }
};

struct exchange_row {
  std::string library, operation, format;
  int ranks = 0;
  double tokens = 0;
  double us = 0;

  bool is_fitted_on() const { return ranks == 8 || ranks == 16; }
};

inline std::string data_file(const std::string& name) {
  return std::string(SCRIBELINE_SOURCE_DIR) + "/tests/validation/data/" + name;
}

inline std::vector<collective_row> collective_rows() {
  std::vector<collective_row> rows;
  for (const test::csv_row& row : test::read_csv(data_file("gpu_collectives.csv")))
    for (const int ranks : {2, 4, 8}) {
      const std::string& us = row.at("ranks_" + std::to_string(ranks));
      if (us.empty()) continue;
      rows.push_back(
          {row.at("gpu"), row.at("library"), row.at("operation"), ranks, std::stod(row.at("bytes")), std::stod(us)});
    }
  return rows;
}

inline std::vector<exchange_row> exchange_rows() {
  std::vector<exchange_row> rows;
  for (const test::csv_row& row : test::read_csv(data_file("gb200_moe_all_to_all.csv")))
    for (const int ranks : {2, 4, 8, 16}) {
      const std::string& us = row.at("ep_" + std::to_string(ranks));
      if (us.empty()) continue;
      rows.push_back({row.at("library"), row.at("operation"), row.at("format"), ranks, std::stod(row.at("tokens")),
                      std::stod(us)});
    }
  return rows;
}

inline network_collectives::option modelled(const accelerator::scale_up_config& network, const collective_row& row) {
  return row.operation == "all_reduce" ? network_collectives::best_all_reduce(network, row.ranks, row.bytes)
                                       : network_collectives::best_gather(network, row.ranks, row.bytes);
}

// Bytes of one token on the wire: 7168 elements, NVFP4 with an 8-bit scale for 16 of them. Results are 16 bits wide
// unless the combine says otherwise.
inline double token_bytes(const exchange_row& row) {
  constexpr double width = 7168;
  const bool packed =
      row.operation == "combine_low_precision" || (row.operation == "dispatch" && row.format == "nvfp4");
  if (packed) return width / 2 + width / 16;
  return row.operation == "dispatch" && row.format == "fp8" ? width : 2 * width;
}

inline double modelled_us(const accelerator::scale_up_config& network, const exchange_row& row) {
  const auto& library = row.library == "two_sided" ? network.two_sided : network.one_sided;
  network_collectives::token_load load{row.ranks, row.tokens, 0, 0, row.operation == "combine_low_precision"};
  load.bytes = network_collectives::balanced_copies(row.ranks, 8) * row.tokens * token_bytes(row);
  if (row.operation == "prepare") return network_collectives::prepare_ns(library, load) / 1000;
  if (row.operation == "dispatch") return network_collectives::dispatch_ns(network, library, load) / 1000;
  return network_collectives::combine_ns(network, library, load) / 1000;
}

// Relative errors, their mean and the worst.
class error_summary {
 public:
  double add(double modelled, double measured) {
    const double error = modelled / measured - 1;
    sum_ += std::abs(error);
    if (std::abs(error) > std::abs(worst_)) worst_ = error;
    ++rows_;
    return error;
  }
  int rows() const { return rows_; }
  double mean() const { return rows_ == 0 ? 0 : sum_ / rows_; }
  double worst() const { return worst_; }

 private:
  double sum_ = 0, worst_ = 0;
  int rows_ = 0;
};

inline error_summary errors_of(const accelerator::scale_up_config& network, const std::vector<collective_row>& rows,
                               const std::function<bool(const collective_row&)>& which) {
  error_summary errors;
  for (const collective_row& row : rows)
    if (row.is_modelled() && which(row)) errors.add(modelled(network, row).ns / 1000, row.us);
  return errors;
}

inline error_summary errors_of(const accelerator::scale_up_config& network, const std::vector<exchange_row>& rows,
                               const std::function<bool(const exchange_row&)>& which) {
  error_summary errors;
  for (const exchange_row& row : rows)
    if (which(row)) errors.add(modelled_us(network, row), row.us);
  return errors;
}

}  // namespace scribeline::validation
