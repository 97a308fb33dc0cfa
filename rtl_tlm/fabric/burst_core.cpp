#include "rtl_tlm/fabric/burst_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/fabric/wavelet_step.h"

namespace scribeline::fabric {
namespace {

constexpr burst_words tolerance = one_word / 16;

const vector_op* operation_of(const instruction& i) {
  return std::get_if<vector_op>(&i);
}

bool is_live(const burst_thread& thread) {
  return thread.state != burst_thread_state::unused;
}

}  // namespace

// --- sharing the datapath ---

void burst_core::find_inputs(const burst_class& image, std::uint32_t core, runner& r) {
  if (r.thread->kind != burst_thread_kind::fabric) return;
  const vector_op& v = *operation_of(code_of(image, *r.thread));
  const auto look = [&](const operand& o) {
    if (o.where != operand::kind::fabric_in) return;
    const color_id color = image.input_color[static_cast<std::size_t>(o.queue)];
    const std::uint32_t found = s_.find_queue(core, color, burst_queue::inbox_side);
    if (found != no_index) s_.queue(found).child = r.number;
    r.in[static_cast<std::size_t>(r.inputs++)] = found;
  };
  look(v.a);
  look(v.b);
}

// What an inbox can give: its backlog at once, then what arrives.
burst_rate burst_core::input_rate(std::uint32_t number, burst_time now) {
  if (number == no_index) return 0;
  burst_queue& q = s_.queue(number);
  q.advance(now);
  const burst_words open = streams_.open_words(number, q);
  const burst_words arriving = std::max(0, q.to_arrive - (q.left - open));
  if (open <= 0) return 0;
  if (arriving == 0) return full_rate;
  const burst_words backlog = open - arriving;
  if (backlog < -tolerance) return 0;  // the words so far are taken, the next has not come
  return backlog > 0 && backlog >= moved(static_cast<burst_rate>(full_rate - q.arriving), 1) ? full_rate : q.arriving;
}

// Brings an operation to the present. When its words ran out in between, it has taken whole ones.
void burst_core::catch_up(const runner& r, burst_time now) {
  burst_thread& thread = *r.thread;
  thread.left = thread.left_at(now);
  if (thread.state == burst_thread_state::moving) thread.t = now;
  for (int i = 0; i < r.inputs; ++i) {
    const std::uint32_t number = r.in[static_cast<std::size_t>(i)];
    if (number == no_index) continue;
    burst_queue& q = s_.queue(number);
    q.advance(now);
    if (thread.rate != 0 && streams_.open_words(number, q) <= 0)
      thread.left = (thread.left + one_word - tolerance) / one_word * one_word;
  }
}

burst_rate burst_core::demand(const runner& r, burst_time now) {
  burst_rate wanted = r.thread->limit;
  for (int i = 0; i < r.inputs; ++i)
    wanted = std::min(wanted, input_rate(r.in[static_cast<std::size_t>(i)], now));
  if (wanted == 0 || r.thread->out == no_index) return wanted;
  return std::min(wanted, streams_.room_rate(r.thread->out, now));
}

// The datapath takes one step per cycle and the ramp brings one word per cycle; operations that ask for less than
// their turn leave the rest to the others.
void burst_core::share(runner* first, std::size_t count) {
  int steps = full_rate;
  int words = full_rate;
  std::array<bool, max_threads> settled{};
  for (std::size_t round = 0; round < count; ++round) {
    int users = 0;
    int inputs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (settled[i] || first[i].demand == 0) continue;
      ++users;
      inputs += first[i].inputs;
    }
    std::size_t least = count;
    int least_rate = full_rate + 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (settled[i]) continue;
      int turn = first[i].demand;
      if (turn > 0) turn = std::min(turn, steps / users);
      if (turn > 0 && first[i].inputs > 0) turn = std::min(turn, words / inputs);
      if (turn >= least_rate) continue;
      least = i;
      least_rate = turn;
    }
    settled[least] = true;
    first[least].granted = static_cast<burst_rate>(least_rate);
    steps -= least_rate;
    words -= least_rate * first[least].inputs;
  }
}

