#include "rtl_tlm/fabric/burst_streams.h"

#include <algorithm>
#include <tuple>

namespace scribeline::fabric {
namespace {

constexpr burst_words tolerance = one_word / 16;

// What the receive side of a pipe that popped commands on its way leaves of a control word.
std::uint32_t popped(std::uint32_t bits, int routers) {
  control_word word = control_word::from_bits(bits);
  for (int i = 0; i < std::min(routers, static_cast<int>(control_word::max_commands)); ++i)
    word = word.popped();
  return word.bits();
}

}  // namespace

burst_streams::burst_streams(burst_state& s)
    : s_(s),
      hop_(static_cast<burst_time>(s.chip.hop_cycles)),
      ramp_in_(static_cast<burst_time>(s.chip.ramp_receive_cycles)),
      ramp_out_(static_cast<burst_time>(s.chip.core.execute_cycles + s.chip.ramp_send_cycles)),
      microthread_wake_(static_cast<burst_time>(s.chip.core.microthread_wake_cycles)),
      link_words_(s.chip.router_queue_words + static_cast<int>(s.chip.hop_cycles)) {}

// --- pipes ---

burst_time burst_streams::latency(const burst_queue& q) const {
  return q.hops * hop_ + (q.is_inbox() ? ramp_in_ : 0) + ((q.flags & burst_queue::from_core) != 0 ? ramp_out_ : 0);
}

// Cycles until the feeder knows of room at the end.
burst_time burst_streams::delay(const burst_queue& q) const {
  return q.hops + (q.is_inbox() ? 1u : 0u) + ((q.flags & burst_queue::from_core) != 0 ? 1u : 0u) +
         ((q.flags & burst_queue::from_microthread) != 0 ? microthread_wake_ : 0u);
}

std::uint32_t burst_streams::open(const burst_pipe_end& end, color_id color, std::uint32_t mover, std::uint8_t flags,
                                  burst_time extra_latency, int output_words, burst_time now) {
  const std::uint32_t core = s_.layout.core_of(end.where);
  if (end.what == burst_pipe_end::kind::sink) {
    const std::uint32_t number = find_sink(core, end.side, color);
    s_.sinks[number].latency = static_cast<burst_time>(end.hops) * hop_ + extra_latency;
    s_.sinks[number].hops = static_cast<std::uint32_t>(end.hops);
    return sink_target | number;
  }
  const bool inbox = end.what == burst_pipe_end::kind::inbox;
  const std::uint8_t side = inbox ? burst_queue::inbox_side : static_cast<std::uint8_t>(index(end.side));
  const std::uint32_t number = s_.need_queue(core, color, side, now);
  burst_queue& q = s_.queue(number);
  const int words = end.hops * link_words_ + output_words +
                    (inbox ? s_.layout.class_of(end.where).input_words[static_cast<std::size_t>(color)] : 0);
  q.feeder = mover;
  q.hops = static_cast<std::uint16_t>(end.hops);
  q.words = static_cast<std::uint16_t>(std::min(words, 0xffff));
  q.flags = static_cast<std::uint8_t>((q.flags & (burst_queue::has_hold | burst_queue::has_wake)) | flags);
  return number;
}

std::uint32_t burst_streams::target_of_core(std::uint32_t core, color_id color, std::uint32_t mover, bool microthread,
                                            burst_time now) {
  const coordinate at = s_.layout.place_of(core);
  const auto flags =
      static_cast<std::uint8_t>(burst_queue::from_core | (microthread ? burst_queue::from_microthread : 0));
  return open(s_.layout.follow(at, port::ramp, color, 0), color, mover, flags, ramp_out_,
              s_.layout.class_of(at).output_words[static_cast<std::size_t>(color)], now);
}

std::uint32_t burst_streams::target_of_source(const burst_source& source, std::uint32_t mover, burst_time now) {
  return open(s_.layout.follow(source.where, source.side, source.color, 1), source.color, mover, 0, 0, 0, now);
}

std::uint32_t burst_streams::find_sink(std::uint32_t core, port side, color_id color) const {
  const auto key = [](const burst_sink& k) { return std::tuple(k.core, index(k.side), k.color); };
  const auto wanted = std::tuple(core, index(side), color);
  const auto found = std::lower_bound(s_.sinks.begin(), s_.sinks.end(), wanted,
                                      [&](const burst_sink& k, const auto& w) { return key(k) < w; });
  return static_cast<std::uint32_t>(found - s_.sinks.begin());
}

void burst_streams::announce(std::uint32_t target, std::uint32_t words, burst_rate rate, bool fresh, burst_time now) {
  if ((target & sink_target) != 0) {
    burst_sink& sink = s_.sinks[target & ~sink_target];
    if (words > 0 && sink.words == 0) sink.first = now + sink.latency;
    sink.advance(now);
    if (fresh) sink.left = 0;
    sink.left += static_cast<burst_words>(words) * one_word;
    sink.words += words;
    sink.rate = rate;
    s_.word_hops += std::int64_t{words} * sink.hops;
    return;
  }
  burst_queue& q = s_.queue(target);
  const bool was_empty = q.on_way == 0 && q.left == 0;
  q.on_way += words;
  s_.word_hops += std::int64_t{words} * q.hops;
  s_.ramp_words += std::int64_t{words} *
                   ((q.is_inbox() ? 1 : 0) + ((q.flags & burst_queue::from_core) != 0 ? 1 : 0));
  s_.calendar.add(now + latency(q), {target, words, rate, burst_event_kind::arrival, fresh});
  if (!was_empty) watch_room(target, q, rate, now);
}

void burst_streams::change_rate(std::uint32_t target, burst_words left, burst_rate rate, burst_time now) {
  if ((target & sink_target) != 0) {
    burst_sink& sink = s_.sinks[target & ~sink_target];
    sink.t = now;
    sink.left = left;
    sink.rate = rate;
    return;
  }
  burst_queue& q = s_.queue(target);
  s_.calendar.add(now + latency(q),
                  {target, static_cast<std::uint32_t>(left), rate, burst_event_kind::rate, false});
  watch_room(target, q, rate, now);
}

// A feeder that speeds up may fill a pipe before its words get to the end.
void burst_streams::watch_room(std::uint32_t number, burst_queue& q, burst_rate rate, burst_time now) {
  if (rate <= q.leaving) return;
  q.advance(now);
  schedule(number, q, check_full(number, q, now), now);
}

void burst_streams::announce_control(std::uint32_t target, std::uint32_t bits, burst_time now) {
  if ((target & sink_target) != 0) return;
  burst_queue& q = s_.queue(target);
  const int ending = q.is_inbox() ? 1 : 0;
  const int routers = (q.flags & burst_queue::from_core) != 0 ? q.hops + ending : q.hops > 0 ? q.hops - 1 + ending : 0;
  q.on_way += 1;
  s_.word_hops += q.hops;
  s_.ramp_words += ending + ((q.flags & burst_queue::from_core) != 0 ? 1 : 0);
  s_.calendar.add(now + latency(q), {target, popped(bits, routers), full_rate, burst_event_kind::control, false});
}

burst_rate burst_streams::room_rate(std::uint32_t target, burst_time now) {
  if (target == no_index || (target & sink_target) != 0) return full_rate;
  burst_queue& q = s_.queue(target);
  if (q.imposed == no_limit) return full_rate;
  q.advance(now);
  schedule(target, q, check_full(target, q, now), now);
  return std::min(q.imposed, full_rate);
}

bool burst_streams::is_child(const burst_queue& q, std::uint32_t mover) const {
  if (q.child == no_index) return false;
  if ((q.child & sink_target) != 0) return true;
  const burst_queue& child = s_.queue(q.child);
  return child.feeder == mover && child.color == q.color && child.side != burst_queue::unused_side;
}

// Where the head of a node's queue goes, sides in order.
template <class Visit>
void burst_streams::for_targets(std::uint32_t number, burst_queue& q, burst_time now, Visit&& visit) {
  const std::uint32_t core = s_.core_of_queue(number);
  const coordinate at = s_.layout.place_of(core);
  const burst_rule& rule = s_.layout.class_of(at).rules[q.color];
  const port_set transmit = position_of(core, rule).transmit;
  const bool one_link = transmit.size() - (transmit.contains(port::ramp) ? 1 : 0) == 1;
  for (int i = 0; i < ports; ++i) {
    const port side = static_cast<port>(i);
    if (!transmit.contains(side)) continue;
    const std::uint32_t mover = mover_of(burst_mover::queue, number);
    if (side == port::ramp) {
      visit(open({burst_pipe_end::kind::inbox, at, side, 0}, q.color, mover, 0, 0, 0, now));
      continue;
    }
    if (one_link && is_child(q, mover)) {
      visit(q.child);
      continue;
    }
    const coordinate next = neighbour(at, side);
    const burst_pipe_end end = s_.layout.inside(next)
                                   ? s_.layout.follow(next, opposite(side), q.color, 1)
                                   : burst_pipe_end{burst_pipe_end::kind::sink, at, side, 0};
    const std::uint32_t target = open(end, q.color, mover, 0, 0, 0, now);
    if (one_link) s_.queue(number).child = target;
    visit(target);
  }
}

// --- full pipes ---

burst_streams::feed burst_streams::feed_of(std::uint32_t number, const burst_queue& q, burst_time now) {
  if (q.feeder == no_index) return {};
  const std::uint32_t i = q.feeder & mover_index_mask;
  switch (mover_kind(q.feeder)) {
    case burst_mover::queue: {
      const burst_queue& f = s_.queue(i);
      if (!f.is_node() || f.color != q.color) return {};
      return {f.left_at(now) - held(i, f), f.leaving};
    }
    case burst_mover::thread: {
      const burst_thread& thread = s_.thread(i);
      if (thread.out != number || thread.state != burst_thread_state::moving) return {};
      return {thread.left_at(now), thread.rate};
    }
    case burst_mover::source: {
      const burst_source& source = s_.sources[i];
      if (source.out != number) return {};
      return {source.left_at(now), source.rate};
    }
  }
  return {};
}

// Imposes a limit on the feeder while the pipe is full; the cycle in which it would be full.
burst_time burst_streams::check_full(std::uint32_t number, burst_queue& q, burst_time now) {
  const feed f = feed_of(number, q, now);
  if (f.words <= 0) {
    q.imposed = no_limit;
    return never;
  }
  const burst_words inside = q.left + static_cast<burst_words>(q.on_way) * one_word - f.words;
  const burst_time back = delay(q);
  const burst_words room = q.words * one_word - inside - moved(q.leaving, back);
  if (room <= tolerance) {
    if (q.imposed == q.leaving) return never;
    const bool begins = q.imposed == no_limit;
    q.imposed = q.leaving;
    limit_feeder(q, begins ? now : now + back);
    return never;
  }
  if (q.imposed != no_limit && room >= one_word) {
    q.imposed = no_limit;
    limit_feeder(q, now + back);
  }
  if (f.rate <= q.leaving) return never;
  const burst_time until = cycles_to_finish(room, static_cast<burst_rate>(f.rate - q.leaving));
  if (until == never || moved(f.rate, until) >= f.words) return never;
  return now + std::max<burst_time>(until, 1);
}

void burst_streams::limit_feeder(const burst_queue& q, burst_time at) {
  s_.calendar.add(at, {q.feeder, 0, 0, burst_event_kind::limit, false});
}

void burst_streams::schedule(std::uint32_t number, burst_queue& q, burst_time at, burst_time now) {
  if (at == never || at <= now) return;
  // Whoever is woken finds out what is next, so the earliest wake-up is enough.
  const auto pending = static_cast<std::uint16_t>(q.wake - static_cast<std::uint16_t>(now));
  if ((q.flags & burst_queue::has_wake) != 0 && pending != 0 && pending <= at - now) return;
  q.wake = static_cast<std::uint16_t>(at);
  q.flags |= burst_queue::has_wake;
  s_.calendar.add(at, {number, 0, 0, burst_event_kind::queue_wake, false});
}

void burst_streams::reader_changed(std::uint32_t number, burst_time now) {
  burst_queue& q = s_.queue(number);
  if (q.imposed != no_limit || q.on_way != 0 || (q.to_arrive > 0 && q.arriving > q.leaving))
    schedule(number, q, check_full(number, q, now), now);
}

// --- events ---

bool burst_streams::arrive(const burst_event& e, burst_time now) {
  burst_queue& q = s_.queue(e.target);
  q.advance(now);
  const auto words = static_cast<burst_words>(e.words) * one_word;
  if (e.fresh) {
    // The count of words lags behind the last of them by one word time; what passes straight through has left.
    if (q.is_node() && q.left <= q.to_arrive + tolerance && (q.flags & burst_queue::has_hold) == 0) q.left = 0;
    q.to_arrive = 0;
  }
  q.on_way -= e.words;
  q.left += words;
  q.to_arrive += words;
  q.arriving = e.rate;
  if (q.is_inbox()) {
    if ((q.flags & burst_queue::has_hold) != 0) hold_words(e.target, e.words);
    return true;
  }
  if (s_.code.merging_routes) check_merge(e.target, q, now);
  const std::uint32_t core = s_.core_of_queue(e.target);
  const bool served = is_served(core, q, s_.rule_of(core, q));
  if ((q.flags & burst_queue::has_hold) != 0 || !served) {
    hold_words(e.target, e.words);
    release(e.target, now);
  } else {
    const bool fresh = q.left == words;
    evaluate(core, e.target, {e.words, fresh}, now);
  }
  return false;
}

bool burst_streams::arrive_rate(const burst_event& e, burst_time now) {
  burst_queue& q = s_.queue(e.target);
  q.advance(now);
  q.to_arrive = std::min(static_cast<burst_words>(e.words), q.left);
  q.arriving = e.rate;
  if (q.is_inbox()) return true;
  if ((q.flags & burst_queue::has_hold) != 0) release(e.target, now);
  evaluate(s_.core_of_queue(e.target), no_index, {}, now);
  return false;
}

bool burst_streams::arrive_control(std::uint32_t number, std::uint32_t bits, burst_time now) {
  burst_queue& q = s_.queue(number);
  q.advance(now);
  q.to_arrive = 0;
  q.on_way -= 1;
  q.left += one_word;
  add_mark(number, bits);
  if (q.is_inbox()) return true;
  release(number, now);
  return false;
}

void burst_streams::wake(std::uint32_t number, burst_time now) {
  burst_queue& q = s_.queue(number);
  if ((q.flags & burst_queue::has_wake) == 0 || q.wake != static_cast<std::uint16_t>(now)) return;
  q.flags = static_cast<std::uint8_t>(q.flags & ~burst_queue::has_wake);
  q.advance(now);
  if (q.is_inbox()) {
    schedule(number, q, check_full(number, q, now), now);
    return;
  }
  if ((q.flags & burst_queue::has_hold) != 0) release(number, now);
  evaluate(s_.core_of_queue(number), no_index, {}, now);
}

void burst_streams::check_merge(std::uint32_t number, const burst_queue& q, burst_time now) {
  const std::uint32_t core = s_.core_of_queue(number);
  const burst_rule& rule = s_.rule_of(core, q);
  if (!is_served(core, q, rule)) return;
  s_.for_queues(core, [&](std::uint32_t other_number, const burst_queue& other) {
    if (other_number == number || !other.is_node() || other.color != q.color || !is_served(core, other, rule)) return;
    if (other.to_arrive <= moved(other.arriving, now - other.t)) return;
    if (now > s_.violation_cycle || (now == s_.violation_cycle && core >= s_.violation_core)) return;
    s_.violation_cycle = now;
    s_.violation_core = core;
    s_.violation_color = q.color;
  });
}

// --- nodes ---

burst_words burst_streams::held(std::uint32_t number, const burst_queue& q) {
  return (q.flags & burst_queue::has_hold) != 0 ? s_.find_hold(number)->words : 0;
}

burst_rate burst_streams::demand(std::uint32_t number, burst_queue& q, burst_time now) {
  const burst_words behind = held(number, q);
  const burst_words open = q.left - behind;
  if (open <= 0) return 0;
  const burst_words arriving = std::max(0, q.to_arrive - behind);
  const burst_rate arrives = arriving > 0 ? q.arriving : burst_rate{0};
  burst_rate wanted = open - arriving >= moved(static_cast<burst_rate>(full_rate - arrives), 1) && open > arriving
                          ? full_rate
                          : arrives;
  if (arriving == 0) wanted = full_rate;
  if (wanted == 0) return 0;
  for_targets(number, q, now, [&](std::uint32_t target) { wanted = std::min(wanted, room_rate(target, now)); });
  return wanted;
}

burst_streams::candidate burst_streams::make_candidate(std::uint32_t number, burst_queue& q, std::uint32_t core,
                                                       burst_time now) {
  candidate c;
  const burst_rule& rule = s_.rule_of(core, q);
  q.advance(now);
  c.number = number;
  c.queue = &q;
  if (is_served(core, q, rule)) {
    c.sides = position_of(core, rule).transmit.bits() & 0xfu;
    c.demand = demand(number, q, now);
  }
  c.granted = c.demand;
  return c;
}

void burst_streams::evaluate(std::uint32_t core, std::uint32_t announced, new_words words, burst_time now) {
  std::array<candidate, max_nodes> nodes;
  std::size_t count = 0;
  unsigned used = 0;
  bool contended = false;
  s_.for_queues(core, [&](std::uint32_t number, burst_queue& q) {
    if (!q.is_node() || count == max_nodes || (q.left_at(now) == 0 && q.leaving == 0)) return;
    candidate& c = nodes[count++];
    c = make_candidate(number, q, core, now);
    if (c.demand == 0) return;
    contended |= (used & c.sides) != 0;
    used |= c.sides;
  });
  if (contended) share(nodes.data(), count);
  for (std::size_t i = 0; i < count; ++i)
    apply(nodes[i], contended, nodes[i].number == announced ? words : new_words{}, now);
}

// Every side carries one word per cycle. Streams that ask for less than their turn leave the rest to the others; a
// stream to several sides has the turn of the busiest of them.
void burst_streams::share(candidate* first, std::size_t count) {
  std::array<int, link_ports> room;
  room.fill(full_rate);
  std::array<bool, max_nodes> settled{};
  for (std::size_t round = 0; round < count; ++round) {
    std::array<int, link_ports> users{};
    for (std::size_t i = 0; i < count; ++i)
      for (int side = 0; side < link_ports; ++side)
        users[static_cast<std::size_t>(side)] += !settled[i] && (first[i].sides >> side & 1u) != 0 ? 1 : 0;
    std::size_t least = count;
    int least_rate = full_rate + 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (settled[i]) continue;
      int turn = first[i].demand;
      for (std::size_t side = 0; side < link_ports; ++side)
        if ((first[i].sides >> side & 1u) != 0) turn = std::min(turn, room[side] / users[side]);
      if (turn >= least_rate) continue;
      least = i;
      least_rate = turn;
    }
    settled[least] = true;
    first[least].granted = static_cast<burst_rate>(least_rate);
    for (std::size_t side = 0; side < link_ports; ++side)
      if ((first[least].sides >> side & 1u) != 0) room[side] -= least_rate;
  }
}

