#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/fabric/program/element_math.h"
#include "rtl_tlm/fabric/program/validate.h"
#include "rtl_tlm/fabric/run_report.h"
#include "rtl_tlm/fabric/wavelet/wait_chain.h"
#include "rtl_tlm/fabric/wavelet/wavelet_core.h"
#include "rtl_tlm/fabric/wavelet/wavelet_router.h"

namespace scribeline::fabric {
namespace {

template <bool StoresWords>
class wavelet_runner {
 public:
  explicit wavelet_runner(wavelet_state& s) : s_(s), transfer_(s), router_(s, transfer_), core_(s, transfer_) {}

  // Runs cycles first..first + count - 1, count <= plan.block_cycles.
  void run(std::uint32_t first, std::uint32_t count) {
    for (const sweep& s : s_.plan.sweeps)
      for (std::size_t band = 0; band + 1 < s.bands.size(); ++band)
        if (s.bands[band] + 1 == s.bands[band + 1])
          run_row_alone(s, s.bands[band], first, static_cast<int>(count));
        else
          run_rows(s, s.bands[band], s.bands[band + 1], first, static_cast<int>(count));
  }

  std::uint32_t last_action() const { return transfer_.last_action(); }

 private:
  void run_rows(const sweep& s, int top, int bottom, std::uint32_t first, int cycles) {
    const int rows = bottom - top;
    for (int front = 0; front < rows + cycles - 1; ++front)
      for (int ahead = std::max(0, front - rows + 1); ahead <= std::min(cycles - 1, front); ++ahead)
        run_row(s, top + front - ahead, first, ahead);
  }
  // Cycles in which nothing is to be visited are skipped.
  void run_row_alone(const sweep& s, int row, std::uint32_t first, int cycles) {
    const int west = std::max(0, s.begin - cycles + 1);
    const int east = std::min(s_.layout.columns, s.end);
    if (west >= east) return;
    for (int ahead = 0; ahead < cycles; ++ahead) {
      const std::uint32_t t = first + static_cast<std::uint32_t>(ahead);
      const std::uint32_t idle =
          std::min(s_.router_wheel.idle_cycles(row, west, east, t), s_.core_wheel.idle_cycles(row, west, east, t));
      if (idle == activity_wheel::slots) return;
      ahead += static_cast<int>(idle);
      if (ahead < cycles) run_row(s, row, first, ahead);
    }
  }
  void run_row(const sweep& s, int row, std::uint32_t first, int ahead) {
    const int begin = std::max(0, s.begin - ahead);
    const int end = std::min(s_.layout.columns, s.end - ahead);
    if (begin >= end) return;
    const std::uint32_t t = first + static_cast<std::uint32_t>(ahead);
    s_.router_wheel.visit(row, begin, end, t, [&](std::uint32_t core) { router_.visit(core, t); });
    s_.core_wheel.visit(row, begin, end, t, [&](std::uint32_t core) { core_.visit(core, t); });
  }

