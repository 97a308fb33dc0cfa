// The main threads of a burst run.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/fabric/burst/burst_core.h"
#include "rtl_tlm/fabric/program/vector_timing.h"

namespace scribeline::fabric {

// --- tasks ---

void burst_core::activate(const burst_site& site, std::uint64_t task_ids, burst_time now) {
  burst_block& block = s_.blocks[site.core];
  for (; task_ids != 0; task_ids &= task_ids - 1) {
    const std::int8_t slot = site.image->slot_of_task[static_cast<std::size_t>(__builtin_ctzll(task_ids))];
    if (slot >= 0) block.active |= std::uint32_t{1} << slot;
  }
  if (block.main == burst_main::idle && ((block.active | site.image->data_tasks) & ~block.blocked) != 0)
    s_.calendar.add(std::max(now, block.iteration[0]), {site.core, 0, 0, burst_event_kind::dispatch, false});
}

void burst_core::look_for_task(const burst_site& site, burst_time now) {
  burst_block& block = s_.blocks[site.core];
  burst_time later = never;
  for (std::size_t slot = 0; slot < site.image->tasks.size(); ++slot) {
    const std::uint32_t bit = std::uint32_t{1} << slot;
    if ((block.blocked & bit) != 0) continue;
    if ((site.image->data_tasks & bit) != 0) {
      if (!take_trigger(site, site.image->tasks[slot], now, later)) continue;
    } else if ((block.active & bit) == 0) {
      continue;
    }
    block.active &= ~bit;
    block.task = static_cast<std::uint8_t>(slot);
    block.at = 0;
    s_.act(now);
    main_thread m{site, block, now, now + static_cast<burst_time>(s_.chip.core.task_dispatch_cycles)};
    run(m);
    return;
  }
  if (later != never) s_.calendar.add(later, {site.core, 0, 0, burst_event_kind::dispatch, false});
}

// Takes a data word for a data task, unless an operation reads the queue. `later`: when the next one can be there.
bool burst_core::take_trigger(const burst_site& site, const burst_task& candidate, burst_time now, burst_time& later) {
  constexpr burst_words nearly_a_word = one_word - one_word / 16;
  const std::uint32_t number = s_.find_queue(site.core, candidate.trigger_color, burst_queue::inbox_side);
  if (number == no_index) return false;
  burst_queue& q = s_.queue(number);
  if (q.child != no_index) return false;
  q.advance(now);
  const burst_words open = streams_.open_words(number, q);
  const burst_words arriving = std::max(0, q.to_arrive - (q.left - open));
  const bool comes = arriving > 0 && q.arriving != 0;
  const burst_words there = open - arriving + (comes ? one_word : 0);  // the word that comes is there when it begins
  if (open < one_word) return false;
  if (there < nearly_a_word) {
    if (comes) later = std::min(later, now + std::max<burst_time>(1, cycles_to_finish(one_word - there, q.arriving)));
    return false;
  }
  q.left -= one_word;
  streams_.reader_changed(number, q, now);
  std::uint64_t activated = 0;
  streams_.take_controls(number, activated, now);
  activate(site, activated, now);
  return true;
}

void burst_core::end_task(main_thread& m) {
  s_.act(m.ahead);
  m.block.main = burst_main::idle;
  m.block.iteration[0] = m.ahead;
  activate(m.site, 0, m.ahead);
}

// --- bodies ---

void burst_core::run(main_thread& m) {
  s_.act(m.ahead);
  m.block.main = burst_main::busy;
  const std::vector<instruction>& body = m.task().code->body;
  while (m.block.at < body.size()) {
    const instruction& i = body[m.block.at++];
    if (!std::visit([&](const auto& kind) { return execute(m, kind); }, i)) return;
  }
  end_task(m);
}

// Behind a synchronous operation.
void burst_core::go_on(const burst_site& site, burst_time at) {
  burst_block& block = s_.blocks[site.core];
  main_thread m{site, block, 0, at};
  run(m);
}

// What other parts of the core may change meanwhile has to wait for the clock. True when it does.
bool burst_core::wait_for_the_clock(main_thread& m) {
  if (m.ahead == m.now) return false;
  --m.block.at;
  s_.calendar.add(m.ahead, {m.site.core, 0, 0, burst_event_kind::resume, false});
  return true;
}

bool burst_core::execute(main_thread& m, const scalar_work& i) {
  m.ahead += static_cast<burst_time>(i.cycles);
  return true;
}

bool burst_core::execute(main_thread& m, const activate_task& i) {
  const bool happens = !i.condition || *i.condition->assumed;
  if (i.condition) m.ahead += static_cast<burst_time>(s_.chip.core.test_cycles(!happens));
  if (!happens) return true;
  m.block.active |= bit_of(m, i.task);
  ++m.ahead;
  return true;
}

bool burst_core::execute(main_thread& m, const block_task& i) {
  if (wait_for_the_clock(m)) return false;
  m.block.blocked |= bit_of(m, i.task);
  ++m.ahead;
  return true;
}

bool burst_core::execute(main_thread& m, const unblock_task& i) {
  if (wait_for_the_clock(m)) return false;
  m.block.blocked &= ~bit_of(m, i.task);
  ++m.ahead;
  return true;
}

bool burst_core::execute(main_thread& m, const timestamp& i) {
  timestamp_record& record = s_.timestamps.emplace_back();
  record.where = m.site.at;
  record.mark = i.mark;
  record.cycle = base::cycles{m.ahead};
  m.ahead += static_cast<burst_time>(s_.chip.core.timestamp_cycles);
  return true;
}

bool burst_core::execute(main_thread& m, const begin_loop& i) {
  const std::uint32_t here = m.block.at - 1u;
  const int depth = m.task().depth[here];
  if (evaluate_number(m, i.count, depth) <= 0)
    m.block.at = static_cast<std::uint16_t>(m.task().match[here] + 1);
  else
    m.block.iteration[static_cast<std::size_t>(depth)] = 0;
  return true;
}

bool burst_core::execute(main_thread& m, const end_loop&) {
  const std::uint32_t begin = m.task().match[m.block.at - 1u];
  const int depth = m.task().depth[begin];
  const std::int64_t count = evaluate_number(m, std::get<begin_loop>(m.task().code->body[begin]).count, depth);
  if (++m.block.iteration[static_cast<std::size_t>(depth)] >= count) return true;
  m.block.at = static_cast<std::uint16_t>(begin + 1);
  m.ahead += static_cast<burst_time>(s_.chip.core.loop_back_edge_cycles);
  // A loop may be long: from time to time it lets the clock catch up, so that a run can be limited and interrupted.
  constexpr burst_time far_ahead = 1u << 14;
  if (m.ahead - s_.calendar.now() < far_ahead) return true;
  s_.calendar.add(m.ahead, {m.site.core, 0, 0, burst_event_kind::resume, false});
  return false;
}

// --- operations ---

burst_thread& burst_core::new_thread(const main_thread& m, burst_operation_kind kind, std::uint32_t& number) {
  number = s_.need_thread(m.site.core);
  burst_thread& thread = s_.thread(number);
  thread = {};
  thread.kind = kind;
  thread.state = burst_thread_state::waiting;
  thread.at = static_cast<std::uint16_t>(m.block.at - 1);
  thread.task = m.block.task;
  thread.left = one_word;
  thread.t = m.ahead;
  return thread;
}

bool burst_core::execute(main_thread& m, const send_control&) {
  std::uint32_t number = 0;
  burst_thread& thread = new_thread(m, burst_operation_kind::control, number);
  m.block.main = burst_main::in_vector;
  schedule(number, thread, thread.t);
  return false;
}

bool burst_core::execute(main_thread& m, const vector_op& v) {
  const std::uint32_t here = m.block.at - 1u;
  const burst_operation& o = m.task().operations[here];
  if (o.slot != 0 && s_.find_thread(m.site.core, o.slot) != no_index) {
    if (wait_for_the_clock(m)) return false;
    --m.block.at;
    m.block.main = burst_main::wait_thread;
    return false;
  }
  const std::int64_t length = std::max<std::int64_t>(
      0, o.has_constant_length ? v.length.base + v.length.offset : evaluate_number(m, v.length, m.task().depth[here]));
  m.ahead += static_cast<burst_time>(s_.chip.core.vector_setup_cycles - v.kept_descriptors);
  if (length == 0 && !o.control && o.slot == 0) return true;
  std::uint32_t number = 0;
  burst_thread& thread = new_thread(m, length > 0 ? o.kind : burst_operation_kind::control, number);
  thread.slot = o.slot & 0x7fu;
  if (length == 0 && !o.control) {
    end_operation(m.site, number, thread, m.ahead - 1);
    return true;
  }
  if (o.slot == 0)
    m.block.main = burst_main::in_vector;
  else
    thread.t += static_cast<burst_time>(s_.chip.core.microthread_wake_cycles);
  if (length > 0) set_steps(m, o, length, thread);
  if (has_input(m.site, thread)) schedule(number, thread, thread.t);
  return o.slot != 0;
}

// Steps of an operation, and the rate at which it could take them if nothing held it up.
void burst_core::set_steps(const main_thread& m, const burst_operation& o, std::int64_t length,
                           burst_thread& thread) const {
  const std::int64_t steps = o.kind == burst_operation_kind::local
                                 ? ((length << rate_fraction_bits) + o.elements_per_cycle - 1) / o.elements_per_cycle
                                 : (length + o.elements - 1) / o.elements;
  if (steps > max_burst_words)
    throw std::length_error(fmt::format("{}: an operation of {} elements; the burst engine takes at most {} words",
                                        to_string(m.site.at), length, max_burst_words));
  thread.left = static_cast<burst_words>(steps) * one_word;
  thread.limit = o.limit;
}

std::int64_t burst_core::evaluate_number(const main_thread& m, const affine& a, int depth) const {
  const std::int64_t inner = depth > 0 ? m.block.iteration[static_cast<std::size_t>(depth - 1)] : 0;
  const std::int64_t outer = depth > 1 ? m.block.iteration[0] : 0;
  return a.at(m.site.at, inner, outer);
}

}  // namespace scribeline::fabric
