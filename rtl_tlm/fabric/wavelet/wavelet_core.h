// One core in one cycle: completions, then the main thread, then one step of one vector operation.
#pragma once

#include <algorithm>

#include "rtl_tlm/fabric/program/vector_timing.h"
#include "rtl_tlm/fabric/wavelet/wavelet_datapath.h"

namespace scribeline::fabric {

template <bool StoresWords>
class wavelet_core {
 public:
  wavelet_core(wavelet_state& s, word_transfer<StoresWords>& transfer)
      : s_(s),
        transfer_(transfer),
        datapath_(s, transfer),
        queues_(s.queues.data()),
        times_(s.slot_times.data()),
        cores_(s.cores.data()),
        threads_(s.threads.data()) {}

  void visit(std::uint32_t number, std::uint32_t t) {
    const core_visit at{number, t};
    core_state& core = cores_[at.core];
    if ((core.flags & core_state::control_came) != 0) take_control_words(core, at);
    if ((core.flags & core_state::edge_sources) != 0) feed_edges(at);
    if (core.completing != 0) complete_threads(core, at);
    if (core.main == main_state::wait_thread) retry_start(core, at);
    if (core.main == main_state::busy) run_main(core, at);
    if (core.main == main_state::idle && (core.flags & (core_state::runnable | core_state::data_tasks)) != 0)
      dispatch(core, at);
    const std::uint32_t running = core.threads & ~std::uint32_t{core.completing};
    if (running != 0) datapath_.step(core, running, at);
  }

 private:
  void visit_at(const core_visit& at, std::uint32_t cycle) { datapath_.visit_at(at, cycle); }

  void act(std::uint32_t t) { transfer_.act(t); }

  void complete_threads(core_state& core, const core_visit& at) {
    for (std::uint32_t rest = core.completing; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      const std::uint32_t number = core.first_thread + static_cast<std::uint32_t>(slot);
      if (threads_[number].ready_at > at.t) {
        visit_at(at, threads_[number].ready_at);
        continue;
      }
      core.completing &= static_cast<std::uint16_t>(~(1u << slot));
      core.threads &= static_cast<std::uint16_t>(~(1u << slot));
      const vector_op& op = *threads_[number].op;
      if (op.activates) s_.tasks[at.core].active |= std::uint64_t{1} << *op.activates;
      if (op.unblocks) s_.tasks[at.core].blocked &= ~(std::uint64_t{1} << *op.unblocks);
      update_runnable(core, at);
      if (op.activates || op.unblocks) act(at.t);
    }
  }

  // --- the main thread ---

  void update_runnable(core_state& core, const core_visit& at) {
    const task_state& tasks = s_.tasks[at.core];
    const bool any = (tasks.active & ~tasks.blocked) != 0;
    core.flags =
        static_cast<std::uint8_t>(any ? core.flags | core_state::runnable : core.flags & ~core_state::runnable);
  }

