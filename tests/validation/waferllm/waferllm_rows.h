// The measured rows of WaferLLM beside what the model says.
#pragma once

#include <string>
#include <vector>

#include "scenarios/waferllm/layer_times.h"
#include "tests/support/csv.h"

namespace scribeline::validation {

inline std::vector<test::csv_row> waferllm_rows(const std::string& phase) {
  std::vector<test::csv_row> rows;
  for (test::csv_row& row :
       test::read_csv(std::string(SCRIBELINE_SOURCE_DIR) + "/tests/validation/data/wse2_waferllm.csv"))
    if (row.at("phase") == phase) rows.push_back(std::move(row));
  return rows;
}

inline double seconds(const scenarios::waferllm_settings& s, base::cycles cycles) {
  return base::frequency(s.clock_ghz).picoseconds_for(cycles) * 1e-12;
}

// Tokens per second of a row of decode or prefill; `s` gives the costs.
inline double tokens_per_s(const test::csv_row& row, scenarios::waferllm_settings s) {
  s.hidden = std::stoi(row.at("hidden"));
  s.feed_forward = std::stoi(row.at("feed_forward"));
  s.layers = std::stoi(row.at("layers"));
  s.prompt_tokens = std::stoi(row.at("tokens"));
  s.side = s.prefill_side = std::stoi(row.at("side"));
  if (row.at("phase") == "decode") {
    s.phase = scenarios::waferllm_phase::decode;
    return 1 / (seconds(s, time_decode_layer(s).total()) * s.layers);
  }
  s.phase = scenarios::waferllm_phase::prefill;
  return s.prompt_tokens / (seconds(s, time_prefill_layer(s).total()) * s.layers);
}

// Microseconds of a GEMV row on a square of `side`.
inline double gemv_us(const test::csv_row& row, scenarios::waferllm_settings s, int side) {
  s.phase = scenarios::waferllm_phase::gemv;
  s.inputs = s.outputs = std::stoi(row.at("hidden"));
  s.side = side;
  return seconds(s, time_gemv(s).total()) * 1e6;
}

// The core as publications describe it, before anything is fitted.
inline scenarios::waferllm_settings unfitted() {
  scenarios::waferllm_settings s;
  s.fma_fp16_per_cycle = 4;
  s.all_reduce.relay = collectives::relay_kind::streaming;
  s.all_reduce.call_cycles = 0;
  s.column_cycles = 0;
  return s;
}
inline scenarios::waferllm_settings with_streaming_relays() {
  scenarios::waferllm_settings s;
  s.all_reduce.relay = collectives::relay_kind::streaming;
  return s;
}
inline scenarios::waferllm_settings streaming_without_calls() {
  scenarios::waferllm_settings s = with_streaming_relays();
  s.all_reduce.call_cycles = 0;
  return s;
}

// Mean and worst absolute error, in percent.
class error_summary {
 public:
  double add(double modelled, double reference) {
    const double error = 100 * (modelled - reference) / reference;
    sum_ += error < 0 ? -error : error;
    worst_ = std::max(worst_, error < 0 ? -error : error);
    ++rows_;
    return error;
  }
  double mean() const { return sum_ / rows_; }
  double worst() const { return worst_; }
  int rows() const { return rows_; }

 private:
  double sum_ = 0;
  double worst_ = 0;
  int rows_ = 0;
};

}  // namespace scribeline::validation
