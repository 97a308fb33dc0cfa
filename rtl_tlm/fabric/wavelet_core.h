// One core in one cycle: completions, then the main thread, then one step of one vector operation.
#pragma once

#include <algorithm>

#include "rtl_tlm/fabric/wavelet_step.h"
#include "rtl_tlm/fabric/word_transfer.h"

namespace scribeline::fabric {

template <bool StoresWords>
class wavelet_core {
 public:
  wavelet_core(wavelet_state& s, word_transfer<StoresWords>& transfer)
      : s_(s),
        transfer_(transfer),
        queues_(s.queues.data()),
        times_(s.slot_times.data()),
        cores_(s.cores.data()),
        threads_(s.threads.data()),
        microthread_wake_(static_cast<std::uint32_t>(s.chip.core.microthread_wake_cycles)),
        dispatch_cycles_(static_cast<std::uint32_t>(s.chip.core.task_dispatch_cycles)) {}

  void visit(std::uint32_t number, std::uint32_t t) {
    const place at{number, t};
    core_state& core = cores_[at.core];
    if ((core.flags & core_state::control_came) != 0) take_control_words(core, at);
    if ((core.flags & core_state::edge_sources) != 0) feed_edges(at);
    if (core.completing != 0) complete_threads(core, at);
    if (core.main == main_state::wait_thread) retry_start(core, at);
    if (core.main == main_state::busy) run_main(core, at);
    if (core.main == main_state::idle && (core.flags & (core_state::runnable | core_state::data_tasks)) != 0)
      dispatch(core, at);
    const std::uint32_t running = core.threads & ~std::uint32_t{core.completing};
    if (running != 0) step(core, running, at);
  }

 private:
  struct place {
    std::uint32_t core;
    std::uint32_t t;
  };

  void visit_at(const place& at, std::uint32_t cycle) { s_.core_wheel.set(at.core, cycle); }

  void act(std::uint32_t t) { transfer_.act(t); }

  // --- the datapath ---