void burst_core::evaluate(std::uint32_t core, burst_time now) {
  const burst_class& image = s_.class_of(core);
  std::uint64_t activated = 0;
  finish_those_done(core, image, now);
  s_.for_queues(core, [&](std::uint32_t number, burst_queue& q) {
    if (!q.is_inbox() || (q.flags & burst_queue::has_hold) == 0) return;
    q.advance(now);
    streams_.take_controls(number, activated, now);
  });
  if (activated != 0) activate(core, activated, now);
  resume_if_ended(core, now);

  std::array<runner, max_threads> runners;
  std::size_t count = 0;
  s_.for_threads(core, [&](std::uint32_t number, burst_thread& thread) {
    if (thread.state != burst_thread_state::waiting && thread.state != burst_thread_state::moving) return;
    if (thread.state == burst_thread_state::waiting && thread.t > now) {
      if (has_input(image, core, thread)) schedule(number, thread, thread.t);
      return;
    }
    if (thread.kind == burst_thread_kind::control) return send_control_word(image, core, number, thread, now);
    if (try_local_alone(core, number, thread, now)) return;
    runner& r = runners[count++];
    r.number = number;
    r.thread = &thread;
    find_inputs(image, core, r);
    catch_up(r, now);
    r.demand = demand(r, now);
    r.granted = r.demand;
  });
  if (count > 1 || (count == 1 && runners[0].inputs > 1)) share(runners.data(), count);
  for (std::size_t i = 0; i < count; ++i)
    apply(image, core, runners[i], now);
  resume_if_ended(core, now);
}

// The main thread goes on behind a synchronous operation that ended.
void burst_core::resume_if_ended(std::uint32_t core, burst_time now) {
  if (resumes_at_ == never) return;
  main_thread m{core, s_.layout.place_of(core), s_.class_of(core), s_.blocks[core], now, resumes_at_};
  resumes_at_ = never;
  run(m);
}

void burst_core::open_output(const burst_class& image, std::uint32_t core, const runner& r, burst_time now) {
  const vector_op* v = operation_of(code_of(image, *r.thread));
  if (v == nullptr || v->dst.where != operand::kind::fabric_out) return;
  const color_id color = image.output_color[static_cast<std::size_t>(v->dst.queue)];
  r.thread->out = streams_.target_of_core(core, color, mover_of(burst_mover::thread, r.number), r.thread->slot != 0, now);
}

void burst_core::apply(const burst_class& image, std::uint32_t core, runner& r, burst_time now) {
  burst_thread& thread = *r.thread;
  const bool begins = thread.state == burst_thread_state::waiting;
  if (begins && r.granted == 0) return;
  if (begins) {
    thread.state = burst_thread_state::moving;
    thread.t = now;
    thread.rate = r.granted;
    open_output(image, core, r, now);
    if (thread.out != no_index)
      streams_.announce(thread.out, static_cast<std::uint32_t>(thread.left / one_word), thread.rate, true, now);
  } else if (thread.rate != r.granted) {
    thread.rate = r.granted;
    if (thread.out != no_index) streams_.change_rate(thread.out, thread.left, thread.rate, now);
  }
  for (int i = 0; i < r.inputs; ++i) {
    const std::uint32_t number = r.in[static_cast<std::size_t>(i)];
    if (number == no_index) continue;
    s_.queue(number).leaving = thread.rate;
    streams_.reader_changed(number, now);
  }
  const burst_time next = next_change(r, now);
  if (next != never) schedule(r.number, thread, next);
}

// When an operation ends or runs out of words at its present rate.
burst_time burst_core::next_change(const runner& r, burst_time now) {
  const burst_thread& thread = *r.thread;
  burst_time next = thread.rate == 0 ? never : now + cycles_to_move(thread.left - one_word, thread.rate);
  for (int i = 0; i < r.inputs; ++i) {
    const std::uint32_t number = r.in[static_cast<std::size_t>(i)];
    if (number == no_index) continue;
    const burst_queue& q = s_.queue(number);
    const burst_words open = streams_.open_words(number, q);
    const burst_words arriving = std::max(0, q.to_arrive - (q.left - open));
    const burst_words backlog = open - arriving;
    burst_time until = never;
    if (arriving > 0 && backlog < -tolerance)
      until = cycles_to_finish(-backlog, q.arriving);
    else if (thread.rate != 0 && arriving > 0 && thread.rate > q.arriving)
      until = std::max<burst_time>(1, cycles_to_move(backlog, static_cast<burst_rate>(thread.rate - q.arriving)));
    else if (thread.rate != 0)
      until = cycles_to_finish(open, thread.rate);
    if (until != never) next = std::min(next, now + until);
  }
  return next;
}