void burst_streams::apply(const candidate& c, bool contended, new_words words, burst_time now) {
  burst_queue& q = *c.queue;
  if (words.words != 0) {
    q.leaving = c.granted;
    for_targets(c.number, q, now,
                [&](std::uint32_t target) { announce(target, words.words, c.granted, words.fresh, now); });
  } else if (q.leaving != c.granted) {
    q.leaving = c.granted;
    if (const burst_words open = q.left - held(c.number, q); open > 0)
      for_targets(c.number, q, now, [&](std::uint32_t target) { change_rate(target, open, c.granted, now); });
  }
  schedule(c.number, q, next_change(c.number, q, contended, now), now);
}

// When a node's stream has to be looked at again if nothing else happens.
burst_time burst_streams::next_change(std::uint32_t number, const burst_queue& q, bool contended, burst_time now) {
  burst_time next = never;
  const burst_words behind = held(number, q);
  const burst_words open = q.left - behind;
  const burst_words arriving = std::max(0, q.to_arrive - behind);
  const burst_rate arrives = arriving > 0 ? q.arriving : burst_rate{0};
  if (q.leaving > arrives && arrives > 0) {
    const burst_time until = cycles_to_move(open - arriving, static_cast<burst_rate>(q.leaving - arrives));
    if (until > 0 && until != never) next = now + until;
  }
  if (contended || behind > 0) {
    const burst_time until = cycles_to_finish(open, q.leaving);
    if (until > 0 && until != never) next = std::min(next, now + until);
  }
  if (q.imposed != no_limit || q.on_way != 0 || (q.to_arrive > 0 && q.arriving > q.leaving))
    next = std::min(next, check_full(number, *const_cast<burst_queue*>(&q), now));
  return next;
}

