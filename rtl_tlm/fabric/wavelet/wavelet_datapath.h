// The datapath of one core in one cycle: one step of one vector operation, or as many steps as are certain by now.
#pragma once

#include <algorithm>

#include "rtl_tlm/fabric/program/vector_timing.h"
#include "rtl_tlm/fabric/wavelet/wavelet_step.h"
#include "rtl_tlm/fabric/wavelet/word_transfer.h"

namespace scribeline::fabric {

// A visit of a core.
struct core_visit {
  std::uint32_t core;
  std::uint32_t t;
};

template <bool StoresWords>
class wavelet_datapath {
 public:
  wavelet_datapath(wavelet_state& s, word_transfer<StoresWords>& transfer)
      : s_(s),
        transfer_(transfer),
        queues_(s.queues.data()),
        times_(s.slot_times.data()),
        threads_(s.threads.data()),
        microthread_wake_(static_cast<std::uint32_t>(s.chip.core.microthread_wake_cycles)),
        dispatch_cycles_(static_cast<std::uint32_t>(s.chip.core.task_dispatch_cycles)) {}

  void step(core_state& core, std::uint32_t running, const core_visit& at) {
    if ((running & (running - 1)) == 0) return stream(core, lowest_bit(running), at);
    // Round-robin: the first that can, behind the last that had a step.
    const std::uint32_t behind = running & ~((2u << core.last_thread) - 1u);
    bool taken = false;
    for (const std::uint32_t half : {behind, running & ~behind})
      for (std::uint32_t rest = half; rest != 0; rest &= rest - 1) {
        const int slot = lowest_bit(rest);
        thread_state& thread = threads_[core.first_thread + static_cast<std::uint32_t>(slot)];
        if (!can_step(thread, slot, at)) continue;
        if (taken) return visit_at(at, at.t + 1);
        if (take_step(core, thread, slot, at)) visit_at(at, thread.ready_at);
        taken = true;
      }
  }

  // When the head of a queue can be taken by an operation, as far as that is known: a push into an empty queue wakes
  // us.
  std::uint32_t data_from(const word_queue& q, const core_visit& at) const {
    if (q.count == 0) return unknown;
    const std::uint32_t visible_at = q.head_time(times_);
    if (StoresWords && q.head_is_control(times_)) {
      visit_at(at, std::max(visible_at, at.t));  // a visit takes it away first
      return unknown;
    }
    return visible_at;
  }
  bool has_data(const word_queue& q, const core_visit& at) { return is_now(data_from(q, at), at); }

  // When there is room for a word of a thread, as far as that is known: a pop from a full queue wakes us.
  std::uint32_t room_from(word_queue& q, int slot) const {
    if (q.is_full()) {
      q.writer_waits = 1;
      return unknown;
    }
    std::uint32_t free_at = times_[q.slot_at(q.count)];
    if (slot == 0 || microthread_wake_ == 0) return free_at;
    if (free_at != 0) free_at += microthread_wake_;
    return q.pace_words == 0 || q.words < q.pace_words
               ? free_at
               : std::max(free_at, times_[q.pace_slot(q.words)] + q.pace_cycles);
  }
  bool has_room(word_queue& q, int slot, const core_visit& at) { return is_now(room_from(q, slot), at); }

  void give_word(std::uint32_t number, std::uint32_t word, bool is_control, const core_visit& at) {
    s_.colors.add_words(queues_[number].color, 1);
    transfer_.push(number, word, is_control, at.t);
  }

  std::uint32_t take_word(std::uint32_t number, const core_visit& at) {
    s_.colors.remove_words(queues_[number].color, 1);
    return transfer_.pop(number, queues_[number], at.t);
  }

  // The last step of an operation takes until the end of cycle `end`.
  void finish(core_state& core, int slot, std::uint32_t end, const core_visit& at) {
    thread_state& thread = threads_[core.first_thread + static_cast<std::uint32_t>(slot)];
    if (thread.out != no_queue) s_.colors.sender_ends(queues_[thread.out].color);
    if (slot == 0) {
      core.threads &= static_cast<std::uint16_t>(~1u);
      core.main = main_state::busy;
      core.main_until = end + 1;
      return visit_at(at, end + 1);
    }
    const std::uint32_t completed = end + static_cast<std::uint32_t>(s_.chip.core.completion_cycles);
    core.completing |= static_cast<std::uint16_t>(1u << slot);
    thread.ready_at = completed;
    visit_at(at, completed);
  }

  // All data is sent, the closing control word is next.
  static void begin_closing(thread_state& thread) {
    thread.closing = 0;
    thread.kind = thread_kind::control;
    thread.remaining = thread.op->closing_control->bits();
    thread.in_a = thread.in_b = no_queue;
  }

