#include "rtl_tlm/fabric/burst/burst_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/fabric/burst/burst_core.h"
#include "rtl_tlm/fabric/burst/burst_waits.h"
#include "rtl_tlm/fabric/program/validate.h"
#include "rtl_tlm/fabric/run_report.h"

namespace scribeline::fabric {
namespace {

class burst_runner {
 public:
  explicit burst_runner(burst_state& s) : s_(s), streams_(s), core_(s, streams_) {}

  void start() {
    start_edges();
    for (std::uint32_t core = 0; core < s_.cores; ++core)
      core_.start(core);
    run_ahead(0);
  }

  // Up to a cycle; false when nothing is left to do.
  bool run(burst_time limit) {
    while (s_.violation_cycle == never) {
      const burst_time t = s_.calendar.next_time();
      if (t == never) return false;
      if (t >= limit) return true;
      s_.calendar.advance(t);
      s_.calendar.serve(
          [&](const burst_event& e) {
            serve(e, t);
            run_ahead(t);
          },
          [&](const burst_event& e) { look_ahead(e); });
    }
    return false;
  }

 private:
  void run_ahead(burst_time t) {
    burst_arrival a;
    std::uint32_t last_core = 0;
    while (streams_.take_arrival(a)) {
      // Chains and broadcasts go on in the direction that they have.
      const std::uint32_t core = s_.core_of_queue(a.target);
      prefetch(core + 6 * (core - last_core));
      last_core = core;
      const bool done = s_.queue(a.target).is_node() ? streams_.run_ahead(a, t) : core_.run_ahead(a, t);
      if (!done) streams_.make_event(a);
    }
  }

  void prefetch(std::uint32_t core) const {
    if (core >= s_.cores) return;
    const auto* block = reinterpret_cast<const char*>(&s_.blocks[core]);
    __builtin_prefetch(block, 1);
    __builtin_prefetch(block + 64, 1);
  }

  void serve(const burst_event& e, burst_time t) {
    switch (e.kind) {
      case burst_event_kind::arrival:
        if (streams_.arrive(e, t)) core_.inbox_changed(e.target, t);
        break;
      case burst_event_kind::rate:
        if (streams_.arrive_rate(e, t)) core_.inbox_changed(e.target, t);
        break;
      case burst_event_kind::control:
        if (streams_.arrive_control(e, t)) core_.inbox_changed(e.target, t);
        break;
      case burst_event_kind::queue_wake:
        streams_.wake(e.target, t);
        break;
      case burst_event_kind::thread_wake:
        core_.thread_wake(e.target, t);
        break;
      case burst_event_kind::source_wake:
        feed(e.target, t);
        break;
      case burst_event_kind::limit:
        limit(e.target, t);
        break;
      case burst_event_kind::switched:
        streams_.move_switch(e.target, static_cast<color_id>(e.words), t);
        break;
      case burst_event_kind::resume:
        core_.resume(e.target, t);
        break;
      case burst_event_kind::dispatch:
        core_.dispatch(e.target, t);
        break;
    }
  }

  void limit(std::uint32_t mover, burst_time t) {
    const std::uint32_t i = mover & mover_index_mask;
    switch (mover_kind(mover)) {
      case burst_mover::queue:
        streams_.evaluate_node(i, t);
        break;
      case burst_mover::thread:
        core_.room_changed(i, t);
        break;
      case burst_mover::source:
        feed(i, t);
        break;
    }
  }

  void look_ahead(const burst_event& e) const {
    std::uint32_t core = e.target;
    if (e.kind <= burst_event_kind::queue_wake)
      core = s_.core_of_queue(e.target);
    else if (e.kind == burst_event_kind::thread_wake)
      core = s_.core_of_thread(e.target);
    else if (e.kind == burst_event_kind::limit || e.kind == burst_event_kind::source_wake)
      return;
    prefetch(core);
  }

  // --- the edge ---

  void start_edges() {
    for (std::uint32_t i = 0; i < s_.sources.size(); ++i)
      if (s_.sources[i].words > 0) s_.calendar.add(s_.sources[i].next, {i, 0, 0, burst_event_kind::source_wake, false});
  }