  wavelet_state& s_;
  word_transfer<StoresWords> transfer_;
  wavelet_router<StoresWords> router_;
  wavelet_core<StoresWords> core_;
};

// Runs from cycle `now` until nothing is left to visit, words meet or `limit` is reached; the new now.
template <bool StoresWords>
std::uint32_t run_cycles(wavelet_state& s, std::uint32_t now, std::uint32_t limit) {
  s.run_limit = limit;
  wavelet_runner<StoresWords> runner(s);
  while (now < limit && s.violation_cycle == 0xffffffffu) {
    const std::uint32_t idle_routers = s.router_wheel.idle_cycles(now);
    const std::uint32_t idle_cores = s.core_wheel.idle_cycles(now);
    if (idle_routers == s.router_wheel.slots && idle_cores == s.core_wheel.slots) break;
    now = std::min(limit, now + std::min(idle_routers == s.router_wheel.slots ? idle_cores : idle_routers, idle_cores));
    const std::uint32_t count = std::min(static_cast<std::uint32_t>(s.plan.block_cycles), limit - now);
    s.colors.forget_quiet();
    runner.run(now, count);
    now += count;
  }
  s.last_action = std::max(s.last_action, runner.last_action());
  return now;
}

void require_values(const wavelet_state& s) {
  if (!s.sram) throw std::logic_error("SRAM contents need run_options::values");
}

std::uint32_t require_core(const wavelet_state& s, coordinate c) {
  if (c.column < 0 || c.row < 0 || c.column >= s.layout.columns || c.row >= s.layout.rows)
    throw std::out_of_range(
        fmt::format("{} of a program with {} columns and {} rows", to_string(c), s.layout.columns, s.layout.rows));
  return s.layout.core_of(c);
}

std::uint32_t require_bytes(const wavelet_state& s, int address, int bytes) {
  if (address < 0 || bytes < 0 || address + bytes > s.chip.sram_bytes)
    throw std::out_of_range(
        fmt::format("bytes {}..{} of {} B of SRAM", address, address + bytes - 1, s.chip.sram_bytes));
  return static_cast<std::uint32_t>(address);
}

// Every queue of the program, also those that were merged away: their words passed the queue in their place.
void count_words(const wavelet_state& s, run_result& result) {
  for (std::uint32_t number = 0; number < s.queues.size(); ++number) {
    const queue_side side = s.queues[number].side;
    const bool is_ramp = side == queue_side::core_input || side == queue_side::ramp;
    (is_ramp ? result.ramp_words : result.word_hops) += s.queues[s.layout.merged_into[number]].words;
  }
  for (const edge_source& source : s.sources)
    result.word_hops -= source.sent;
}

bool nothing_left(const wavelet_state& s) {
  for (const core_state& core : s.cores)
    if (core.main != main_state::idle || core.threads != 0) return false;
  for (const word_queue& q : s.queues)
    if (q.count != 0) return false;
  for (const edge_source& source : s.sources)
    if (source.remaining != 0) return false;
  return true;
}

bool something_moves(wavelet_state& s, std::uint32_t now) {
  return s.router_wheel.idle_cycles(now) != s.router_wheel.slots || s.core_wheel.idle_cycles(now) != s.core_wheel.slots;
}

void explain(const wavelet_state& s, bool moves, run_result& result) {
  if (s.violation_cycle != 0xffffffffu) {
    report_violation(result, s.violation_color, s.place_of(s.violation_core), s.violation_cycle);
  } else if (moves) {
    report_cycle_limit(result);
  } else if (!nothing_left(s)) {
    result.outcome = run_outcome::no_progress;
    find_waits(s, result);
  }
}

}  // namespace

wavelet_engine::wavelet_engine(const program& p, const fabric_chip& chip, const run_options& options) {
  require_valid(p, chip, options.values);
  state_ = std::make_unique<wavelet_state>(p, chip, options);
}
wavelet_engine::~wavelet_engine() = default;
wavelet_engine::wavelet_engine(wavelet_engine&&) noexcept = default;
wavelet_engine& wavelet_engine::operator=(wavelet_engine&&) noexcept = default;

run_result wavelet_engine::run() {
  return run_until(state_->options.limit);
}

bool wavelet_engine::advance_to(base::cycles cycle) {
  wavelet_state& s = *state_;
  const auto limit = static_cast<std::uint32_t>(std::max<std::int64_t>(
      0, std::min<std::int64_t>(cycle.value(), std::min<std::int64_t>(s.options.limit.value(), 0x7fffffff))));
  now_ = s.stores_words ? run_cycles<true>(s, now_, limit) : run_cycles<false>(s, now_, limit);
  return s.violation_cycle == 0xffffffffu && something_moves(s, now_);
}

run_result wavelet_engine::run_until(base::cycles cycle) {
  advance_to(cycle);
  wavelet_state& s = *state_;
  run_result result;
  result.cycles = base::cycles{s.last_action};
  result.timestamps = sorted_timestamps(s.timestamps.data(), s.timestamps.size());
  count_words(s, result);
  explain(s, something_moves(s, now_), result);
  return result;
}

void wavelet_engine::write_sram(coordinate core, int address, const void* from, int bytes) {
  require_values(*state_);
  const std::uint32_t number = require_core(*state_, core);
  state_->sram->write(number, require_bytes(*state_, address, bytes), from, static_cast<std::uint32_t>(bytes));
}

void wavelet_engine::read_sram(coordinate core, int address, void* to, int bytes) const {
  require_values(*state_);
  const std::uint32_t number = require_core(*state_, core);
  state_->sram->read(number, require_bytes(*state_, address, bytes), to, static_cast<std::uint32_t>(bytes));
}

bool wavelet_engine::has_values() const {
  return state_->sram != nullptr;
}

void wavelet_engine::take_sram_of(wavelet_engine& before) {
  require_values(*state_);
  require_values(*before.state_);
  const auto& theirs = before.state_->layout;
  const auto& own = state_->layout;
  if (theirs.columns != own.columns || theirs.rows != own.rows)
    throw std::logic_error(
        fmt::format("a program with {} columns and {} rows cannot take the SRAM of one with {} and {}", own.columns,
                    own.rows, theirs.columns, theirs.rows));
  std::swap(state_->sram, before.state_->sram);
}

void wavelet_engine::write_vector(coordinate core, int address, element_type type, const std::vector<double>& values) {
  int next = address;
  for (const double value : values) {
    const std::uint32_t bits = element_bits(type, value);
    write_sram(core, next, &bits, bytes_of(type));
    next += bytes_of(type);
  }
}

std::vector<double> wavelet_engine::read_vector(coordinate core, int address, element_type type, int elements) const {
  std::vector<double> values;
  for (int i = 0; i < elements; ++i) {
    std::uint32_t bits = 0;
    read_sram(core, address + i * bytes_of(type), &bits, bytes_of(type));
    values.push_back(element_value(type, bits));
  }
  return values;
}

void wavelet_engine::set_edge_words(coordinate core, port side, color_id color, std::vector<std::uint32_t> words) {
  const std::uint32_t number = require_core(*state_, core);
  for (edge_source& source : state_->sources) {
    if (source.core != number || source.color != color || source.side != side) continue;
    source.values = std::move(words);
    return;
  }
  throw std::out_of_range(
      fmt::format("no edge input of color {} through the {} at {}", color, to_string(side), to_string(core)));
}

wavelet_engine::edge_record wavelet_engine::edge_output_record(coordinate core, port side, color_id color) const {
  const std::uint32_t number = require_core(*state_, core);
  for (std::size_t i = 0; i < state_->sinks.size(); ++i) {
    const fabric_sink& sink = state_->layout.sinks[i];
    if (sink.core != number || sink.color != color || sink.side != side) continue;
    const sink_record& record = state_->sinks[i];
    return {record.words, base::cycles{record.first_cycle}, base::cycles{record.last_cycle}, record.values};
  }
  throw std::out_of_range(
      fmt::format("no edge output of color {} through the {} at {}", color, to_string(side), to_string(core)));
}

std::int64_t wavelet_engine::words_in(coordinate core, port side) const {
  const std::uint32_t number = require_core(*state_, core);
  std::int64_t words = 0;
  for (std::uint32_t i = state_->layout.queue_base[number]; i < state_->layout.queue_base[number + 1]; ++i)
    if (static_cast<int>(state_->queues[i].side) == index(side))
      words += state_->queues[state_->layout.merged_into[i]].words;
  return words;
}

std::int64_t wavelet_engine::words_to_core(coordinate core) const {
  const std::uint32_t number = require_core(*state_, core);
  std::int64_t words = 0;
  for (std::uint32_t i = state_->layout.queue_base[number]; i < state_->layout.queue_base[number + 1]; ++i)
    if (state_->queues[i].side == queue_side::core_input) words += state_->queues[i].words;
  return words;
}

std::size_t wavelet_engine::memory_bytes() const {
  const wavelet_state& s = *state_;
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return bytes(s.queues) + bytes(s.slot_times) + bytes(s.slot_words) + bytes(s.layout.merged_into) +
         bytes(s.layout.writers) + bytes(s.routers) + bytes(s.cores) + bytes(s.tasks) + bytes(s.threads) +
         bytes(s.operands) + bytes(s.layout.queue_base) + bytes(s.layout.thread_base) + bytes(s.layout.branches) +
         bytes(s.layout.switch_of_queue) + bytes(s.layout.exits) + bytes(s.layout.position_of_queue) +
         bytes(s.layout.served_from) + s.router_wheel.memory_bytes() + s.core_wheel.memory_bytes() +
         (s.sram ? s.sram->allocated_bytes() : 0);
}

}  // namespace scribeline::fabric