// --- control words ---

void burst_streams::hold_words(std::uint32_t number, std::uint32_t words) {
  s_.need_hold(number).words += static_cast<burst_words>(words) * one_word;
}

void burst_streams::add_mark(std::uint32_t number, std::uint32_t bits) {
  burst_hold& hold = s_.need_hold(number);
  std::uint32_t fresh = s_.free_mark;
  if (fresh == no_index)
    fresh = s_.marks.append();
  else
    s_.free_mark = s_.marks[fresh].next;
  s_.marks[fresh] = {no_index, hold.words, bits};
  hold.words += one_word;
  std::uint32_t* link = &hold.first_mark;
  while (*link != no_index)
    link = &s_.marks[*link].next;
  *link = fresh;
}

// Takes the first mark of a hold with its word; the words behind it are counted from there.
std::uint32_t burst_streams::take_mark(burst_hold& hold) {
  const std::uint32_t taken = hold.first_mark;
  const std::uint32_t bits = s_.marks[taken].bits;
  hold.first_mark = s_.marks[taken].next;
  hold.words -= one_word;
  for (std::uint32_t m = hold.first_mark; m != no_index; m = s_.marks[m].next)
    s_.marks[m].ahead -= one_word;
  s_.marks[taken].next = s_.free_mark;
  s_.free_mark = taken;
  return bits;
}