  void dispatch(core_state& core, const core_visit& at) {
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
  bool take_trigger(const core_state& core, const class_task& candidate, const core_visit& at) {
    const std::uint32_t number = s_.routers[at.core].base + static_cast<std::uint32_t>(candidate.trigger_slot);
    if (!datapath_.has_data(queues_[number], at) || is_read(core, number)) return false;
    const std::uint32_t word = datapath_.take_word(number, at);
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
  void take_control_words(core_state& core, const core_visit& at) {
    const class_image& image = s_.layout.images[core.image];
    bool left = false;
    for (std::size_t slot = static_cast<std::size_t>(image.router_queues); slot < image.queues.size(); ++slot) {
      const std::uint32_t number = s_.routers[at.core].base + static_cast<std::uint32_t>(slot);
      const word_queue& q = queues_[number];
      if (q.count != 0 && q.head_time(times_) > at.t) {
        visit_at(at, q.head_time(times_));
      } else if (q.count != 0 && q.head_is_control(times_)) {
        const control_word word = control_word::from_bits(datapath_.take_word(number, at));
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

  void retry_start(core_state& core, const core_visit& at) {
    core.main = main_state::busy;
    core.main_until = at.t;
  }

  void run_main(core_state& core, const core_visit& at) {
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

  void execute(const scalar_work& i, core_state& core, task_state&, std::uint32_t, const body_type&,
               const core_visit& at) {
    core.main_until = at.t + static_cast<std::uint32_t>(i.cycles);
  }
  void execute(const activate_task& i, core_state& core, task_state& tasks, std::uint32_t, const body_type&,
               const core_visit& at) {
    const bool happens = !i.condition || holds(*i.condition, tasks, at);
    if (happens) {
      tasks.active |= std::uint64_t{1} << i.task;
      change_tasks(core, at);
    }
    if (i.condition) core.main_until = at.t + static_cast<std::uint32_t>(s_.chip.core.test_cycles(!happens) + happens);
  }
  bool holds(const data_condition& condition, const task_state& tasks, const core_visit& at) const {
    if (!s_.sram) return *condition.assumed;
    const auto address = static_cast<std::uint32_t>(evaluate(condition.address, tasks, at));
    return load_element(*s_.sram, at.core, element_type::int16, address) != 0;
  }
  void execute(const block_task& i, core_state& core, task_state& tasks, std::uint32_t, const body_type&,
               const core_visit& at) {
    tasks.blocked |= std::uint64_t{1} << i.task;
    change_tasks(core, at);
  }
  void execute(const unblock_task& i, core_state& core, task_state& tasks, std::uint32_t, const body_type&,
               const core_visit& at) {
    tasks.blocked &= ~(std::uint64_t{1} << i.task);
    change_tasks(core, at);
  }
  void change_tasks(core_state& core, const core_visit& at) {
    update_runnable(core, at);
    core.main_until = at.t + 1;
  }
  void execute(const timestamp& i, core_state& core, task_state&, std::uint32_t, const body_type&,
               const core_visit& at) {
    s_.timestamps.push_back({s_.place_of(at.core), i.mark, base::cycles{at.t}});
    core.main_until = at.t + static_cast<std::uint32_t>(s_.chip.core.timestamp_cycles);
  }
  void execute(const begin_loop& i, core_state&, task_state& tasks, std::uint32_t number, const body_type& body,
               const core_visit& at) {
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
  void execute(const end_loop&, core_state& core, task_state& tasks, std::uint32_t, const body_type&,
               const core_visit& at) {
    const std::size_t level = tasks.loops - 1u;
    if (++tasks.iteration[level] == tasks.iterations[level]) {
      --tasks.loops;
      return;
    }
    tasks.at = tasks.loop_start[level];
    core.main_until = at.t + static_cast<std::uint32_t>(s_.chip.core.loop_back_edge_cycles);
  }
  void execute(const send_control& i, core_state& core, task_state&, std::uint32_t, const body_type&,
               const core_visit& at) {
    thread_state& thread = threads_[core.first_thread];
    thread = {};
    thread.kind = thread_kind::control;
    thread.remaining = i.word.bits();
    thread.out = output_queue(core, i.queue, i.color, at);
    s_.colors.sender_begins(queues_[thread.out].color);
    thread.ready_at = at.t;
    core.threads |= 1u;
    core.main = main_state::in_vector;
  }
  void execute(const vector_op& v, core_state& core, task_state& tasks, std::uint32_t number, const body_type&,
               const core_visit& at) {
    const int slot = v.thread ? s_.layout.images[core.image].thread_slot[*v.thread] : 0;
    if ((core.threads >> slot & 1) != 0) {  // comes back when the microthread is free
      tasks.at = number;
      core.main = main_state::wait_thread;
      return;
    }
    start(v, slot, core, tasks, at);
  }

  void start(const vector_op& v, int slot, core_state& core, const task_state& tasks, const core_visit& at) {
    const auto setup = static_cast<std::uint32_t>(s_.chip.core.vector_setup_cycles - v.kept_descriptors);
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
    if (!s_.operands.empty()) set_operands(s_.operands[number], v, tasks, at);
    core.threads |= static_cast<std::uint16_t>(1u << slot);
    core.main_until = at.t + setup;
    if (slot == 0) core.main = main_state::in_vector;
    if (length > 0 || thread.closing != 0) {
      if (length <= 0) datapath_.begin_closing(thread);
      if (slot != 0) thread.ready_at += static_cast<std::uint32_t>(s_.chip.core.microthread_wake_cycles);
      return visit_at(at, thread.ready_at);
    }
    datapath_.finish(core, slot, at.t + setup - 1, at);
  }

  void set_operands(thread_operands& operands, const vector_op& v, const task_state& tasks, const core_visit& at) {
    operands = {};
    operands.op = &v;
    operands.rate = timing_of(v, s_.chip).elements_per_cycle;
    if (!s_.needs_operands) return;
    operands.dst = static_cast<std::uint32_t>(evaluate(v.dst.address, tasks, at));
    operands.a = static_cast<std::uint32_t>(evaluate(v.a.address, tasks, at));
    operands.b = static_cast<std::uint32_t>(evaluate(v.b.address, tasks, at));
    if (s_.sram && v.op == opcode::multiply_add)
      operands.scalar =
          load_element(*s_.sram, at.core, v.type, static_cast<std::uint32_t>(evaluate(v.scalar_address, tasks, at)));
  }

  std::int64_t evaluate(const affine& a, const task_state& tasks, const core_visit& at) const {
    const std::int64_t inner = tasks.loops > 0 ? tasks.iteration[tasks.loops - 1u] : 0;
    const std::int64_t outer = tasks.loops > 1 ? tasks.iteration[0] : 0;
    return a.is_constant() ? a.at({0, 0}) : a.at(s_.place_of(at.core), inner, outer);
  }

  std::uint32_t input_queue(const core_state& core, queue_id id, color_id color, const core_visit& at) const {
    return s_.routers[at.core].base + static_cast<std::uint32_t>(s_.layout.images[core.image].input_slot(id, color));
  }
  std::uint32_t output_queue(const core_state& core, queue_id id, color_id color, const core_visit& at) const {
    const int slot = s_.layout.images[core.image].output_slot(id, color);
    return s_.layout.merged_into[s_.routers[at.core].base + static_cast<std::uint32_t>(slot)];
  }

  // --- the edge ---

  void feed_edges(const core_visit& at) {
    auto next = std::lower_bound(s_.sources.begin(), s_.sources.end(), at.core,
                                 [](const edge_source& source, std::uint32_t core) { return source.core < core; });
    for (; next != s_.sources.end() && next->core == at.core; ++next) {
      edge_source& source = *next;
      if (source.remaining == 0) continue;
      if (source.next_cycle > at.t) {
        visit_at(at, static_cast<std::uint32_t>(source.next_cycle));
        continue;
      }
      if (!datapath_.has_room(queues_[source.queue], 0, at)) continue;
      const std::uint32_t word = source.sent < source.values.size() ? source.values[source.sent] : source.sent;
      datapath_.give_word(source.queue, word, false, at);
      act(at.t);
      ++source.sent;
      if (--source.remaining == 0) s_.colors.sender_ends(queues_[source.queue].color);
      source.next_cycle = at.t + static_cast<std::uint64_t>(source.period);
      if (source.remaining > 0) visit_at(at, static_cast<std::uint32_t>(source.next_cycle));
    }
  }

  wavelet_state& s_;
  word_transfer<StoresWords>& transfer_;
  wavelet_datapath<StoresWords> datapath_;
  word_queue* queues_;
  const std::uint32_t* times_;
  core_state* cores_;
  thread_state* threads_;
};

}  // namespace scribeline::fabric
