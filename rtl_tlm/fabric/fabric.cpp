#include "rtl_tlm/fabric/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

namespace scribeline::fabric {

fabric::fabric(const sc_core::sc_module_name& name, const fabric_config& config) : sc_module(name), config_(config) {
  SC_METHOD(finish);
  dont_initialize();
  sensitive << finish_due_;
}

void fabric::load(const program& p, const run_options& options) {
  if (busy_) throw std::logic_error(fmt::format("{}: a program is running", this->name()));
  loaded_ = false;
  if (engine_ && engine_->has_values()) with_sram_ = std::move(engine_);
  engine_.reset();
  burst_.reset();
  if (config_.engine == engine_kind::burst) {
    burst_ = std::make_unique<burst_engine>(p, config_.chip, options);
  } else {
    auto next = std::make_unique<wavelet_engine>(p, config_.chip, options);
    if (options.values && with_sram_) {
      next->take_sram_of(*with_sram_);
      with_sram_.reset();
    }
    engine_ = std::move(next);
  }
  limit_ = options.limit;
  cores_ = std::int64_t{p.columns} * p.rows;
  loaded_ = true;
}

wavelet_engine& fabric::engine() {
  if (engine_ == nullptr)
    throw std::logic_error(fmt::format("{}: no program is loaded into a wavelet engine", this->name()));
  return *engine_;
}

link_loads fabric::loads() {
  return burst_ ? loads_of(*burst_, result().cycles) : loads_of(engine(), result().cycles);
}

std::size_t fabric::memory_bytes() const {
  return burst_ ? burst_->memory_bytes() : engine_ ? engine_->memory_bytes() : 0;
}

const run_result& fabric::result() const {
  if (statistics_.programs == 0) throw std::logic_error(fmt::format("{}: no program was started", this->name()));
  return result_;
}

void fabric::start() {
  if (busy_ || !loaded_)
    throw std::logic_error(
        fmt::format("{}: {}", this->name(), busy_ ? "a program is running" : "no program is loaded"));
  run_ahead();
  loaded_ = false;
  busy_ = true;
  ++statistics_.programs;
  statistics_.busy += result_.cycles;
  statistics_.word_hops += result_.word_hops;
  statistics_.ramp_words += result_.ramp_words;
  finish_due_.notify(config_.clock.duration(result_.cycles));
}

void fabric::run_ahead() {
  if (burst_) return run_bursts_ahead();
  bool moves = true;
  if (observer_ != nullptr) {
    const base::cycles first = std::min(limit_, observer_->first_cycle());
    const base::cycles end = std::min(limit_, observer_->last_cycle() + base::cycles{1});
    moves = advance(first, false) && advance(end, true);
  }
  if (moves) advance(limit_, false);
  result_ = engine_->run_until(engine_->now());
}

void fabric::run_bursts_ahead() {
  const base::cycles slice{256};
  base::cycles end;
  while (burst_->advance_to(end) && end < limit_ && !(give_up_ && give_up_(end)))
    end = std::min(limit_, burst_->next_cycle() + slice);
  result_ = burst_->run_until(end);
}

bool fabric::advance(base::cycles end, bool watched) {
  // Giving up is asked for after every slice: fewer cycles of many cores.
  constexpr std::int64_t core_cycles = 1 << 24;
  const std::int64_t unwatched = std::max<std::int64_t>(512, std::min<std::int64_t>(4096, core_cycles / cores_));
  const base::cycles slice{watched ? 1 : unwatched};
  while (engine_->now() < end) {
    if (watched) observer_->before_cycle(*engine_, sc_core::sc_time_stamp());
    if (!engine_->advance_to(std::min(end, engine_->now() + slice))) {
      if (watched) observer_->before_cycle(*engine_, sc_core::sc_time_stamp());
      return false;
    }
    if (give_up_ && give_up_(engine_->now())) return false;
  }
  return true;
}

void fabric::finish() {
  busy_ = false;
  done_.notify();
}

run_result fabric::run(const program& p, const run_options& options) {
  load(p, options);
  start();
  wait(done_);
  require_finished(p.name, result_);
  return result_;
}

void require_finished(const std::string& program_name, const run_result& result) {
  if (result.outcome == run_outcome::finished) return;
  const std::string text = fmt::format("program \"{}\": {}", program_name, result.explanation);
  if (result.outcome == run_outcome::violation) throw base::bad_input(text);
  throw base::no_progress(text);
}

}  // namespace scribeline::fabric