void burst_streams::drop_hold(std::uint32_t number, burst_hold& hold) {
  hold.queue = no_index;
  burst_queue& q = s_.queue(number);
  q.flags = static_cast<std::uint8_t>(q.flags & ~burst_queue::has_hold);
}

// A node's held words move on as far as they may now.
void burst_streams::release(std::uint32_t number, burst_time now) {
  burst_queue& q = s_.queue(number);
  burst_hold* hold = s_.find_hold(number);
  const std::uint32_t core = s_.core_of_queue(number);
  if (hold == nullptr || hold->free_at > now) return;
  if (!is_served(core, q, s_.rule_of(core, q)) || q.left > hold->words + tolerance) {
    schedule(number, q, next_change(number, q, false, now), now);
    return;
  }
  q.left = hold->words;
  if (hold->first_mark != no_index && s_.marks[hold->first_mark].ahead <= 0) {
    pass_control(number, q, *hold, now);
    return;
  }
  const burst_words segment = hold->first_mark != no_index ? s_.marks[hold->first_mark].ahead : hold->words;
  hold->words -= segment;
  for (std::uint32_t m = hold->first_mark; m != no_index; m = s_.marks[m].next)
    s_.marks[m].ahead -= segment;
  if (hold->words == 0) drop_hold(number, *hold);
  if (segment > 0) evaluate(core, number, {static_cast<std::uint32_t>(segment / one_word), true}, now);
}

