#include "rtl_tlm/wafer/launch_timing.h"

#include <algorithm>
#include <cmath>

namespace scribeline::wafer {

namespace {

// Positions a token of this pass attends to on average: the cached ones and, causally, half of its own chunk.
double positions_attended(const launch_arguments& arguments) {
  return static_cast<double>(arguments.context) + (static_cast<double>(arguments.tokens) + 1) / 2;
}

// The share of the positions one of the dividing cores holds.
double positions_extent(const descriptor& d, const launch_arguments& arguments) {
  if (!(d.scaled_by & scale::positions)) return 1;
  double positions = positions_attended(arguments);
  if (d.positions_limit != 0) positions = std::min(positions, static_cast<double>(d.positions_limit));
  return std::ceil(positions / d.positions_divisor);
}

double times(const descriptor& d, std::uint8_t what, std::uint64_t value) {
  return d.scaled_by & what ? static_cast<double>(value) : 1.0;
}

bool is_one_of(opcode op) {
  return op >= opcode::vector && op <= opcode::transfer;
}

bool is_one_of(arithmetic work) {
  return work >= arithmetic::fma_fp16 && work <= arithmetic::dequant_fma_fp16;
}

constexpr std::uint8_t every_scale = scale::tokens | scale::expert_load | scale::positions;

double words_for(const descriptor& d, const scaled_extents& scaled, double repeats) {
  const double elements = d.elements * scaled.positions * scaled.tokens;
  return std::max(1.0, std::ceil(elements * repeats * d.element_bytes / 4));
}

}  // namespace

double rounds_of(const descriptor& d, double tokens) {
  return d.token_tile == 0 ? 1 : std::max(1.0, std::ceil(tokens / d.token_tile));
}
double tokens_of_round(const descriptor& d, double tokens) {
  return d.token_tile == 0 ? tokens : std::min(tokens, static_cast<double>(d.token_tile));
}

double words_of(const descriptor& d, const scaled_extents& scaled) {
  return words_for(d, scaled, scaled.expert_load);
}

std::size_t kernel_length(const descriptor* first, std::size_t count) {
  std::size_t n = 0;
  while (n < count && first[n].op == opcode::vector)
    ++n;
  return std::min(n + 1, count);
}

bool can_run(const descriptor& d, const wafer_config& chip) {
  if (!is_one_of(d.op) || (d.scaled_by & ~every_scale) != 0 || d.positions_divisor == 0 || d.token_divisor == 0) {
    return false;
  }
  if (d.op != opcode::vector) {
    const std::uint64_t span = std::uint64_t{d.line} * d.extent_a;
    return d.extent_a >= 1 && (d.extent_a == 1 || d.op == opcode::reduce) && span >= 1 &&
           span <= static_cast<std::uint64_t>(chip.columns + chip.rows) && d.element_bytes != 0;
  }
  return is_one_of(d.work) && d.extent_a != 0 && d.extent_b != 0 && d.cores >= 1 && d.cores <= chip.cores();
}

scaled_extents extents_of(const descriptor& d, const launch_arguments& arguments) {
  const double load = times(d, scale::expert_load, arguments.expert_load);
  const bool counts_pairs = d.scaled_by & scale::expert_load && d.pairs_per_token != 0;
  const double pairs = counts_pairs ? static_cast<double>(arguments.tokens) * d.pairs_per_token : load;
  const std::uint64_t matrices = arguments.expert_matrices == 0 ? arguments.expert_load : arguments.expert_matrices;
  return {std::ceil(times(d, scale::tokens, arguments.tokens) / d.token_divisor), load, positions_extent(d, arguments),
          pairs, times(d, scale::expert_load, matrices)};
}

descriptor_cost launch_timing::cost_of(const descriptor& d, const launch_arguments& arguments) {
  const scaled_extents scaled = extents_of(d, arguments);
  return d.op == opcode::vector ? vector_cost(d, scaled) : communication_cost(d, scaled);
}

void launch_timing::costs_of_kernel(const descriptor* first, std::size_t count, const launch_arguments& arguments,
                                    descriptor_cost* costs) {
  for (std::size_t i = 0; i < count; ++i)
    costs[i] = cost_of(first[i], arguments);
  if (config_.kernels == nullptr) return;
  parts_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    parts_[i] = {first[i], extents_of(first[i], arguments), costs[i].cycles, costs[i].binds};
  config_.kernels->time(parts_.data(), count);
  for (std::size_t i = 0; i < count; ++i) {
    costs[i].cycles = parts_[i].cycles;
    costs[i].binds = parts_[i].binds;
  }
}

descriptor_cost launch_timing::vector_cost(const descriptor& d, const scaled_extents& scaled) const {
  const auto& unit = config_.vector;
  const double a = d.extent_a;
  const double b = d.extent_b;
  const auto [tokens, load, positions, pairs, matrices] = scaled;
  const double rounds = rounds_of(d, tokens);

  const double in_a_round = tokens_of_round(d, tokens);
  const double longest =
      d.tokens_join_a ? std::max({a * in_a_round, b, positions}) : std::max({a, b, positions, in_a_round});
  const double elements = a * b * positions * tokens * load;
  const double rate = d.work == arithmetic::fma_fp32    ? unit.fma_fp32_per_cycle
                      : d.work == arithmetic::copy_fp16 ? unit.copy_fp16_per_cycle
                                                        : unit.fma_fp16_per_cycle;
  double compute = elements / longest * (unit.setup_cycles + longest / rate);
  if (d.work == arithmetic::dequant_fma_fp16) {
    const double length = std::max(a, b);
    const double weights = a * b * matrices * rounds;
    compute += weights / length * (unit.setup_cycles + length / unit.dequant_fp16_per_cycle);
  }

  descriptor_cost cost;
  const double sram = elements * d.operand_millibytes / 1000 / unit.sram_bytes_per_cycle;
  cost.cycles = std::max(compute, sram);
  cost.binds = sram > compute ? bound_by::sram : bound_by::compute;
  const double all_elements = a * b * positions * tokens * pairs * d.cores;
  cost.sram_bytes = all_elements * d.operand_millibytes / 1000;
  cost.macs = d.work == arithmetic::copy_fp16 ? 0 : all_elements;
  return cost;
}

descriptor_cost launch_timing::communication_cost(const descriptor& d, const scaled_extents& scaled) {
  descriptor_cost cost;
  cost.binds = bound_by::fabric;
  cost.cycles = collective_cycles(d, static_cast<std::int64_t>(words_of(d, scaled))) +
                (rounds_of(d, scaled.tokens) - 1) * config_.fabric.phase_gap_cycles;
  const double passes = d.op == opcode::all_reduce ? 2 : 1;
  const double hops = d.op == opcode::transfer ? d.line : static_cast<double>(d.line - 1) * d.extent_a;
  cost.word_hops = passes * words_for(d, scaled, scaled.pairs) * hops * d.lines;
  return cost;
}

namespace {

// The longer side sets the time; words of the other one that still arrive with it have to be added in turn.
base::cycles distant_reduce(fabric::fabric_timing t, std::int64_t words, std::int64_t line, std::int64_t distance) {
  t.hop_cycles *= static_cast<double>(distance);
  base::cycles cycles = fabric::chain(t, words, line / 2 + 1);
  const double lead = line % 2 == 0 ? t.hop_cycles : 0;
  const double together = t.word_cycles * static_cast<double>(words) - lead;
  if (line > 2 && together > 0) cycles += base::cycles{std::llround(together)};
  return cycles;
}

}  // namespace

double closed_form_cycles(const fabric::fabric_timing& t, opcode op, std::int64_t words, std::int64_t line,
                          std::int64_t distance) {
  base::cycles cycles;
  if (op == opcode::transfer) {
    cycles = fabric::message(t, words, line);
  } else if (line > 1 && distance > 1) {
    cycles = distant_reduce(t, words, line, distance);
  } else if (line > 1) {
    if (op != opcode::broadcast) cycles += fabric::best_pattern(t, words, line).cycles;
    if (op != opcode::reduce) cycles += fabric::broadcast(t, words, line);
  }
  return static_cast<double>(cycles.value());
}

double launch_timing::collective_cycles(const descriptor& d, std::int64_t words) {
  const std::int64_t span = std::int64_t{d.line} * d.extent_a;
  const std::uint64_t key = (static_cast<std::uint64_t>(d.op) << 60) | (static_cast<std::uint64_t>(span) << 44) |
                            (static_cast<std::uint64_t>(d.line) << 32) | static_cast<std::uint64_t>(words);
  const auto known = known_collectives_.find(key);
  if (known != known_collectives_.end()) return known->second;

  const double cycles = closed_form_cycles(config_.fabric, d.op, words, d.line, d.extent_a);
  known_collectives_.emplace(key, cycles);
  return cycles;
}

}  // namespace scribeline::wafer