void burst_core::schedule(std::uint32_t number, burst_thread& thread, burst_time at) {
  const auto low = static_cast<std::uint16_t>(at);
  if (thread.has_wake != 0 && thread.wake == low) return;
  thread.wake = low;
  thread.has_wake = 1;
  s_.calendar.add(at, {number, 0, 0, burst_event_kind::thread_wake, false});
}

// --- ends of operations ---

bool burst_core::is_done(const burst_thread& thread, burst_time now) const {
  return thread.state == burst_thread_state::moving && thread.rate != 0 &&
         thread.t + cycles_to_move(thread.left - one_word, thread.rate) <= now;
}

// When words run out in the cycle in which the last would have been taken, it has not come.
bool burst_core::has_last_word(std::uint32_t number, const burst_thread& thread, burst_time now) {
  if (number == no_index) return false;
  burst_queue& q = s_.queue(number);
  q.advance(now);
  return streams_.open_words(number, q) > thread.left_at(now) - one_word / 2;
}

bool burst_core::finish_those_done(std::uint32_t core, const burst_class& image, burst_time now) {
  bool any = false;
  s_.for_threads(core, [&](std::uint32_t number, burst_thread& thread) {
    if (!is_done(thread, now)) return;
    runner r;
    r.number = number;
    r.thread = &thread;
    find_inputs(image, core, r);
    for (int i = 0; i < r.inputs; ++i)
      if (!has_last_word(r.in[static_cast<std::size_t>(i)], thread, now)) return;
    finish(image, r, now);
    any = true;
  });
  return any;
}

// The last step begins in this cycle.
void burst_core::finish(const burst_class& image, runner& r, burst_time now) {
  burst_thread& thread = *r.thread;
  const vector_op& v = *operation_of(code_of(image, thread));
  const burst_words rest = thread.left_at(now);
  for (int i = 0; i < r.inputs; ++i)
    if (r.in[static_cast<std::size_t>(i)] != no_index) take_rest(r.in[static_cast<std::size_t>(i)], rest, now);
  thread.left = 0;
  thread.rate = 0;
  const burst_time cycles = thread.kind == burst_thread_kind::local ? 1 : make_thread(v, s_.chip).step_cycles;
  s_.act(thread.kind == burst_thread_kind::local ? now : now);
  if (v.closing_control) {
    thread.kind = burst_thread_kind::control;
    thread.state = burst_thread_state::waiting;
    thread.t = now + cycles;
    schedule(r.number, thread, thread.t);
    return;
  }
  end_operation(r.number, thread, now + cycles - 1);
}

// The reader of an inbox has taken whole words by now, the last ones in this cycle.
void burst_core::take_rest(std::uint32_t number, burst_words words, burst_time now) {
  burst_queue& q = s_.queue(number);
  q.advance(now);
  const burst_words left = q.left - words;
  q.left = left <= 0 ? 0 : (left + one_word / 2) / one_word * one_word;
  q.leaving = 0;
  q.child = no_index;
  streams_.reader_changed(number, now);
}

void burst_core::end_operation(std::uint32_t number, burst_thread& thread, burst_time end) {
  thread.out = no_index;
  if (thread.slot != 0) {
    thread.state = burst_thread_state::completing;
    thread.t = end + static_cast<burst_time>(s_.chip.core.completion_cycles);
    schedule(number, thread, thread.t);
    return;
  }
  thread.state = burst_thread_state::unused;
  resumes_at_ = end + 1;
}

void burst_core::complete(std::uint32_t core, burst_thread& thread, burst_time now) {
  const burst_class& image = s_.class_of(core);
  const vector_op* v = operation_of(code_of(image, thread));
  thread.state = burst_thread_state::unused;
  burst_block& block = s_.blocks[core];
  if (v->activates) block.active |= bit_of(image, *v->activates);
  if (v->unblocks) block.blocked &= ~bit_of(image, *v->unblocks);
  if (v->activates || v->unblocks) {
    s_.act(now);
    activate(core, 0, now);
  }
  if (block.main == burst_main::wait_thread) {
    block.main = burst_main::busy;
    s_.calendar.add(now, {core, 0, 0, burst_event_kind::resume, false});
  }
}