  // Announces what comes next, or changes the rate of what was announced. Words that come at long intervals are
  // announced one by one.
  void feed(std::uint32_t number, burst_time t) {
    constexpr std::int64_t long_period = 64;
    burst_source& source = s_.sources[number];
    source.left = source.left_at(t);
    const bool begins = source.left == 0 && source.words > 0 && t >= source.next;
    source.t = t;
    if (source.out == no_index)
      source.out = streams_.target_of_source(source, mover_of(burst_mover::source, number), t);
    burst_rate rate = source.period < long_period ? rate_of(1, source.period) : full_rate;
    rate = std::min(rate, streams_.room_rate(source.out, t));
    if (begins) {
      const std::int64_t words = source.period < long_period ? std::min(source.words, max_burst_words) : 1;
      source.left = static_cast<burst_words>(words) * one_word;
      source.words -= words;
      source.rate = rate;
      streams_.announce(source.out, static_cast<std::uint32_t>(words), rate, true, t);
      s_.word_hops -= words;
      s_.act(t);
    } else if (rate != source.rate) {
      source.rate = rate;
      streams_.change_rate(source.out, source.left, rate, t);
    }
    if (rate == 0) return;
    s_.act(t + cycles_to_move(source.left - one_word, rate));
    if (source.words == 0) return;
    const burst_time wait =
        source.period < long_period ? cycles_to_finish(source.left, rate) : static_cast<burst_time>(source.period);
    source.next = t + wait;
    s_.calendar.add(t + wait, {number, 0, 0, burst_event_kind::source_wake, false});
  }

  burst_state& s_;
  burst_streams streams_;
  burst_core core_;
};

// What was looked at so far reaches up to here; some of it may be ahead of the clock.
burst_time last_action(const burst_state& s) {
  burst_time last = s.last_action;
  for (const burst_sink& sink : s.sinks)
    if (sink.words > 0) last = std::max(last, sink.last());
  return last;
}

void collect(const burst_state& s, burst_time limit, run_result& result) {
  result.cycles = base::cycles{std::min(last_action(s), limit)};
  result.timestamps = sorted_timestamps(s.timestamps.data(), s.timestamps.size());
  while (!result.timestamps.empty() && result.timestamps.back().cycle.value() >= limit)
    result.timestamps.pop_back();
  result.word_hops = s.word_hops;
  result.ramp_words = s.ramp_words;
}

burst_time limit_of(const burst_state& s, base::cycles cycle) {
  return static_cast<burst_time>(std::max<std::int64_t>(
      0, std::min<std::int64_t>({cycle.value(), s.options.limit.value(), std::int64_t{never} - 1})));
}

}  // namespace

burst_engine::burst_engine(const program& p, const fabric_chip& chip, const run_options& options) {
  if (options.values) throw std::invalid_argument("the burst engine carries no values; run the wavelet engine");
  require_valid(p, chip, false);
  state_ = std::make_unique<burst_state>(p, chip, options);
}
burst_engine::~burst_engine() = default;
burst_engine::burst_engine(burst_engine&&) noexcept = default;
burst_engine& burst_engine::operator=(burst_engine&&) noexcept = default;

run_result burst_engine::run() {
  return run_until(state_->options.limit);
}

bool burst_engine::advance_to(base::cycles cycle) {
  burst_runner runner(*state_);
  if (!started_) runner.start();
  started_ = true;
  const burst_time limit = limit_of(*state_, cycle);
  return runner.run(limit) || (state_->violation_cycle == never && last_action(*state_) >= limit);
}

base::cycles burst_engine::next_cycle() const {
  return base::cycles{state_->calendar.next_time()};
}

run_result burst_engine::run_until(base::cycles cycle) {
  const bool moves = advance_to(cycle);
  burst_state& s = *state_;
  run_result result;
  collect(s, limit_of(s, cycle), result);
  if (s.violation_cycle != never) {
    report_violation(result, s.violation_color, s.layout.place_of(s.violation_core), s.violation_cycle);
  } else if (moves) {
    report_cycle_limit(result);
  } else if (!nothing_left(s)) {
    result.outcome = run_outcome::no_progress;
    if (!s.link_words.empty() && !links_settled_) burst_streams(s).take_back_unsent();
    links_settled_ = true;
    find_waits(s, result);
  }
  return result;
}

burst_engine::edge_record burst_engine::edge_output_record(coordinate core, port side, color_id color) const {
  const burst_state& s = *state_;
  for (const burst_sink& sink : s.sinks) {
    if (!s.layout.inside(core) || sink.core != s.layout.core_of(core) || sink.side != side || sink.color != color)
      continue;
    return {sink.words, base::cycles{sink.first}, base::cycles{sink.words > 0 ? sink.last() : 0}};
  }
  throw std::out_of_range(
      fmt::format("no edge output of color {} through the {} at {}", color, to_string(side), to_string(core)));
}

const program& burst_engine::code() const {
  return state_->code;
}

std::uint32_t burst_engine::words_over(coordinate from, port side) const {
  const burst_state& s = *state_;
  if (s.link_words.empty()) throw std::logic_error("the words of links were not counted: set run_options::link_loads");
  if (!s.layout.inside(from) || side == port::ramp)
    throw std::out_of_range(fmt::format("no link through the {} of {}", to_string(side), to_string(from)));
  return s.link_words[s.layout.core_of(from) * link_ports + static_cast<unsigned>(index(side))];
}

std::uint64_t burst_engine::events() const {
  return state_->calendar.added();
}

std::size_t burst_engine::memory_bytes() const {
  return state_->memory_bytes();
}

}  // namespace scribeline::fabric