void burst_streams::pass_control(std::uint32_t number, burst_queue& q, burst_hold& hold, burst_time now) {
  const std::uint32_t core = s_.core_of_queue(number);
  const control_word word = control_word::from_bits(take_mark(hold));
  q.left -= one_word;
  for_targets(number, q, now,
              [&](std::uint32_t target) { announce_control(target, word.popped().bits(), now); });
  s_.act(now);
  const burst_rule& rule = s_.rule_of(core, q);
  const bool advances = word.first_command() == switch_command::advance && rule.r->positions.size() > 1;
  hold.free_at = now + 1;
  if (advances)
    s_.calendar.add(now + 1, {core, q.color, 0, burst_event_kind::switched, false});
  else
    schedule(number, q, now + 1, now);
}

// The switch of a color moves on by one position; `e.words` is the color.
void burst_streams::switches_changed(std::uint32_t core, color_id color, burst_time now) {
  const burst_rule& rule = s_.class_of(core).rules[static_cast<std::size_t>(color)];
  std::uint8_t& position =
      s_.positions[core * static_cast<std::uint32_t>(s_.layout.switched_colors) + rule.switch_slot];
  if (position + 1u < rule.r->positions.size())
    ++position;
  else if (rule.r->ring)
    position = 0;
  std::array<std::uint32_t, ports> waiting{};
  std::size_t count = 0;
  s_.for_queues(core, [&](std::uint32_t number, burst_queue& q) {
    if (!q.is_node() || q.color != color) return;
    q.child = no_index;
    q.advance(now);
    if ((q.flags & burst_queue::has_hold) != 0 && count < ports) waiting[count++] = number;
  });
  for (std::size_t i = 0; i < count; ++i)
    release(waiting[i], now);
  evaluate_router(core, now);
}

// --- inboxes ---

burst_words burst_streams::open_words(std::uint32_t number, const burst_queue& q) {
  return q.left - held(number, q);
}

bool burst_streams::take_controls(std::uint32_t number, std::uint64_t& activated, burst_time now) {
  burst_queue& q = s_.queue(number);
  bool any = false;
  while (burst_hold* hold = s_.find_hold(number)) {
    if (q.left > hold->words + tolerance) break;
    q.left = hold->words;
    if (hold->first_mark == no_index) {
      drop_hold(number, *hold);
      break;
    }
    const burst_words segment = s_.marks[hold->first_mark].ahead;
    if (segment > 0) {
      hold->words -= segment;
      for (std::uint32_t m = hold->first_mark; m != no_index; m = s_.marks[m].next)
        s_.marks[m].ahead -= segment;
      continue;
    }
    const control_word word = control_word::from_bits(take_mark(*hold));
    q.left -= one_word;
    any = true;
    s_.act(now);
    if (word.task()) activated |= std::uint64_t{1} << *word.task();
    if (hold->words == 0) drop_hold(number, *hold);
  }
  return any;
}

}  // namespace scribeline::fabric
