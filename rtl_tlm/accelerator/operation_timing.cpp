#include "rtl_tlm/accelerator/operation_timing.h"

#include <algorithm>
#include <cmath>

namespace scribeline::accelerator {

namespace {

double milli(std::uint64_t parts) {
  return static_cast<double>(parts) / 1000;
}

// New tokens of one sequence.
double tokens_per_sequence(const launch_arguments& a) {
  return static_cast<double>(a.tokens) / static_cast<double>(std::max<std::uint64_t>(1, a.sequences));
}

double limited(const descriptor& d, double positions) {
  const double entries = std::floor(positions / d.positions_per_entry);
  return d.entry_limit == 0 ? entries : std::min(entries, static_cast<double>(d.entry_limit));
}

// Entries a token sees on average: the cached ones and, causally, half of its own chunk.
double visible_entries(const descriptor& d, const launch_arguments& a) {
  return limited(d, static_cast<double>(a.context) + (tokens_per_sequence(a) + 1) / 2);
}

// Entries that must be read for a sequence: those any of its tokens sees. A window moves with the tokens.
double read_entries(const descriptor& d, const launch_arguments& a) {
  const double seen = limited(d, static_cast<double>(a.context) + tokens_per_sequence(a));
  return d.entry_limit == 0
             ? seen
             : std::min(seen + tokens_per_sequence(a) - 1,
                        std::floor((static_cast<double>(a.context) + tokens_per_sequence(a)) / d.positions_per_entry));
}

}  // namespace

operation_cost& operation_cost::operator+=(const operation_cost& other) {
  start_ns += other.start_ns;
  work_ns += other.work_ns;
  on_chip_ns += other.on_chip_ns;
  network_ns += other.network_ns;
  wait_ns += other.wait_ns;
  hbm_bytes += other.hbm_bytes;
  macs += other.macs;
  network_bytes += other.network_bytes;
  return *this;
}

bool can_run(const descriptor& d, const accelerator_config& chip) {
  if (d.op < opcode::product || d.op > opcode::combine) return false;
  if (d.scaled_by < scale::tokens || d.scaled_by > scale::experts) return false;
  if (d.positions_per_entry == 0 || d.weight_bits == 0) return false;
  return d.ranks >= 1 && d.ranks <= chip.network.domain_ranks;
}

double operation_timing::times::largest_ns() const {
  return std::max({hbm_ns, units_ns, transfer_ns});
}

operation_timing::amount operation_timing::amount_of(const descriptor& d, const launch_arguments& arguments,
                                                     bool busiest) const {
  amount a;
  const double sequences = static_cast<double>(arguments.sequences);
  double copies = 1;
  switch (d.scaled_by) {
    case scale::tokens:
      a.tokens = static_cast<double>(arguments.tokens);
      break;
    case scale::sequences:
      a.tokens = sequences;
      break;
    case scale::experts:
      a.tokens = milli(busiest ? arguments.milli_pairs : arguments.mean_milli_pairs);
      copies = milli(busiest ? arguments.milli_experts : arguments.mean_milli_experts);
      break;
  }
  a.weight_bytes = static_cast<double>(d.weight_bytes) * copies;
  a.macs = static_cast<double>(d.macs_per_token) * a.tokens;
  if (d.macs_per_entry != 0) a.macs += static_cast<double>(d.macs_per_entry) * a.tokens * visible_entries(d, arguments);
  if (d.entry_bytes != 0) a.cache_bytes = d.entry_bytes * sequences * read_entries(d, arguments);
  a.cache_bytes += 2.0 * d.state_bytes * sequences;
  return a;
}

// The slice with most pieces sets the time.
double operation_timing::hbm_ns(double bytes) const {
  if (bytes <= 0) return 0;
  const double slices = static_cast<double>(config_.slices);
  const double piece = static_cast<double>(config_.placement_bytes);
  const double whole_rounds = std::floor(bytes / (piece * slices));
  const double fullest = whole_rounds * piece + std::min(piece, bytes - whole_rounds * piece * slices);
  return fullest / (config_.hbm_gbytes_per_s / slices * config_.hbm_efficiency);
}

operation_timing::times operation_timing::times_of(const descriptor& d, const amount& a, double fetched_bytes) const {
  const double slices = static_cast<double>(config_.slices);
  times t;
  t.hbm_ns = hbm_ns(a.weight_bytes + a.cache_bytes - fetched_bytes);
  if (d.op == opcode::elementwise) {
    t.units_ns = a.tokens * (d.input_bytes + d.output_bytes) / config_.vector_gbytes_per_s;
    return t;
  }
  // A tile per expert at least, when experts are what is multiplied.
  const double tile = static_cast<double>(config_.token_tile);
  const double operands =
      d.scaled_by == scale::experts && d.weight_bytes != 0 ? a.weight_bytes / static_cast<double>(d.weight_bytes) : 1;
  const double used =
      a.tokens > 0 ? std::max(std::ceil(a.tokens / operands / tile) * tile * operands / a.tokens, 1.0) : 1;
  const int bits = d.op == opcode::attention ? 16 : d.weight_bits;
  // Attention of one token keeps its tile full with the heads that share an entry.
  const double padding = d.op == opcode::attention ? 1 : used;
  t.units_ns = a.macs * padding / (config_.tera_macs(bits) * 1e3 * config_.matrix_efficiency);

  // Grid of `rows` token blocks and slices / rows output blocks.
  const double in = a.tokens * d.input_bytes;
  const double rows = a.weight_bytes > 0 ? std::clamp(std::sqrt(in * slices / a.weight_bytes), 1.0, slices) : slices;
  const double through_port = in / rows + a.weight_bytes * (rows - 1) / slices + a.tokens * d.output_bytes / slices;
  t.transfer_ns = through_port / config_.on_chip_gbytes_per_s;
  return t;
}

void operation_timing::run_ahead(double idle_ns) {
  if (!config_.runs_ahead) return;
  const double room = static_cast<double>(config_.slices * config_.l1_bytes_per_slice) / 2;
  ahead_bytes_ = std::min(room, ahead_bytes_ + idle_ns * config_.hbm_gbytes_per_s * config_.hbm_efficiency);
}

exchange operation_timing::exchange_of(const descriptor& d, const launch_arguments& arguments) {
  exchange e;
  e.op = d.op;
  e.ranks = d.ranks;
  const bool of_experts = d.op == opcode::dispatch || d.op == opcode::combine;
  e.tokens = static_cast<double>(d.scaled_by == scale::sequences ? arguments.sequences : arguments.tokens);
  e.bytes = d.input_bytes * (of_experts ? milli(arguments.milli_copies) : e.tokens);
  e.round_trip_bytes = d.round_trip_bytes * milli(arguments.milli_copies);
  e.low_precision = (d.flags & flag::low_precision) != 0;
  return e;
}

operation_cost operation_timing::exchange_cost(const descriptor& d, const launch_arguments& arguments) {
  const exchange e = exchange_of(d, arguments);
  operation_cost cost;
  cost.binds = bound_by::network;
  cost.network_ns = network_->nanoseconds(e);
  cost.network_bytes = network_->bytes_sent(e);
  run_ahead(cost.network_ns);
  return cost;
}

operation_cost operation_timing::next(const descriptor& d, const launch_arguments& arguments) {
  if (is_exchange(d.op)) return exchange_cost(d, arguments);
  const amount busiest = amount_of(d, arguments, true);
  const amount mean = amount_of(d, arguments, false);

  double fetched = 0;
  if (d.flags & flag::known_ahead) {
    fetched = std::min(ahead_bytes_, busiest.weight_bytes + busiest.cache_bytes);
    ahead_bytes_ -= fetched;
  }
  const times longest = times_of(d, busiest, fetched);
  const times usual = times_of(d, mean, std::min(fetched, mean.weight_bytes + mean.cache_bytes));

  operation_cost cost;
  const bool needs_hbm = busiest.weight_bytes + busiest.cache_bytes > 0;
  cost.start_ns = config_.operation_start_ns + (needs_hbm && fetched == 0 ? config_.hbm_latency_ns : 0);
  cost.on_chip_ns = 4 * config_.on_chip_stage_ns;  // two stages in, two out; a norm sums over all slices
  cost.work_ns = std::min(usual.largest_ns(), longest.largest_ns());
  cost.wait_ns = longest.largest_ns() - cost.work_ns;
  cost.hbm_bytes = mean.weight_bytes + mean.cache_bytes;
  cost.macs = mean.macs;
  cost.binds = cost.start_ns + cost.on_chip_ns > longest.largest_ns() ? bound_by::start
               : longest.hbm_ns >= longest.largest_ns()               ? bound_by::hbm
               : longest.transfer_ns >= longest.largest_ns()          ? bound_by::on_chip
               : d.op == opcode::elementwise                          ? bound_by::vector_units
                                                                      : bound_by::matrix;
  run_ahead(cost.start_ns + cost.on_chip_ns + longest.largest_ns() - longest.hbm_ns);
  return cost;
}

}  // namespace scribeline::accelerator
