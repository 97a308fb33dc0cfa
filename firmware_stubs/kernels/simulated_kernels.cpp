#include "firmware_stubs/kernels/simulated_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firmware_stubs/collectives/collective.h"
#include "firmware_stubs/kernels/kernel_program.h"
#include "firmware_stubs/kernels/mesh_kernel.h"
#include "firmware_stubs/kernels/routine.h"
#include "firmware_stubs/kernels/wafer_core.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/run_once.h"
#include "rtl_tlm/wafer/launch_timing.h"

namespace scribeline::kernels {

using wafer::bound_by;
using wafer::descriptor;
using wafer::opcode;

namespace {

// Of a core's SRAM, for the vector of a collective and what arrives: two times 16 KiB.
constexpr std::int64_t longest_vector_words = 4096;

// Where vectors lie changes no time, and whether they fit is the memory ledger's business.
constexpr int sram_for_timing = 1 << 28;

// Of a word on a link or a ramp.
std::int64_t whole_cycles(const char* key, double cycles, std::int64_t least) {
  constexpr std::int64_t most = 240;  // engines count the words on the way and in the queue behind it in 8 bit
  const std::int64_t rounded = std::llround(cycles);
  if (rounded < least || rounded > most)
    throw base::bad_input(
        fmt::format("machine.wafer.fabric.{} = {}: simulated words take {} to {}; or --fidelity formula", key, cycles,
                    least, most));
  return rounded;
}

fabric::fabric_chip line_chip(const wafer::wafer_config& config) {
  fabric::fabric_chip chip = config.chip;
  chip.columns = static_cast<int>(config.columns + config.rows);  // lines run along rows and columns, transfers bend
  chip.rows = static_cast<int>(config.rows);
  chip.sram_bytes = sram_for_timing;
  chip.hop_cycles = whole_cycles("hop_cycles", config.fabric.hop_cycles, 1);
  chip.ramp_send_cycles = whole_cycles("ramp_send_cycles", config.fabric.ramp_send_cycles, 0);
  chip.ramp_receive_cycles = whole_cycles("ramp_receive_cycles", config.fabric.ramp_receive_cycles, 1);
  return chip;
}

int whole(double n) {
  return static_cast<int>(std::max(1.0, n));
}

}  // namespace

simulated_kernels::simulated_kernels(const wafer::wafer_config& config, fabric::engine_kind engine)
    : engine_(engine), config_(config), line_chip_(line_chip(config)), core_chip_(line_chip_) {
  core_chip_.core = core_of(config);
}

void simulated_kernels::time(wafer::kernel_part* parts, std::size_t count) {
  std::vector<double> closed_form;
  for (std::size_t i = 0; i < count; ++i) {
    wafer::kernel_part& part = parts[i];
    closed_form.push_back(part.cycles);
    const auto& [d, extents] = std::tie(part.what, part.extents);
    if (d.op == opcode::vector) {
      part.cycles = work(d, extents).cycles;
      part.binds = sram_binds(config_, d.work) ? bound_by::sram : bound_by::compute;
    } else {
      part.cycles = collective_cycles(d.op, static_cast<std::int64_t>(words_of(d, extents)), d.line, d.extent_a) +
                    (rounds_of(d, extents.tokens) - 1) * config_.fabric.phase_gap_cycles;
      part.binds = bound_by::fabric;
    }
  }
  record(parts, count, closed_form);
}

simulated_kernels::core_time simulated_kernels::work(const descriptor& d, const wafer::scaled_extents& extents) {
  if (extents.tokens == 0 || extents.expert_load == 0) return {};
  const double in_a_round = tokens_of_round(d, extents.tokens);
  round_extents round;
  round.positions = whole(extents.positions);
  round.pairs = whole(extents.expert_load);
  round.matrices = whole(extents.matrices);
  core_time sum;
  double rounds = 0;
  const auto add = [&](double times, double tokens) {
    if (times == 0) return;
    round.tokens = whole(tokens);
    const core_time one = one_round(d, round);
    sum.cycles += times * one.cycles;
    sum.operations += times * one.operations;
    rounds += times;
  };
  const double full = std::floor(extents.tokens / in_a_round);
  const double rest = extents.tokens - full * in_a_round;
  add(full, in_a_round);
  add(rest > 0 ? 1 : 0, rest);
  sum.cycles += (rounds - 1) * static_cast<double>(core_chip_.core.loop_back_edge_cycles);
  return sum;
}

simulated_kernels::core_time simulated_kernels::one_round(const descriptor& d, const round_extents& round) {
  const extents_key key = {d.routine,   d.routine_argument, static_cast<std::int64_t>(d.work),
                           d.extent_a,  d.extent_b,         d.tokens_join_a,
                           d.scaled_by, round.tokens,       round.positions,
                           round.pairs, round.matrices};
  const auto [known, is_new] = rounds_.insert({key, {}});
  if (!is_new) return known->second;
  fabric::fabric_chip chip = core_chip_;
  if (d.work == wafer::arithmetic::dequant_fma_fp16) chip.core.copy = expansion_of(config_);
  core_time sum;
  for (const core_part& part : core_work(d, round)) {
    const double once = run(chip, kernel_program(chip, config_.fabric, part.body, {}, 1));
    const auto times = static_cast<double>(part.times);
    sum.cycles += times * once + (times - 1) * static_cast<double>(chip.core.loop_back_edge_cycles);
    sum.operations += times * static_cast<double>(vector_operations_in(part.body));
  }
  return known->second = sum;
}

double simulated_kernels::collective_cycles(opcode op, std::int64_t words, std::int64_t line, std::int64_t distance) {
  const auto key = std::make_tuple(op, words, line, distance);
  const auto known = collectives_.find(key);
  if (known != collectives_.end()) return known->second;
  double cycles = 0;
  if (op == opcode::transfer || line > 1) {
    // A vector longer than the buffer goes in rounds.
    for (std::int64_t rest = words; rest > 0; rest -= longest_vector_words) {
      const std::int64_t round = std::min(rest, longest_vector_words);
      const communication what{op, static_cast<int>(round), static_cast<int>(line), static_cast<int>(distance)};
      cycles += round == words ? run(line_chip_, kernel_program(line_chip_, config_.fabric, {}, what, 1))
                               : collective_cycles(op, round, line, distance);
    }
  }
  collectives_.emplace(key, cycles);
  return cycles;
}

// Without the timestamp at the begin.
double simulated_kernels::run(const fabric::fabric_chip& chip, const fabric::program& p) const {
  const fabric::run_result result = fabric::run_once(engine_, p, chip);
  if (result.outcome != fabric::run_outcome::finished)
    throw base::no_progress(fmt::format("{} of {} cores: {}", p.name, p.cores(), result.explanation));
  return static_cast<double>(collectives::cycles_between_marks(result).value() - chip.core.timestamp_cycles);
}

void simulated_kernels::record(const wafer::kernel_part* parts, std::size_t count,
                               const std::vector<double>& closed_form) {
  std::vector<std::int64_t> key;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [d, e] = std::tie(parts[i].what, parts[i].extents);
    for (const double n :
         {static_cast<double>(d.op), static_cast<double>(d.routine), double(d.routine_argument), double(d.extent_a),
          double(d.extent_b), double(d.line), double(d.elements), e.tokens, e.expert_load, e.positions, e.matrices})
      key.push_back(static_cast<std::int64_t>(n));
  }
  if (!recorded_.insert(std::move(key)).second) return;
  kernel_record kernel;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [d, e] = std::tie(parts[i].what, parts[i].extents);
    if (!kernel.what.empty()) kernel.what += ", ";
    kernel.what += describe(d, e);
    if (d.op == opcode::vector) kernel.vector_operations += work(d, e).operations;
    (d.op == opcode::vector ? kernel.work : kernel.communication) += parts[i].cycles;
    (d.op == opcode::vector ? kernel.closed_form_work : kernel.closed_form_communication) += closed_form[i];
  }
  kernels_.push_back(std::move(kernel));
}

std::vector<simulated_kernels::collective_record> simulated_kernels::collectives() const {
  std::vector<collective_record> rows;
  for (const auto& [key, simulated] : collectives_) {
    const auto& [op, words, line, distance] = key;
    if (simulated == 0) continue;
    rows.push_back(
        {op, words, line, distance, simulated, wafer::closed_form_cycles(config_.fabric, op, words, line, distance)});
  }
  return rows;
}

}  // namespace scribeline::kernels
