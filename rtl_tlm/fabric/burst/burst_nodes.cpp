// Nodes of a burst run: routers at which streams fork, switch or share sides.
#include <algorithm>
#include <utility>

#include "rtl_tlm/fabric/burst/burst_streams.h"

namespace scribeline::fabric {

// --- events ---

bool burst_streams::arrive(const burst_event& e, burst_time now) {
  burst_queue& q = s_.queue(e.target);
  const auto words = static_cast<burst_words>(e.words) * one_word;
  q.advance(now);
  if (e.fresh) {
    // The count of words lags behind the last of them by one word time; what passes straight through has left.
    constexpr burst_words backlog = one_word / 16;
    if (q.is_node() && q.left <= q.to_arrive + backlog && (q.flags & burst_queue::has_hold) == 0) q.left = 0;
    q.to_arrive = 0;
  }
  q.on_way -= e.words;
  q.left += words;
  q.to_arrive += words;
  q.arriving = e.rate;
  const bool holds = (q.flags & burst_queue::has_hold) != 0;
  if (q.is_inbox()) {
    if (holds) hold_words(e.target, e.words);
    return true;
  }
  const burst_site site = s_.site_of(s_.core_of_queue(e.target));
  if (s_.code.merging_routes) check_merge(site, e.target, q, now);
  if (holds || !is_served(site, q, site.image->rules[q.color])) {
    hold_words(e.target, e.words);
    release(site, e.target, q, now);
  } else {
    evaluate(site, e.target, q, {e.words, q.left == words}, now);
  }
  return false;
}

bool burst_streams::arrive_rate(const burst_event& e, burst_time now) {
  burst_queue& q = s_.queue(e.target);
  q.advance(now);
  q.to_arrive = std::min(static_cast<burst_words>(e.words), q.left);
  q.arriving = e.rate;
  if (q.is_inbox()) return true;
  const burst_site site = s_.site_of(s_.core_of_queue(e.target));
  if ((q.flags & burst_queue::has_hold) != 0) release(site, e.target, q, now);
  evaluate(site, e.target, q, {0, false}, now);
  return false;
}

bool burst_streams::arrive_control(const burst_event& e, burst_time now) {
  burst_queue& q = s_.queue(e.target);
  q.advance(now);
  q.to_arrive = 0;
  q.on_way -= 1;
  q.left += one_word;
  add_mark(e.target, e.words);
  if (q.is_inbox()) return true;
  release(s_.site_of(s_.core_of_queue(e.target)), e.target, q, now);
  return false;
}

void burst_streams::wake(std::uint32_t number, burst_time now) {
  burst_queue& q = s_.queue(number);
  if ((q.flags & burst_queue::has_wake) == 0 || q.wake != static_cast<std::uint16_t>(now)) return;
  q.flags = static_cast<std::uint8_t>(q.flags & ~burst_queue::has_wake);
  q.advance(now);
  if (q.is_inbox())
    schedule(number, q, check_full(number, q, now), now);
  else if (q.is_node())
    evaluate_node(number, now);
}

void burst_streams::evaluate_node(std::uint32_t number, burst_time now) {
  burst_queue& q = s_.queue(number);
  if (!q.is_node()) return;
  if (q.t > now) return schedule(number, q, q.t, now);
  q.advance(now);
  const burst_site site = s_.site_of(s_.core_of_queue(number));
  if ((q.flags & burst_queue::has_hold) != 0) release(site, number, q, now);
  evaluate(site, number, q, {0, false}, now);
}

void burst_streams::check_merge(const burst_site& site, std::uint32_t number, const burst_queue& q, burst_time now) {
  const burst_rule& rule = site.image->rules[q.color];
  if (!is_served(site, q, rule)) return;
  s_.for_queues(site.core, [&](std::uint32_t other_number, const burst_queue& other) {
    if (other_number == number || !other.is_node() || other.color != q.color || !is_served(site, other, rule)) return;
    if (other.to_arrive <= moved(other.arriving, since(other.t, now))) return;
    const coordinate before = s_.layout.place_of(s_.violation_core);  // of one cycle, the first in rows
    if (now > s_.violation_cycle ||
        (now == s_.violation_cycle && std::pair(site.at.row, site.at.column) >= std::pair(before.row, before.column)))
      return;
    s_.violation_cycle = now;
    s_.violation_core = site.core;
    s_.violation_color = q.color;
  });
}

// --- ahead of the clock ---

bool burst_streams::run_ahead(const burst_arrival& a, burst_time now) {
  burst_queue& q = s_.queue(a.target);
  const burst_site site = s_.site_of(s_.core_of_queue(a.target));
  const burst_rule& rule = site.image->rules[q.color];
  if (rule.r->positions.size() > 1 || s_.code.merging_routes || !is_expected(a)) return false;
  if (!rule.own_sides && has_rivals(site, rule, a)) return false;
  target_list targets;
  fill_targets(site, rule.r->positions.front().transmit, a.target, q, now, targets);
  for (const std::uint32_t target : targets)
    if (!is_quiet(target)) return false;
  begin_ahead(q, a, a.rate);
  for (const std::uint32_t target : targets)
    announce(target, a.words, a.rate, true, a.at);
  return true;
}

// Whether another stream is at the sides that an arrival will leave through, or is on its way to them. One that will
// have passed by then is none; should it be late, the two meet in evaluate_shared().
bool burst_streams::has_rivals(const burst_site& site, const burst_rule& rule, const burst_arrival& a) {
  const unsigned sides = rule.r->positions.front().transmit.bits() & 0xfu;
  bool found = false;
  s_.for_queues(site.core, [&](std::uint32_t number, const burst_queue& q) {
    if (number == a.target || !q.is_node() || (q.on_way == 0 && q.left_at(a.at) == 0)) return;
    for (const route_position& position : site.image->rules[q.color].r->positions)
      found |= (position.transmit.bits() & sides) != 0;
  });
  return found;
}

// --- rates ---

// What a queue could send if nothing stood in its way: its backlog at once, then what arrives.
burst_rate burst_streams::supply(std::uint32_t number, const burst_queue& q) const {
  const burst_words behind = held(number, q);
  const burst_words open = q.left - behind;
  if (open <= 0) return 0;
  const burst_words arriving = q.to_arrive - behind;
  if (arriving <= 0) return full_rate;
  const burst_words backlog = open - arriving;
  return backlog > 0 && backlog >= moved(static_cast<burst_rate>(full_rate - q.arriving), 1) ? full_rate : q.arriving;
}

void burst_streams::make_candidate(candidate& c, const burst_site& site, const burst_rule& rule, std::uint32_t number,
                                   burst_queue& q, burst_time now) {
  c.number = number;
  c.queue = &q;
  c.sides = 0;
  c.demand = 0;
  c.targets.count = 0;
  q.advance(now);
  const route_position& position = position_of(site, rule);
  if (position.receive.contains(static_cast<port>(q.side)) && q.left > 0) {
    c.sides = position.transmit.bits() & 0xfu;
    c.demand = supply(number, q);
    fill_targets(site, position.transmit, number, q, now, c.targets);
    for (const std::uint32_t target : c.targets)
      if (c.demand != 0) c.demand = std::min(c.demand, room_rate(target, now));
  }
  c.granted = c.demand;
}

// Finds the rates of a queue and of those that share sides with it. `words`: new ones of this queue.
void burst_streams::evaluate(const burst_site& site, std::uint32_t number, burst_queue& q, new_words words,
                             burst_time now) {
  const burst_rule& rule = site.image->rules[q.color];
  if (!rule.own_sides) return evaluate_shared(site, number, words, now);
  candidate c;
  make_candidate(c, site, rule, number, q, now);
  apply(c, false, words, now);
}

void burst_streams::evaluate_shared(const burst_site& site, std::uint32_t announced, new_words words, burst_time now) {
  std::array<candidate, max_nodes> nodes;
  std::size_t count = 0;
  unsigned used = 0;
  bool contended = false;
  s_.for_queues(site.core, [&](std::uint32_t number, burst_queue& q) {
    if (!q.is_node() || (q.left_at(now) == 0 && q.leaving == 0)) return;
    const burst_rule& rule = site.image->rules[q.color];
    if (rule.own_sides) return;
    if (q.t > now) return schedule(number, q, q.t, now);  // ran ahead: it is looked at when it begins
    candidate& c = nodes[count++];
    make_candidate(c, site, rule, number, q, now);
    if (c.demand == 0) return;
    contended |= (used & c.sides) != 0;
    used |= c.sides;
  });
  if (contended) share(nodes.data(), count);
  for (std::size_t i = 0; i < count; ++i)
    apply(nodes[i], contended, nodes[i].number == announced ? words : new_words{0, false}, now);
}

// Every side carries one word per cycle. Streams that ask for less than their turn leave the rest to the others; a
// stream to several sides has the turn of the busiest of them.
void burst_streams::share(candidate* first, std::size_t count) {
  std::array<int, link_ports> room;
  room.fill(full_rate);
  std::array<bool, max_nodes> settled;
  std::fill_n(settled.begin(), count, false);
  for (std::size_t round = 0; round < count; ++round) {
    std::array<int, link_ports> users{};
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t side = 0; side < link_ports; ++side)
        users[side] += !settled[i] && first[i].demand != 0 && (first[i].sides >> side & 1u) != 0 ? 1 : 0;
    std::size_t least = count;
    int least_rate = full_rate + 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (settled[i]) continue;
      int turn = first[i].demand;
      for (std::size_t side = 0; side < link_ports && turn != 0; ++side)
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
  const bool changes = q.leaving != c.granted;
  q.leaving = c.granted;
  if (words.words != 0) {
    for (const std::uint32_t target : c.targets)
      announce(target, words.words, c.granted, words.fresh, now);
  } else if (changes) {
    const burst_words open = q.left - held(c.number, q);
    for (const std::uint32_t target : c.targets)
      if (open > 0) change_rate(target, open, c.granted, now);
  }
  schedule(c.number, q, next_change(c.number, q, contended, now), now);
}

// When a node's stream has to be looked at again if nothing else happens.
burst_time burst_streams::next_change(std::uint32_t number, burst_queue& q, bool contended, burst_time now) {
  burst_time next = never;
  const burst_words behind = held(number, q);
  const burst_words open = q.left - behind;
  const burst_words arriving = std::max(0, q.to_arrive - behind);
  if (arriving > 0 && q.arriving > 0 && q.leaving > q.arriving) {
    const burst_time until = cycles_to_move(open - arriving, static_cast<burst_rate>(q.leaving - q.arriving));
    if (until > 0 && until != never) next = now + until;
  }
  if (contended || behind > 0) {
    const burst_time until = cycles_to_finish(open, q.leaving);
    if (until > 0 && until != never) next = std::min(next, now + until);
  }
  if (may_fill(q)) next = std::min(next, check_full(number, q, now));
  return next;
}

}  // namespace scribeline::fabric