  void visit_at(const core_visit& at, std::uint32_t cycle) const { s_.core_wheel.set(at.core, cycle); }

 private:
  static constexpr std::uint32_t unknown = 0xffffffffu;

  // Whether what is possible from a cycle on is so now; if it is known for later, we come back then.
  bool is_now(std::uint32_t from, const core_visit& at) const {
    if (from <= at.t) return true;
    if (from != unknown) visit_at(at, from);
    return false;
  }

  void act(std::uint32_t t) { transfer_.act(t); }

  // The only operation of the core takes as many steps as are certain by now: what it needs for them is there, and
  // nothing else can want the datapath before.
  void stream(core_state& core, int slot, const core_visit& at) {
    thread_state& thread = threads_[core.first_thread + static_cast<std::uint32_t>(slot)];
    const std::uint32_t end = at.t + undisturbed_cycles(core, slot, at.t);
    // On merging routes every word is looked at, whether it meets another one.
    const bool looks_at_words = s_.needs_operands || s_.code.merging_routes;
    const bool plain = thread.in_b == no_queue && !looks_at_words;
    core_visit now = at;
    while (true) {
      const std::uint32_t from = step_from(thread, slot, now);
      if (from == unknown) return;
      const bool has_to_wait = from > now.t;
      now.t = std::max(now.t, from);
      if (now.t >= end) return visit_at(at, now.t);
      if (has_to_wait) continue;
      const bool many = plain && thread.kind == thread_kind::fabric;
      const bool goes_on = many ? take_steps(core, thread, slot, now, end) : take_step(core, thread, slot, now);
      if (!goes_on) return;
      now.t = thread.ready_at;
    }
  }

  // The same as take_step again and again until `end` or until it may have to wait, for words without values.
  bool take_steps(core_state& core, thread_state& thread, int slot, const core_visit& at, std::uint32_t end) {
    run_limits limits;
    limits.end = end;
    limits.period = thread.step_cycles;
    limits.most = (thread.remaining + thread.elements - 1) / thread.elements;
    limits.waits = true;
    const word_run run = move_words(thread, slot, at.t, limits);
    if (thread.in_a != no_queue) s_.colors.remove_words(queues_[thread.in_a].color, run.words);
    if (thread.out != no_queue) s_.colors.add_words(queues_[thread.out].color, run.words);
    core.last_thread = static_cast<std::uint8_t>(slot);
    thread.remaining -= std::min(thread.remaining, run.words * thread.elements);
    return after_step(core, thread, slot, run.last - at.t + limits.period, at);
  }
  word_run move_words(const thread_state& thread, int slot, std::uint32_t t, const run_limits& limits) {
    if (thread.out == no_queue)
      return transfer_.template move_words<1, 0>(&thread.in_a, nullptr, t, limits, room_at_once{});
    const word_queue& out = queues_[thread.out];
    if (out.pace_words != 0)
      return move_words(thread, t, limits, room_with_pace(out, transfer_.times(), slot != 0, microthread_wake_));
    return move_words(thread, t, limits, room_with_wake{slot != 0 ? microthread_wake_ : 0});
  }
  template <class Room>
  word_run move_words(const thread_state& thread, std::uint32_t t, const run_limits& limits, const Room& room) {
    return thread.in_a == no_queue ? transfer_.template move_words<0, 1>(nullptr, &thread.out, t, limits, room)
                                   : transfer_.template move_words<1, 1>(&thread.in_a, &thread.out, t, limits, room);
  }

  // How long a single operation surely has the datapath for itself, at least 1. The main thread may start another one
  // when it is free to; from idle it needs a dispatch first.
  std::uint32_t undisturbed_cycles(const core_state& core, int slot, std::uint32_t t) const {
    constexpr std::uint32_t long_enough = 32;
    std::uint32_t cycles = long_enough;
    if (core.completing != 0) cycles = 1;
    if (slot != 0) {
      if (core.main == main_state::busy) cycles = std::min(cycles, std::max(core.main_until, t + 1) - t);
      const bool may_wake = (core.flags & core_state::data_tasks) != 0 || StoresWords;
      if (core.main == main_state::idle && may_wake) cycles = std::min(cycles, dispatch_cycles_ + 1);
    }
    return std::max(1u, std::min(cycles, s_.run_limit - t));
  }

