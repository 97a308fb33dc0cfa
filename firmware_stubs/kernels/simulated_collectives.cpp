#include "firmware_stubs/kernels/simulated_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/run_once.h"
#include "rtl_tlm/wafer/launch_timing.h"

namespace scribeline::kernels {

namespace {

// Of a core's SRAM, for the vector of a collective and what arrives: two times 16 KiB.
constexpr std::int64_t longest_vector_words = 4096;

collectives::reduce_plan plan_for(const fabric::fabric_timing& timing, std::int64_t words, std::int64_t line) {
  const auto choice = fabric::best_pattern(timing, words, line);
  switch (choice.pattern) {
    case fabric::reduce_pattern::chain:
      return {collectives::reduce_kind::chain, 0};
    case fabric::reduce_pattern::star:
      return {collectives::reduce_kind::star, 0};
    case fabric::reduce_pattern::tree:
      return {collectives::reduce_kind::tree, 0};
    default:
      return {collectives::reduce_kind::two_phase, static_cast<int>(choice.group)};
  }
}

}  // namespace

simulated_collectives::simulated_collectives(const wafer::wafer_config& config, fabric::engine_kind engine)
    : engine_(engine), timing_(config.fabric), chip_(config.chip) {
  chip_.columns = static_cast<int>(std::max(config.columns, config.rows));  // lines run along rows and columns
  chip_.rows = 1;
  chip_.hop_cycles = std::llround(config.fabric.hop_cycles);
  chip_.ramp_send_cycles = std::llround(config.fabric.ramp_send_cycles);
  chip_.ramp_receive_cycles = std::llround(config.fabric.ramp_receive_cycles);
}

double simulated_collectives::cycles(wafer::opcode op, std::int64_t words, std::int64_t line) {
  const auto key = std::make_tuple(op, words, line);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  double result = 0;
  if (op == wafer::opcode::transfer || line > 1) {
    // A vector longer than the buffer goes in rounds.
    for (std::int64_t rest = words; rest > 0; rest -= longest_vector_words) {
      const std::int64_t round = std::min(rest, longest_vector_words);
      result +=
          round == words ? simulate(op, static_cast<int>(words), static_cast<int>(line)) : cycles(op, round, line);
    }
  }
  known_.emplace(key, result);
  return result;
}

double simulated_collectives::simulate(wafer::opcode op, int words, int line) const {
  collectives::vector_spec vector;
  vector.type = fabric::element_type::fp32;  // one word each
  vector.elements = words;
  fabric::program program;
  switch (op) {
    case wafer::opcode::transfer:
      program = collectives::broadcast(chip_, line + 1, 1, vector);
      break;
    case wafer::opcode::broadcast:
      program = collectives::broadcast(chip_, line, 1, vector);
      break;
    case wafer::opcode::reduce:
      program = collectives::reduce_rows(chip_, line, 1, vector, plan_for(timing_, words, line));
      break;
    default:
      program = collectives::all_reduce_rows(chip_, line, 1, vector, plan_for(timing_, words, line));
      break;
  }
  const fabric::run_result result = fabric::run_once(engine_, program, chip_);
  if (result.outcome != fabric::run_outcome::finished) {
    throw base::no_progress(fmt::format("collective of {} words over {} cores: {}", words, line, result.explanation));
  }
  return static_cast<double>(result.cycles.value());
}

std::vector<simulated_collectives::comparison> simulated_collectives::comparisons() const {
  std::vector<comparison> rows;
  for (const auto& [key, simulated] : known_) {
    const auto& [op, words, line] = key;
    if (simulated == 0) continue;
    rows.push_back({op, words, line, simulated, wafer::closed_form_cycles(timing_, op, words, line)});
  }
  return rows;
}

}  // namespace scribeline::kernels