void burst_core::send_control_word(const burst_class& image, std::uint32_t core, std::uint32_t number,
                                   burst_thread& thread, burst_time now) {
  const instruction& i = code_of(image, thread);
  const vector_op* v = operation_of(i);
  const control_word word = v != nullptr ? *v->closing_control : std::get<send_control>(i).word;
  const queue_id queue = v != nullptr ? v->dst.queue : std::get<send_control>(i).queue;
  const color_id color = image.output_color[static_cast<std::size_t>(queue)];
  const std::uint32_t target =
      streams_.target_of_core(core, color, mover_of(burst_mover::thread, number), thread.slot != 0, now);
  streams_.announce_control(target, word.bits(), now);
  s_.act(now);
  end_operation(number, thread, now);
}

// A synchronous operation in SRAM with the core to itself runs to its end.
bool burst_core::try_local_alone(std::uint32_t core, std::uint32_t number, burst_thread& thread, burst_time now) {
  if (thread.kind != burst_thread_kind::local || thread.slot != 0 || thread.state != burst_thread_state::waiting ||
      s_.options.bank_conflicts)
    return false;
  int live = 0;
  s_.for_threads(core, [&](std::uint32_t, const burst_thread& other) { live += is_live(other) ? 1 : 0; });
  if (live > 1) return false;
  const burst_time end = now + static_cast<burst_time>(thread.left / one_word) - 1;
  s_.act(end);
  end_operation(number, thread, end);
  return true;
}

// Whether an operation has all that it needs to begin on its own.
bool burst_core::has_input(const burst_class& image, std::uint32_t core, const burst_thread& thread) {
  if (thread.kind != burst_thread_kind::fabric) return true;
  const vector_op& v = *operation_of(code_of(image, thread));
  for (const operand* o : {&v.a, &v.b}) {
    if (o->where != operand::kind::fabric_in) continue;
    const color_id color = image.input_color[static_cast<std::size_t>(o->queue)];
    const std::uint32_t found = s_.find_queue(core, color, burst_queue::inbox_side);
    if (found == no_index || s_.queue(found).left == 0) return false;
  }
  return true;
}

// --- events ---

void burst_core::inbox_changed(std::uint32_t queue, burst_time now) {
  const std::uint32_t core = s_.core_of_queue(queue);
  evaluate(core, now);
  streams_.reader_changed(queue, now);
  const burst_block& block = s_.blocks[core];
  if (block.main != burst_main::idle || s_.class_of(core).data_tasks == 0) return;
  s_.calendar.add(std::max(now, block.iteration[0]), {core, 0, 0, burst_event_kind::dispatch, false});
}

void burst_core::thread_wake(std::uint32_t number, burst_time now) {
  burst_thread& thread = s_.thread(number);
  if (thread.has_wake == 0 || thread.wake != static_cast<std::uint16_t>(now)) return;
  thread.has_wake = 0;
  const std::uint32_t core = s_.core_of_thread(number);
  if (thread.state != burst_thread_state::completing) return evaluate(core, now);
  if (thread.t <= now)
    complete(core, thread, now);
  else
    schedule(number, thread, thread.t);
}

void burst_core::resume(std::uint32_t core, burst_time now) {
  burst_block& block = s_.blocks[core];
  if (block.main != burst_main::busy) return;
  main_thread m{core, s_.layout.place_of(core), s_.class_of(core), block, now, now};
  run(m);
}

void burst_core::dispatch(std::uint32_t core, burst_time now) {
  const burst_block& block = s_.blocks[core];
  if (block.main == burst_main::idle && block.iteration[0] <= now) look_for_task(core, now);
}

void burst_core::start(std::uint32_t core) {
  const burst_class& image = s_.class_of(core);
  burst_block& block = s_.blocks[core];
  block.active = image.active_at_start;
  block.blocked = image.blocked_at_start;
  if ((block.active & ~block.blocked) != 0) look_for_task(core, 0);
}

}  // namespace scribeline::fabric