  void step(core_state& core, std::uint32_t running, const place& at) {
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

  // The only operation of the core takes as many steps as are certain by now: what it needs for them is there, and
  // nothing else can want the datapath before.
  void stream(core_state& core, int slot, const place& at) {
    thread_state& thread = threads_[core.first_thread + static_cast<std::uint32_t>(slot)];
    const std::uint32_t end = at.t + undisturbed_cycles(core, slot, at.t);
    const bool plain = thread.in_b == no_queue && !s_.needs_operands;
    place now = at;
    while (now.t < end) {
      if (!can_step(thread, slot, now)) return;
      const bool many = plain && thread.kind == thread_kind::fabric;
      const bool goes_on = many ? take_steps(core, thread, slot, now, end) : take_step(core, thread, slot, now);
      if (!goes_on) return;
      now.t = thread.ready_at;
    }
    visit_at(at, now.t);
  }

  // The same as take_step again and again until `end` or until it may have to wait, for words without values.
  bool take_steps(core_state& core, thread_state& thread, int slot, const place& at, std::uint32_t end) {
    const std::uint32_t words = (thread.remaining + thread.elements - 1) / thread.elements;
    const std::uint32_t period = thread.step_cycles;
    std::uint32_t steps = std::min(words, (end - at.t + period - 1) / period);
    if (thread.in_a != no_queue) steps = transfer_.count_ready(queues_[thread.in_a], at.t, period, steps);
    if (thread.out != no_queue) {
      const std::uint32_t wake = slot == 0 ? 0 : microthread_wake_;
      steps = transfer_.count_room(queues_[thread.out], at.t, period, steps, wake);
    }
    if (thread.in_a != no_queue) {
      transfer_.pop_many(thread.in_a, at.t, period, steps);
      s_.colors.remove_words(queues_[thread.in_a].color, steps);
    }
    if (thread.out != no_queue) {
      transfer_.push_many(thread.out, at.t, period, steps);
      s_.colors.add_words(queues_[thread.out].color, steps);
    }
    core.last_thread = static_cast<std::uint8_t>(slot);
    const std::uint32_t last = at.t + (steps - 1) * period;
    act(last);
    thread.remaining -= std::min(thread.remaining, steps * thread.elements);
    return after_step(core, thread, slot, last - at.t + period, at);
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

  // Comes back when a known time makes it possible; pushes into empty queues and pops from full ones wake us.
  bool can_step(const thread_state& thread, int slot, const place& at) {
    if (thread.ready_at > at.t) return visit_at(at, thread.ready_at), false;
    if (thread.in_a != no_queue && !has_data(queues_[thread.in_a], at)) return false;
    if (thread.in_b != no_queue && !has_data(queues_[thread.in_b], at)) return false;
    return thread.out == no_queue || has_room(queues_[thread.out], slot, at);
  }

  bool has_data(const word_queue& q, const place& at) {
    if (q.count == 0) return false;
    const std::uint32_t visible_at = q.head_time(times_);
    if (visible_at > at.t) return visit_at(at, visible_at), false;
    if (StoresWords && q.head_is_control(times_)) return visit_at(at, at.t), false;  // a visit takes it away first
    return true;
  }

  bool has_room(word_queue& q, int slot, const place& at) {
    if (q.is_full()) {
      q.writer_waits = 1;
      return false;
    }
    std::uint32_t free_at = times_[q.slot_at(q.count)];
    if (slot != 0 && microthread_wake_ != 0) {
      if (free_at != 0) free_at += microthread_wake_;
      if (q.pace_words != 0 && q.words >= q.pace_words)
        free_at = std::max(free_at, times_[q.pace_slot(q.words)] + q.pace_cycles);
    }
    if (free_at > at.t) return visit_at(at, free_at), false;
    return true;
  }

  // One step. True when the operation goes on, in cycle ready_at.
  bool take_step(core_state& core, thread_state& thread, int slot, const place& at) {
    core.last_thread = static_cast<std::uint8_t>(slot);
    act(at.t);
    if (thread.kind == thread_kind::fabric) return step_fabric(core, thread, slot, at);
    if (thread.kind == thread_kind::local) return step_local(core, thread, slot, at);
    give_word(thread.out, thread.control_bits, true, at);
    finish(core, slot, at.t, at);
    return false;
  }

  void give_word(std::uint32_t number, std::uint32_t word, bool is_control, const place& at) {
    s_.colors.add_words(queues_[number].color, 1);
    transfer_.push(number, word, is_control, at.t);
  }
  std::uint32_t take_word(std::uint32_t number, const place& at) {
    s_.colors.remove_words(queues_[number].color, 1);
    return transfer_.pop(number, queues_[number], at.t);
  }

  bool step_fabric(core_state& core, thread_state& thread, int slot, const place& at) {
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
  bool step_local(core_state& core, thread_state& thread, int slot, const place& at) {
    thread_operands& operands = s_.operands[core.first_thread + static_cast<std::uint32_t>(slot)];
    const bool alone = slot == 0 && core.threads == 1 && !s_.options.bank_conflicts;
    std::uint32_t cycles = 1;
    std::uint32_t elements = 0;
    if (alone) {  // nothing can come between: to the end at once
      const std::uint64_t owed = (std::uint64_t{thread.remaining} << rate_fraction_bits) - operands.budget;
      cycles = static_cast<std::uint32_t>((owed + thread.rate - 1) / thread.rate);
      elements = thread.remaining;
    } else {
      operands.budget += thread.rate;
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
  bool after_step(core_state& core, thread_state& thread, int slot, std::uint32_t cycles, const place& at) {
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

  // The last step of an operation takes until the end of cycle `end`.
  void finish(core_state& core, int slot, std::uint32_t end, const place& at) {
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

  void complete_threads(core_state& core, const place& at) {
    for (std::uint32_t rest = core.completing; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      const std::uint32_t number = core.first_thread + static_cast<std::uint32_t>(slot);
      if (threads_[number].ready_at > at.t) {
        visit_at(at, threads_[number].ready_at);
        continue;
      }
      core.completing &= static_cast<std::uint16_t>(~(1u << slot));
      core.threads &= static_cast<std::uint16_t>(~(1u << slot));
      const vector_op& op = *s_.operands[number].op;
      if (op.activates) s_.tasks[at.core].active |= std::uint64_t{1} << *op.activates;
      if (op.unblocks) s_.tasks[at.core].blocked &= ~(std::uint64_t{1} << *op.unblocks);
      update_runnable(core, at);
      if (op.activates || op.unblocks) act(at.t);
    }
  }

  // --- the main thread ---

  void update_runnable(core_state& core, const place& at) {
    const task_state& tasks = s_.tasks[at.core];
    const bool any = (tasks.active & ~tasks.blocked) != 0;
    core.flags =
        static_cast<std::uint8_t>(any ? core.flags | core_state::runnable : core.flags & ~core_state::runnable);
  }

  void dispatch(core_state& core, const place& at) {
    task_state& tasks = s_.tasks[at.core];
    const class_image& image = s_.layout.images[core.image];
    for (const class_task& candidate : image.tasks) {
      if ((tasks.blocked >> candidate.id & 1) != 0) continue;
      if (candidate.trigger_slot >= 0) {
        if (!take_trigger(core, candidate, at)) continue;
      } else if ((tasks.active >> candidate.id & 1) == 0) {
        continue;
      }
      tasks.active &= ~(std::uint64_t{1} << candidate.id);
      update_runnable(core, at);
      tasks.task = candidate.index;
      tasks.at = 0;
      tasks.loops = 0;
      core.main = main_state::busy;
      core.main_until = at.t + static_cast<std::uint32_t>(s_.chip.core.task_dispatch_cycles);
      act(at.t);
      return visit_at(at, core.main_until);
    }
  }

  // A data word for a data task, unless a vector operation reads the queue.
  bool take_trigger(const core_state& core, const class_task& candidate, const place& at) {
    const std::uint32_t number = s_.routers[at.core].base + static_cast<std::uint32_t>(candidate.trigger_slot);
    if (!has_data(queues_[number], at) || is_read(core, number)) return false;
    const std::uint32_t word = take_word(number, at);
    const std::int32_t address = s_.code.tasks[candidate.index].argument_address;
    if (s_.sram && address >= 0) s_.sram->write(at.core, static_cast<std::uint32_t>(address), &word, 4);
    return true;
  }

  bool is_read(const core_state& core, std::uint32_t number) const {
    for (std::uint32_t rest = core.threads; rest != 0; rest &= rest - 1) {
      const thread_state& thread = threads_[core.first_thread + static_cast<std::uint32_t>(lowest_bit(rest))];
      if (thread.in_a == number || thread.in_b == number) return true;
    }
    return false;
  }

  // Control words at the heads of input queues: they activate a task or vanish, one per queue and cycle.
  void take_control_words(core_state& core, const place& at) {
    const class_image& image = s_.layout.images[core.image];
    bool left = false;
    for (std::size_t slot = static_cast<std::size_t>(image.router_queues); slot < image.queues.size(); ++slot) {
      const std::uint32_t number = s_.routers[at.core].base + static_cast<std::uint32_t>(slot);
      const word_queue& q = queues_[number];
      if (q.count != 0 && q.head_time(times_) > at.t) {
        visit_at(at, q.head_time(times_));
      } else if (q.count != 0 && q.head_is_control(times_)) {
        const control_word word = control_word::from_bits(take_word(number, at));
        act(at.t);
        if (word.task()) s_.tasks[at.core].active |= std::uint64_t{1} << *word.task();
        update_runnable(core, at);
        visit_at(at, at.t + 1);
      }
      for (unsigned n = 0; n < q.count; ++n)
        left |= (times_[q.slot_at(n)] & word_queue::control) != 0;
    }
    if (!left) core.flags &= static_cast<std::uint8_t>(~core_state::control_came);
  }

  void retry_start(core_state& core, const place& at) {
    core.main = main_state::busy;
    core.main_until = at.t;
  }

  void run_main(core_state& core, const place& at) {
    if (core.main_until > at.t) return visit_at(at, core.main_until);
    task_state& tasks = s_.tasks[at.core];
    const std::vector<instruction>& body = s_.code.tasks[tasks.task].body;
    act(at.t);
    while (core.main == main_state::busy && core.main_until == at.t) {
      if (tasks.at == body.size()) {
        core.main = main_state::idle;
        return;
      }
      const std::uint32_t number = tasks.at++;
      std::visit([&](const auto& i) { execute(i, core, tasks, number, body, at); }, body[number]);
    }
    if (core.main == main_state::busy) visit_at(at, core.main_until);
  }

  using body_type = std::vector<instruction>;

  void execute(const scalar_work& i, core_state& core, task_state&, std::uint32_t, const body_type&, const place& at) {
    core.main_until = at.t + static_cast<std::uint32_t>(i.cycles);
  }
  void execute(const activate_task& i, core_state& core, task_state& tasks, std::uint32_t, const body_type&,
               const place& at) {
    tasks.active |= std::uint64_t{1} << i.task;
    change_tasks(core, at);
  }
  void execute(const block_task& i, core_state& core, task_state& tasks, std::uint32_t, const body_type&,
               const place& at) {
    tasks.blocked |= std::uint64_t{1} << i.task;
    change_tasks(core, at);
  }
  void execute(const unblock_task& i, core_state& core, task_state& tasks, std::uint32_t, const body_type&,
               const place& at) {
    tasks.blocked &= ~(std::uint64_t{1} << i.task);
    change_tasks(core, at);
  }
  void change_tasks(core_state& core, const place& at) {
    update_runnable(core, at);
    core.main_until = at.t + 1;
  }
  void execute(const timestamp& i, core_state& core, task_state&, std::uint32_t, const body_type&, const place& at) {
    s_.timestamps.push_back({s_.place_of(at.core), i.mark, base::cycles{at.t}});
    core.main_until = at.t + static_cast<std::uint32_t>(s_.chip.core.timestamp_cycles);
  }
  void execute(const begin_loop& i, core_state&, task_state& tasks, std::uint32_t number, const body_type& body,
               const place& at) {
    const std::int64_t count = evaluate(i.count, tasks, at);
    if (count <= 0) {
      int depth = 1;
      for (tasks.at = number + 1; depth > 0; ++tasks.at) {
        if (std::holds_alternative<begin_loop>(body[tasks.at])) ++depth;
        if (std::holds_alternative<end_loop>(body[tasks.at])) --depth;
      }
      return;
    }
    tasks.loop_start[tasks.loops] = number + 1;
    tasks.iteration[tasks.loops] = 0;
    tasks.iterations[tasks.loops] = static_cast<std::uint32_t>(count);
    ++tasks.loops;
  }
  void execute(const end_loop&, core_state& core, task_state& tasks, std::uint32_t, const body_type&, const place& at) {
    const std::size_t level = tasks.loops - 1u;
    if (++tasks.iteration[level] == tasks.iterations[level]) {
      --tasks.loops;
      return;
    }
    tasks.at = tasks.loop_start[level];
    core.main_until = at.t + static_cast<std::uint32_t>(s_.chip.core.loop_back_edge_cycles);
  }
  void execute(const send_control& i, core_state& core, task_state&, std::uint32_t, const body_type&, const place& at) {
    thread_state& thread = threads_[core.first_thread];
    thread = {};
    thread.kind = thread_kind::control;
    thread.control_bits = i.word.bits();
    thread.out = output_queue(core, i.queue, i.color, at);
    s_.colors.sender_begins(queues_[thread.out].color);
    thread.ready_at = at.t;
    core.threads |= 1u;
    core.main = main_state::in_vector;
  }
  void execute(const vector_op& v, core_state& core, task_state& tasks, std::uint32_t number, const body_type&,
               const place& at) {
    const int slot = v.thread ? s_.layout.images[core.image].thread_slot[*v.thread] : 0;
    if ((core.threads >> slot & 1) != 0) {  // comes back when the microthread is free
      tasks.at = number;
      core.main = main_state::wait_thread;
      return;
    }
    start(v, slot, core, tasks, at);
  }

  void start(const vector_op& v, int slot, core_state& core, const task_state& tasks, const place& at) {
    const auto setup = static_cast<std::uint32_t>(s_.chip.core.vector_setup_cycles);
    const std::uint32_t number = core.first_thread + static_cast<std::uint32_t>(slot);
    const std::int64_t length = evaluate(v.length, tasks, at);
    thread_state& thread = threads_[number];
    thread = make_thread(v, s_.chip);
    thread.remaining = static_cast<std::uint32_t>(length > 0 ? length : 0);
    thread.ready_at = at.t + setup;
    if (v.a.where == operand::kind::fabric_in) thread.in_a = input_queue(core, v.a.queue, v.a.color, at);
    if (v.b.where == operand::kind::fabric_in) thread.in_b = input_queue(core, v.b.queue, v.b.color, at);
    if (v.dst.where == operand::kind::fabric_out) {
      thread.out = output_queue(core, v.dst.queue, v.dst.color, at);
      s_.colors.sender_begins(queues_[thread.out].color);
    }
    set_operands(s_.operands[number], v, tasks, at);
    core.threads |= static_cast<std::uint16_t>(1u << slot);
    core.main_until = at.t + setup;
    if (slot == 0) core.main = main_state::in_vector;
    if (length > 0 || thread.closing != 0) {
      if (length <= 0) begin_closing(thread);
      if (slot != 0) thread.ready_at += static_cast<std::uint32_t>(s_.chip.core.microthread_wake_cycles);
      return visit_at(at, thread.ready_at);
    }
    finish(core, slot, at.t + setup - 1, at);
  }

  // All data is sent, the closing control word is next.
  static void begin_closing(thread_state& thread) {
    thread.closing = 0;
    thread.kind = thread_kind::control;
    thread.in_a = thread.in_b = no_queue;
  }

  void set_operands(thread_operands& operands, const vector_op& v, const task_state& tasks, const place& at) {
    operands = {};
    operands.op = &v;
    if (!s_.needs_operands) return;
    operands.dst = static_cast<std::uint32_t>(evaluate(v.dst.address, tasks, at));
    operands.a = static_cast<std::uint32_t>(evaluate(v.a.address, tasks, at));
    operands.b = static_cast<std::uint32_t>(evaluate(v.b.address, tasks, at));
    if (s_.sram && v.op == opcode::multiply_add)
      operands.scalar =
          load_element(*s_.sram, at.core, v.type, static_cast<std::uint32_t>(evaluate(v.scalar_address, tasks, at)));
  }

  std::int64_t evaluate(const affine& a, const task_state& tasks, const place& at) const {
    const std::int64_t inner = tasks.loops > 0 ? tasks.iteration[tasks.loops - 1u] : 0;
    const std::int64_t outer = tasks.loops > 1 ? tasks.iteration[0] : 0;
    return a.is_constant() ? a.at({0, 0}) : a.at(s_.place_of(at.core), inner, outer);
  }

  std::uint32_t input_queue(const core_state& core, queue_id id, color_id color, const place& at) const {
    return s_.routers[at.core].base + static_cast<std::uint32_t>(s_.layout.images[core.image].input_slot(id, color));
  }
  std::uint32_t output_queue(const core_state& core, queue_id id, color_id color, const place& at) const {
    const int slot = s_.layout.images[core.image].output_slot(id, color);
    return s_.layout.merged_into[s_.routers[at.core].base + static_cast<std::uint32_t>(slot)];
  }

  // --- the edge ---

  void feed_edges(const place& at) {
    auto next = std::lower_bound(s_.sources.begin(), s_.sources.end(), at.core,
                                 [](const edge_source& source, std::uint32_t core) { return source.core < core; });
    for (; next != s_.sources.end() && next->core == at.core; ++next) {
      edge_source& source = *next;
      if (source.remaining == 0) continue;
      if (source.next_cycle > at.t) {
        visit_at(at, static_cast<std::uint32_t>(source.next_cycle));
        continue;
      }
      if (!has_room(queues_[source.queue], 0, at)) continue;
      const std::uint32_t word = source.sent < source.values.size() ? source.values[source.sent] : source.sent;
      give_word(source.queue, word, false, at);
      act(at.t);
      ++source.sent;
      if (--source.remaining == 0) s_.colors.sender_ends(queues_[source.queue].color);
      source.next_cycle = at.t + static_cast<std::uint64_t>(source.period);
      if (source.remaining > 0) visit_at(at, static_cast<std::uint32_t>(source.next_cycle));
    }
  }

  wavelet_state& s_;
  word_transfer<StoresWords>& transfer_;
  word_queue* queues_;
  const std::uint32_t* times_;
  core_state* cores_;
  thread_state* threads_;
  std::uint32_t microthread_wake_;
  std::uint32_t dispatch_cycles_;
};

}  // namespace scribeline::fabric