  // The first cycle in which a thread can have its next step, as far as that is known; else pushes into empty queues
  // and pops from full ones wake us.
  std::uint32_t step_from(const thread_state& thread, int slot, const core_visit& at) {
    std::uint32_t from = thread.ready_at;
    if (thread.in_a != no_queue) from = std::max(from, data_from(queues_[thread.in_a], at));
    if (thread.in_b != no_queue) from = std::max(from, data_from(queues_[thread.in_b], at));
    if (thread.out == no_queue || from == unknown) return from;
    word_queue& out = queues_[thread.out];
    if (from > at.t && out.is_full()) return from;  // then is soon enough to ask for room
    return std::max(from, room_from(out, slot));
  }
  bool can_step(const thread_state& thread, int slot, const core_visit& at) {
    return is_now(step_from(thread, slot, at), at);
  }

  // One step. True when the operation goes on, in cycle ready_at.
  bool take_step(core_state& core, thread_state& thread, int slot, const core_visit& at) {
    core.last_thread = static_cast<std::uint8_t>(slot);
    act(at.t);
    if (thread.kind == thread_kind::fabric) return step_fabric(core, thread, slot, at);
    if (thread.kind == thread_kind::local) return step_local(core, thread, slot, at);
    give_word(thread.out, thread.remaining, true, at);
    finish(core, slot, at.t, at);
    return false;
  }

  bool step_fabric(core_state& core, thread_state& thread, int slot, const core_visit& at) {
    const std::uint32_t elements = thread.remaining < thread.elements ? thread.remaining : thread.elements;
    const std::uint32_t a = thread.in_a == no_queue ? 0 : take_word(thread.in_a, at);
    const std::uint32_t b = thread.in_b == no_queue ? 0 : take_word(thread.in_b, at);
    std::uint32_t result = 0;
    std::uint32_t cycles = thread.step_cycles;
    if (s_.needs_operands) {
      thread_operands& operands = s_.operands[core.first_thread + static_cast<std::uint32_t>(slot)];
      if (s_.options.bank_conflicts && banks_conflict(s_.chip, operands)) cycles += bank_conflict_cycles();
      if (s_.sram) result = compute_word(*s_.sram, at.core, operands, elements, a, b);
      operands.element += elements;
    }
    if (thread.out != no_queue) give_word(thread.out, result, false, at);
    thread.remaining -= elements;
    return after_step(core, thread, slot, cycles, at);
  }

  // All operands in SRAM: as many elements as the rate has allowed so far.
  bool step_local(core_state& core, thread_state& thread, int slot, const core_visit& at) {
    thread_operands& operands = s_.operands[core.first_thread + static_cast<std::uint32_t>(slot)];
    const bool alone = slot == 0 && core.threads == 1 && !s_.options.bank_conflicts;
    std::uint32_t cycles = 1;
    std::uint32_t elements = 0;
    if (alone) {  // nothing can come between: to the end at once
      const std::uint64_t owed = (std::uint64_t{thread.remaining} << rate_fraction_bits) - operands.budget;
      cycles = static_cast<std::uint32_t>((owed + operands.rate - 1) / operands.rate);
      elements = thread.remaining;
    } else {
      operands.budget += operands.rate;
      elements = operands.budget >> rate_fraction_bits;
      operands.budget &= (1u << rate_fraction_bits) - 1u;
      elements = elements < thread.remaining ? elements : thread.remaining;
      if (s_.options.bank_conflicts && banks_conflict(s_.chip, operands)) cycles += bank_conflict_cycles();
    }
    if (s_.sram) compute_local(*s_.sram, at.core, operands, elements);
    operands.element += elements;
    thread.remaining -= elements;
    act(at.t + cycles - 1);
    return after_step(core, thread, slot, cycles, at);
  }

  std::uint32_t bank_conflict_cycles() const { return static_cast<std::uint32_t>(s_.chip.core.bank_conflict_cycles); }

  // The step that began in cycle at.t occupies its thread for `cycles`.
  bool after_step(core_state& core, thread_state& thread, int slot, std::uint32_t cycles, const core_visit& at) {
    thread.ready_at = at.t + cycles;
    if (thread.remaining > 0) return true;
    if (thread.closing != 0) {
      begin_closing(thread);
      return true;
    }
    // What follows in its queues may be for somebody else: a control word, or the word of a data task.
    for (const std::uint32_t in : {thread.in_a, thread.in_b})
      if (in != no_queue && queues_[in].count != 0)
        visit_at(at, std::max(thread.ready_at, queues_[in].head_time(times_)));
    finish(core, slot, at.t + cycles - 1, at);
    return false;
  }

  wavelet_state& s_;
  word_transfer<StoresWords>& transfer_;
  word_queue* queues_;
  const std::uint32_t* times_;
  thread_state* threads_;
  std::uint32_t microthread_wake_;
  std::uint32_t dispatch_cycles_;
};

}  // namespace scribeline::fabric
