// The main threads of a burst run.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/fabric/burst_core.h"
#include "rtl_tlm/fabric/wavelet_step.h"

namespace scribeline::fabric {

// --- tasks ---

void burst_core::activate(std::uint32_t core, std::uint64_t task_ids, burst_time now) {
  const burst_class& image = s_.class_of(core);
  burst_block& block = s_.blocks[core];
  for (; task_ids != 0; task_ids &= task_ids - 1) {
    const std::int8_t slot = image.slot_of_task[static_cast<std::size_t>(__builtin_ctzll(task_ids))];
    if (slot >= 0) block.active |= std::uint32_t{1} << slot;
  }
  const bool ready = (block.active & ~block.blocked) != 0 || (image.data_tasks & ~block.blocked) != 0;
  if (block.main == burst_main::idle && ready)
    s_.calendar.add(std::max(now, block.iteration[0]), {core, 0, 0, burst_event_kind::dispatch, false});
}

void burst_core::look_for_task(std::uint32_t core, burst_time now) {
  const burst_class& image = s_.class_of(core);
  burst_block& block = s_.blocks[core];
  burst_time later = never;
  for (std::size_t slot = 0; slot < image.tasks.size(); ++slot) {
    const std::uint32_t bit = std::uint32_t{1} << slot;
    if ((block.blocked & bit) != 0) continue;
    if ((image.data_tasks & bit) != 0) {
      if (!take_trigger(core, image.tasks[slot], now, later)) continue;
    } else if ((block.active & bit) == 0) {
      continue;
    }
    block.active &= ~bit;
    block.task = static_cast<std::uint8_t>(slot);
    block.at = 0;
    s_.act(now);
    main_thread m{core, s_.layout.place_of(core), image, block, now,
                  now + static_cast<burst_time>(s_.chip.core.task_dispatch_cycles)};
    run(m);
    return;
  }
  if (later != never) s_.calendar.add(later, {core, 0, 0, burst_event_kind::dispatch, false});
}

// Takes a data word for a data task, unless an operation reads the queue. `later`: when the next one can be there.
bool burst_core::take_trigger(std::uint32_t core, const burst_task& candidate, burst_time now, burst_time& later) {
  const std::uint32_t number = s_.find_queue(core, candidate.trigger_color, burst_queue::inbox_side);
  if (number == no_index) return false;
  burst_queue& q = s_.queue(number);
  if (q.child != no_index) return false;
  q.advance(now);
  const burst_words open = streams_.open_words(number, q);
  const burst_words arriving = std::max(0, q.to_arrive - (q.left - open));
  const burst_words there = open - arriving + (arriving > 0 && q.arriving != 0 ? one_word : 0);
  if (open < one_word) return false;
  if (there < one_word - one_word / 16) {
    if (arriving > 0 && q.arriving != 0)
      later = std::min(later, now + std::max<burst_time>(1, cycles_to_finish(one_word - there, q.arriving)));
    return false;
  }
  q.left -= one_word;
  streams_.reader_changed(number, now);
  std::uint64_t activated = 0;
  if (streams_.take_controls(number, activated, now)) activate(core, activated, now);
  return true;
}

void burst_core::end_task(main_thread& m) {
  s_.act(m.ahead);
  m.block.main = burst_main::idle;
  m.block.iteration[0] = m.ahead;
  activate(m.core, 0, m.ahead);
}

// --- bodies ---

void burst_core::run(main_thread& m) {
  const burst_task& task = m.image.tasks[m.block.task];
  s_.act(m.ahead);
  m.block.main = burst_main::busy;
  while (m.block.at < task.code->body.size()) {
    const instruction& i = task.code->body[m.block.at++];
    if (!std::visit([&](const auto& kind) { return execute(m, kind); }, i)) return;
  }
  end_task(m);
}

// What other parts of the core may change meanwhile has to wait for the clock. True when it does.
bool burst_core::wait_until_now(main_thread& m) {
  if (m.ahead == m.now) return false;
  --m.block.at;
  s_.calendar.add(m.ahead, {m.core, 0, 0, burst_event_kind::resume, false});
  return true;
}

bool burst_core::execute(main_thread& m, const scalar_work& i) {
  m.ahead += static_cast<burst_time>(i.cycles);
  return true;
}

bool burst_core::execute(main_thread& m, const activate_task& i) {
  m.block.active |= bit_of(m.image, i.task);
  ++m.ahead;
  return true;
}

bool burst_core::execute(main_thread& m, const block_task& i) {
  if (wait_until_now(m)) return false;
  m.block.blocked |= bit_of(m.image, i.task);
  ++m.ahead;
  return true;
}

bool burst_core::execute(main_thread& m, const unblock_task& i) {
  if (wait_until_now(m)) return false;
  m.block.blocked &= ~bit_of(m.image, i.task);
  ++m.ahead;
  return true;
}

bool burst_core::execute(main_thread& m, const timestamp& i) {
  s_.timestamps.push_back({m.where, i.mark, base::cycles{m.ahead}});
  m.ahead += static_cast<burst_time>(s_.chip.core.timestamp_cycles);
  return true;
}

bool burst_core::execute(main_thread& m, const begin_loop& i) {
  const burst_task& task = m.image.tasks[m.block.task];
  const std::uint32_t here = m.block.at - 1u;
  const int depth = task.depth[here];
  if (evaluate_number(m, i.count, depth) <= 0)
    m.block.at = static_cast<std::uint16_t>(task.match[here] + 1);
  else
    m.block.iteration[static_cast<std::size_t>(depth)] = 0;
  return true;
}

bool burst_core::execute(main_thread& m, const end_loop&) {
  const burst_task& task = m.image.tasks[m.block.task];
  const std::uint32_t begin = task.match[m.block.at - 1u];
  const int depth = task.depth[begin];
  const std::int64_t count = evaluate_number(m, std::get<begin_loop>(task.code->body[begin]).count, depth);
  if (++m.block.iteration[static_cast<std::size_t>(depth)] >= count) return true;
  m.block.at = static_cast<std::uint16_t>(begin + 1);
  m.ahead += static_cast<burst_time>(s_.chip.core.loop_back_edge_cycles);
  return true;
}

bool burst_core::execute(main_thread& m, const send_control&) {
  const std::uint32_t number = s_.need_thread(m.core);
  burst_thread& thread = s_.thread(number);
  thread = {};
  thread.kind = burst_thread_kind::control;
  thread.state = burst_thread_state::waiting;
  thread.t = m.ahead;
  thread.left = one_word;
  thread.at = static_cast<std::uint16_t>(m.block.at - 1);
  thread.task = m.block.task;
  m.block.main = burst_main::in_vector;
  schedule(number, thread, std::max(m.ahead, m.now + 0));
  return false;
}

bool burst_core::execute(main_thread& m, const vector_op& v) {
  const int slot = v.thread ? 1 + *v.thread : 0;
  if (slot != 0 && s_.find_thread(m.core, slot) != no_index) {
    if (wait_until_now(m)) return false;
    --m.block.at;
    m.block.main = burst_main::wait_thread;
    return false;
  }
  begin_operation(m, v, slot);
  return m.block.main == burst_main::busy;
}

void burst_core::begin_operation(main_thread& m, const vector_op& v, int slot) {
  const burst_task& task = m.image.tasks[m.block.task];
  const std::uint32_t here = m.block.at - 1u;
  const std::int64_t length = std::max<std::int64_t>(0, evaluate_number(m, v.length, task.depth[here]));
  const auto setup = static_cast<burst_time>(s_.chip.core.vector_setup_cycles);
  const auto wake = static_cast<burst_time>(slot != 0 ? s_.chip.core.microthread_wake_cycles : 0);
  const std::uint32_t number = s_.need_thread(m.core);
  burst_thread& thread = s_.thread(number);
  thread = {};
  thread.slot = static_cast<std::uint8_t>(slot & 0x7f);
  thread.at = static_cast<std::uint16_t>(here);
  thread.task = m.block.task;
  thread.state = burst_thread_state::waiting;
  m.ahead += setup;
  thread.t = m.ahead + wake;
  if (slot == 0) m.block.main = burst_main::in_vector;
  if (length == 0 && !v.closing_control) {
    end_operation(number, thread, m.ahead - 1);
    if (slot == 0) m.block.main = burst_main::busy;
    resumes_at_ = never;  // it goes on anyway
    return;
  }
  set_pace(m, v, length, thread);
  if (length == 0) thread.kind = burst_thread_kind::control;
  if (has_input(m.image, m.core, thread)) schedule(number, thread, thread.t);
}

// Steps of an operation, and the rate at which it could take them if nothing held it up.
void burst_core::set_pace(const main_thread& m, const vector_op& v, std::int64_t length, burst_thread& thread) const {
  const thread_state model = make_thread(v, s_.chip);
  const bool local = model.kind == thread_kind::local;
  thread.kind = local ? burst_thread_kind::local : burst_thread_kind::fabric;
  const std::int64_t steps = local ? ((length << 16) + model.rate - 1) / model.rate
                                   : (length + model.elements - 1) / model.elements;
  if (steps > max_burst_words)
    throw std::length_error(fmt::format("{}: an operation of {} elements; the burst engine takes at most {} words",
                                        to_string(m.where), length, max_burst_words));
  thread.left = static_cast<burst_words>(steps) * one_word;
  thread.limit = rate_of(1, local ? 1 : model.step_cycles);
  const core::core_timing& core = s_.chip.core;
  if (v.dst.where == operand::kind::fabric_out) {
    const auto color = static_cast<std::size_t>(m.image.output_color[static_cast<std::size_t>(v.dst.queue)]);
    const std::int64_t round_trip = core.execute_cycles + s_.chip.ramp_send_cycles + 1 +
                                    (thread.slot != 0 ? core.microthread_wake_cycles : 0);
    thread.limit = std::min(thread.limit, rate_of(m.image.output_words[color], round_trip));
  }
  for (const operand* o : {&v.a, &v.b})
    if (o->where == operand::kind::fabric_in) {
      const auto color = static_cast<std::size_t>(m.image.input_color[static_cast<std::size_t>(o->queue)]);
      thread.limit = std::min(thread.limit, rate_of(m.image.input_words[color], s_.chip.ramp_receive_cycles + 1));
    }
}

std::int64_t burst_core::evaluate_number(const main_thread& m, const affine& a, int depth) const {
  const std::int64_t inner = depth > 0 ? m.block.iteration[static_cast<std::size_t>(depth - 1)] : 0;
  const std::int64_t outer = depth > 1 ? m.block.iteration[0] : 0;
  return a.at(m.where, inner, outer);
}

}  // namespace scribeline::fabric
