// Vector operations of a burst run.
#include "rtl_tlm/fabric/burst/burst_core.h"

#include <algorithm>

namespace scribeline::fabric {
namespace {

constexpr burst_words rounding = one_word / 16;

constexpr burst_words whole_words(burst_words words) {
  return words > 0 ? (words + one_word / 2) / one_word * one_word : 0;
}

}  // namespace

// --- rates ---

void burst_core::view(input& in, burst_time now) const {
  in.open = 0;
  in.arriving = 0;
  if (in.number == no_index) return;
  burst_queue& q = *in.queue;
  q.advance(now);
  in.open = streams_.open_words(in.number, q);
  in.arriving = std::max(0, q.to_arrive - (q.left - in.open));
}

void burst_core::make_runner(runner& r, const burst_site& site, std::uint32_t number, burst_thread& thread,
                             burst_time now) {
  r.number = number;
  r.thread = &thread;
  r.operation = &operation_of(site, thread);
  r.inputs = thread.kind == burst_operation_kind::fabric ? r.operation->inputs : 0;
  r.demand = 0;
  r.granted = 0;
  for (std::size_t i = 0; i < r.inputs; ++i) {
    input& in = r.in[i];
    in.number = s_.find_queue(site.core, r.operation->in[i], burst_queue::inbox_side);
    in.queue = nullptr;
    if (in.number != no_index) {
      in.queue = &s_.queue(in.number);
      in.queue->child = number;
    }
    view(in, now);
  }
}

// When the step of the last word that is there begins, the operation takes what rounding has left of the words so far,
// and waits.
void burst_core::take_last_word(runner& r, burst_time now) {
  burst_thread& thread = *r.thread;
  if (thread.rate == 0 || has_words(r, thread.left)) return;
  burst_words rest = thread.left;
  for (const input& in : r)
    rest = std::min(rest, in.open);
  if (cycles_to_move(rest - one_word, thread.rate) > 0) return;
  for (std::size_t i = 0; i < r.inputs; ++i) {
    input& in = r.in[i];
    in.open = whole_words(in.open - rest);
    in.queue->left = whole_words(in.queue->left - rest);
  }
  thread.left = whole_words(thread.left - rest);
  thread.t = now + std::max<burst_time>(1, cycles_to_move(one_word, thread.limit));
}

// What an inbox can give: its backlog at once, then what arrives.
burst_rate burst_core::input_rate(const input& in) {
  if (in.open <= 0) return 0;
  if (in.arriving == 0) return full_rate;
  const burst_words backlog = in.open - in.arriving;
  if (backlog < -rounding) return 0;  // the words so far are taken, the next has not come
  const burst_words catching_up = moved(static_cast<burst_rate>(full_rate - in.queue->arriving), 1);
  return backlog > 0 && backlog >= catching_up ? full_rate : in.queue->arriving;
}

burst_rate burst_core::demand(const runner& r, burst_time now) {
  burst_rate wanted = r.thread->limit;
  for (const input& in : r)
    wanted = std::min(wanted, input_rate(in));
  if (wanted == 0 || r.thread->out == no_index) return wanted;
  return std::min(wanted, streams_.room_rate(r.thread->out, now));
}

// The datapath takes one step per cycle and the ramp brings one word per cycle; operations that ask for less than
// their turn leave the rest to the others.
void burst_core::share(runner* first, std::size_t count) {
  int steps = full_rate;
  int words = full_rate;
  std::array<bool, max_threads> settled;
  std::fill_n(settled.begin(), count, false);
  for (std::size_t round = 0; round < count; ++round) {
    int users = 0;
    int inputs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (settled[i] || first[i].demand == 0) continue;
      ++users;
      inputs += static_cast<int>(first[i].inputs);
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
    words -= least_rate * static_cast<int>(first[least].inputs);
  }
}

// Ends what is done and finds the rates of the rest.
void burst_core::evaluate(const burst_site& site, burst_time now) {
  std::array<runner, max_threads> runners;
  std::size_t count = 0;
  s_.for_threads(site.core, [&](std::uint32_t number, burst_thread& thread) {
    if (thread.state != burst_thread_state::waiting && thread.state != burst_thread_state::moving) return;
    if (begins_later(site, number, thread, now)) return;
    runner& r = runners[count];
    make_runner(r, site, number, thread, now);
    if (thread.kind == burst_operation_kind::control) return send_control_word(site, r, now);
    if (is_done(r, now)) return finish(site, r, now);
    if (run_alone(site, r, now)) return;
    thread.advance(now);
    take_last_word(r, now);
    ++count;
  });
  if (s_.blocks[site.core].extension != no_index) take_controls(site, runners.data(), count, now);
  for (std::size_t i = 0; i < count; ++i)
    runners[i].granted = runners[i].demand = demand(runners[i], now);
  if (count > 1 || (count == 1 && runners[0].inputs > 1)) share(runners.data(), count);
  for (std::size_t i = 0; i < count; ++i)
    apply(site, runners[i], now);
}

// Whether an operation is not set up yet, or waits for an arrival that is certain.
bool burst_core::begins_later(const burst_site& site, std::uint32_t number, burst_thread& thread, burst_time now) {
  if (thread.t <= now) return false;
  if (thread.state == burst_thread_state::moving || has_input(site, thread)) schedule(number, thread, thread.t);
  return true;
}

void burst_core::take_controls(const burst_site& site, runner* first, std::size_t count, burst_time now) {
  std::uint64_t activated = 0;
  s_.for_queues(site.core, [&](std::uint32_t number, burst_queue& q) {
    if (!q.is_inbox() || (q.flags & burst_queue::has_hold) == 0) return;
    q.advance(now);
    streams_.take_controls(number, activated, now);
  });
  if (activated != 0) activate(site, activated, now);
  for (runner* r = first; r != first + count; ++r)
    for (std::size_t i = 0; i < r->inputs; ++i)
      view(r->in[i], now);
}

void burst_core::apply(const burst_site& site, const runner& r, burst_time now) {
  burst_thread& thread = *r.thread;
  if (thread.state == burst_thread_state::waiting) {
    if (r.granted == 0) return;
    thread.state = burst_thread_state::moving;
    thread.t = now;
    thread.rate = r.granted;
    if (r.operation->out != burst_operation::no_color) {
      thread.out = streams_.target_of_core(site, r.operation->out, mover_of(burst_mover::thread, r.number),
                                           thread.slot != 0, now);
      streams_.announce(thread.out, static_cast<std::uint32_t>(thread.left / one_word), thread.rate, true, now);
    }
  } else if (thread.rate != r.granted) {
    thread.rate = r.granted;
    if (thread.out != no_index) streams_.change_rate(thread.out, thread.left, thread.rate, now);
  }
  for (const input& in : r) {
    if (in.number == no_index) continue;
    in.queue->leaving = thread.rate;
    streams_.reader_changed(in.number, *in.queue, now);
  }
  const burst_time next = next_change(r, now);
  if (next != never) schedule(r.number, thread, next);
}

// When an operation ends or runs out of words at its present rate.
burst_time burst_core::next_change(const runner& r, burst_time now) {
  const burst_thread& thread = *r.thread;
  burst_time next = never;
  if (thread.rate != 0 && has_words(r, thread.left)) next = now + cycles_to_move(thread.left - one_word, thread.rate);
  for (const input& in : r) {
    if (in.number == no_index) continue;
    const burst_words backlog = in.open - in.arriving;
    burst_time until = never;
    if (in.arriving > 0 && backlog < -rounding)
      until = cycles_to_finish(-backlog, in.queue->arriving);
    else if (thread.rate != 0 && in.arriving > 0 && thread.rate > in.queue->arriving)
      until =
          std::max<burst_time>(1, cycles_to_move(backlog, static_cast<burst_rate>(thread.rate - in.queue->arriving)));
    else if (thread.rate != 0 && in.open < thread.left)
      until = cycles_to_move(in.open - one_word, thread.rate);
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

bool burst_core::run_ahead(const burst_arrival& a, burst_time now) {
  const std::uint32_t core = s_.core_of_queue(a.target);
  burst_block& block = s_.blocks[core];
  burst_thread& thread = block.threads[0];
  if (block.extension != no_index || thread.state != burst_thread_state::waiting || thread.t > a.at ||
      thread.kind != burst_operation_kind::fabric || thread.limit < a.rate || !streams_.is_expected(a))
    return false;
  const burst_site site = s_.site_of(core);
  const burst_operation& o = operation_of(site, thread);
  burst_queue& q = s_.queue(a.target);
  if (o.inputs != 1 || o.in[0] != q.color) return false;
  if (o.out != burst_operation::no_color) {
    const std::uint32_t out =
        streams_.target_of_core(site, o.out, mover_of(burst_mover::thread, core), thread.slot != 0, now);
    if (!streams_.is_quiet(out)) return false;
    thread.out = out;
    streams_.announce(out, static_cast<std::uint32_t>(thread.left / one_word), a.rate, true, a.at);
  }
  burst_streams::begin_ahead(q, a, a.rate);
  q.child = core;
  thread.state = burst_thread_state::moving;
  thread.t = a.at;
  thread.rate = a.rate;
  schedule(core, thread, a.at + cycles_to_move(std::min(q.left, thread.left) - one_word, a.rate));
  return true;
}

// Whether an operation has all that it needs to begin on its own.
bool burst_core::has_input(const burst_site& site, const burst_thread& thread) {
  if (thread.kind != burst_operation_kind::fabric) return true;
  const burst_operation& o = operation_of(site, thread);
  for (std::size_t i = 0; i < o.inputs; ++i) {
    const std::uint32_t found = s_.find_queue(site.core, o.in[i], burst_queue::inbox_side);
    if (found == no_index || s_.queue(found).left == 0) return false;
  }
  return true;
}

// --- ends of operations ---

// Whether an operation takes its last step now. When that time has passed, there were no words for it.
bool burst_core::is_done(const runner& r, burst_time now) {
  const burst_thread& thread = *r.thread;
  if (thread.state != burst_thread_state::moving || thread.rate == 0) return false;
  return thread.t + cycles_to_move(thread.left - one_word, thread.rate) == now && has_words(r, thread.left_at(now));
}

// Whether the inboxes will have given an operation so many words without further arrivals.
bool burst_core::has_words(const runner& r, burst_words words) {
  return std::all_of(r.begin(), r.end(), [&](const input& in) { return in.open > words - one_word / 2; });
}

// The last step begins in this cycle. The words of the inboxes are taken now, and whole.
void burst_core::finish(const burst_site& site, const runner& r, burst_time now) {
  burst_thread& thread = *r.thread;
  const burst_words rest = thread.left_at(now);
  for (const input& in : r) {
    burst_queue& q = *in.queue;
    q.left = whole_words(q.left - rest);
    q.leaving = 0;
    q.child = no_index;
    streams_.reader_changed(in.number, q, now);
  }
  thread.left = 0;
  thread.rate = 0;
  s_.act(now);
  if (!r.operation->control) return end_operation(site, r.number, thread, now + r.operation->step_cycles - 1);
  thread.kind = burst_operation_kind::control;
  thread.state = burst_thread_state::waiting;
  thread.t = now + r.operation->step_cycles;
  schedule(r.number, thread, thread.t);
}

// The last step takes until the end of cycle `end`.
void burst_core::end_operation(const burst_site& site, std::uint32_t number, burst_thread& thread, burst_time end) {
  thread.out = no_index;
  if (thread.slot != 0) {
    thread.state = burst_thread_state::completing;
    thread.t = end + static_cast<burst_time>(s_.chip.core.completion_cycles);
    if (!complete_ahead(site, thread, thread.t)) schedule(number, thread, thread.t);
    return;
  }
  thread.state = burst_thread_state::unused;
  go_on(site, end + 1);
}

// Where nothing but this completion can wake the main thread, both go on ahead of the clock.
bool burst_core::complete_ahead(const burst_site& site, burst_thread& thread, burst_time at) {
  burst_block& block = s_.blocks[site.core];
  if (block.main != burst_main::idle || site.image->data_tasks != 0 || s_.layout.controls_activate ||
      (block.active & ~block.blocked) != 0 || live_threads(site.core) > 1)
    return false;
  const burst_operation& o = operation_of(site, thread);
  thread.state = burst_thread_state::unused;
  block.active |= o.activates;
  block.blocked &= ~o.unblocks;
  if ((o.activates | o.unblocks) != 0) s_.act(at);
  if ((block.active & ~block.blocked) != 0) look_for_task(site, std::max(at, block.iteration[0]));
  return true;
}

void burst_core::complete(const burst_site& site, burst_thread& thread, burst_time now) {
  const burst_operation& o = operation_of(site, thread);
  thread.state = burst_thread_state::unused;
  burst_block& block = s_.blocks[site.core];
  block.active |= o.activates;
  block.blocked &= ~o.unblocks;
  if ((o.activates | o.unblocks) != 0) {
    s_.act(now);
    activate(site, 0, now);
  }
  if (block.main != burst_main::wait_thread) return;
  block.main = burst_main::busy;
  s_.calendar.add(now, {site.core, 0, 0, burst_event_kind::resume, false});
}

void burst_core::send_control_word(const burst_site& site, const runner& r, burst_time now) {
  const std::uint32_t target = streams_.target_of_core(site, r.operation->out, mover_of(burst_mover::thread, r.number),
                                                       r.thread->slot != 0, now);
  streams_.announce_control(target, r.operation->control->bits(), now);
  s_.act(now);
  end_operation(site, r.number, *r.thread, now);
}

int burst_core::live_threads(std::uint32_t core) {
  int live = 0;
  s_.for_threads(core, [&](std::uint32_t, const burst_thread& thread) {
    live += thread.state != burst_thread_state::unused ? 1 : 0;
  });
  return live;
}

// A synchronous operation in SRAM with the core to itself runs to its end.
bool burst_core::run_alone(const burst_site& site, const runner& r, burst_time now) {
  burst_thread& thread = *r.thread;
  if (thread.kind != burst_operation_kind::local || thread.slot != 0 || thread.state != burst_thread_state::waiting ||
      s_.options.bank_conflicts)
    return false;
  if (live_threads(site.core) > 1) return false;
  const burst_time end = now + static_cast<burst_time>(thread.left / one_word) - 1;
  s_.act(end);
  end_operation(site, r.number, thread, end);
  return true;
}

// --- events ---

void burst_core::inbox_changed(std::uint32_t queue, burst_time now) {
  const burst_site site = s_.site_of(s_.core_of_queue(queue));
  evaluate(site, now);
  streams_.reader_changed(queue, s_.queue(queue), now);
  const burst_block& block = s_.blocks[site.core];
  if (block.main != burst_main::idle || site.image->data_tasks == 0) return;
  s_.calendar.add(std::max(now, block.iteration[0]), {site.core, 0, 0, burst_event_kind::dispatch, false});
}

// The word that would begin in the cycle in which the pipe is full has to wait, also when it is the last.
void burst_core::room_changed(std::uint32_t number, burst_time now) {
  burst_thread& thread = s_.thread(number);
  if (thread.state == burst_thread_state::moving && thread.t <= now && thread.rate != 0 && thread.out != no_index &&
      streams_.room_rate(thread.out, now) == 0) {
    thread.advance(now);
    thread.rate = 0;
    streams_.change_rate(thread.out, thread.left, 0, now);
  }
  evaluate(s_.site_of(s_.core_of_thread(number)), now);
}

void burst_core::thread_wake(std::uint32_t number, burst_time now) {
  burst_thread& thread = s_.thread(number);
  if (thread.has_wake == 0 || thread.wake != static_cast<std::uint16_t>(now)) return;
  thread.has_wake = 0;
  const burst_site site = s_.site_of(s_.core_of_thread(number));
  if (thread.state != burst_thread_state::completing)
    evaluate(site, now);
  else if (thread.t <= now)
    complete(site, thread, now);
  else
    schedule(number, thread, thread.t);
}

void burst_core::resume(std::uint32_t core, burst_time now) {
  burst_block& block = s_.blocks[core];
  if (block.main != burst_main::busy) return;
  const burst_site site = s_.site_of(core);
  main_thread m{site, block, now, now};
  run(m);
}

void burst_core::dispatch(std::uint32_t core, burst_time now) {
  const burst_block& block = s_.blocks[core];
  if (block.main == burst_main::idle && block.iteration[0] <= now) look_for_task(s_.site_of(core), now);
}

void burst_core::start(std::uint32_t core) {
  const burst_site site = s_.site_of(core);
  burst_block& block = s_.blocks[core];
  block.active = site.image->active_at_start;
  block.blocked = site.image->blocked_at_start;
  if ((block.active & ~block.blocked) != 0) look_for_task(site, 0);
}

}  // namespace scribeline::fabric
