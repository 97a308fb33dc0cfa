// Pipes of a burst run: where they lead to, what is on its way in them, and what happens when they are full.
#include <algorithm>
#include <tuple>

#include "rtl_tlm/fabric/burst/burst_streams.h"

namespace scribeline::fabric {
namespace {

// What is left of a control word behind some routers.
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
      ramp_out_(static_cast<burst_time>(s.chip.core.execute_cycles + s.chip.ramp_send_cycles)),
      ramp_cycles_{0, static_cast<burst_time>(s.chip.ramp_receive_cycles), ramp_out_,
                   ramp_out_ + static_cast<burst_time>(s.chip.ramp_receive_cycles)},
      microthread_wake_(static_cast<burst_time>(s.chip.core.microthread_wake_cycles)),
      link_words_(s.chip.router_queue_words + static_cast<int>(s.chip.hop_cycles)) {}

// --- where they lead to ---

// Cycles until the feeder knows of room at the end.
burst_time burst_streams::delay(const burst_queue& q) const {
  return q.hops + (ramps(q) + 1) / 2 + ((q.flags & burst_queue::from_microthread) != 0 ? microthread_wake_ : 0u);
}

std::uint32_t burst_streams::open(const burst_pipe_end& end, color_id color, std::uint32_t mover, std::uint8_t flags,
                                  burst_time extra_latency, int output_words, burst_time now) {
  const std::uint32_t core = s_.layout.core_of(end.where);
  if (end.what == burst_pipe_end::kind::sink) {
    const std::uint32_t number = find_sink(core, end.side, color);
    s_.sinks[number].latency = static_cast<burst_time>(end.hops + end.longer) * hop_ + extra_latency;
    s_.sinks[number].hops = static_cast<std::uint32_t>(end.hops);
    return sink_target | number;
  }
  const bool inbox = end.what == burst_pipe_end::kind::inbox;
  const std::uint8_t side = inbox ? burst_queue::inbox_side : static_cast<std::uint8_t>(index(end.side));
  const std::uint32_t number = s_.need_queue(core, color, side, now);
  burst_queue& q = s_.queue(number);
  // A link of several hops carries a word per cycle, too: it holds one for each of its cycles.
  const int words = end.hops * link_words_ + end.longer * static_cast<int>(hop_) + output_words +
                    (inbox ? s_.layout.class_of(end.where).input_words[static_cast<std::size_t>(color)] : 0);
  constexpr int kept = burst_queue::has_hold | burst_queue::has_wake;
  q.advance(now);
  q.feeder = mover;
  q.hops = static_cast<std::uint16_t>(end.hops);
  q.longer = static_cast<std::uint16_t>(end.longer);
  q.words = static_cast<std::uint16_t>(std::min(words, 0xffff));
  q.flags = static_cast<std::uint8_t>((q.flags & kept) | flags);
  return number;
}

// From a node to its own core.
std::uint32_t burst_streams::open_inbox(const burst_site& site, color_id color, std::uint32_t mover, burst_time now) {
  const std::uint32_t number = s_.need_queue(site.core, color, burst_queue::inbox_side, now);
  burst_queue& q = s_.queue(number);
  q.advance(now);
  q.feeder = mover;
  q.hops = q.longer = 0;
  q.words = site.image->input_words[static_cast<std::size_t>(color)];
  return number;
}

std::uint32_t burst_streams::target_of_core(const burst_site& site, color_id color, std::uint32_t mover,
                                            bool microthread, burst_time now) {
  const auto flags =
      static_cast<std::uint8_t>(burst_queue::from_core | (microthread ? burst_queue::from_microthread : 0));
  return open(s_.layout.follow(site.at, port::ramp, color, 0), color, mover, flags, ramp_out_,
              site.image->output_words[static_cast<std::size_t>(color)], now);
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

bool burst_streams::is_child(const burst_queue& q, std::uint32_t mover) const {
  if (q.child == no_index) return false;
  if ((q.child & sink_target) != 0) return true;
  const burst_queue& child = s_.queue(q.child);
  return child.feeder == mover && child.color == q.color && child.is_used();
}

// Where the head of a node's queue goes, sides in order.
void burst_streams::fill_targets(const burst_site& site, port_set transmit, std::uint32_t number, burst_queue& q,
                                 burst_time now, target_list& list) {
  const std::uint32_t mover = mover_of(burst_mover::queue, number);
  const bool one_link = (transmit.bits() & 0xfu & (transmit.bits() - 1u)) == 0;
  list.count = 0;
  for (unsigned sides = transmit.bits() & 0xfu; sides != 0; sides &= sides - 1) {
    const auto side = static_cast<port>(__builtin_ctz(sides));
    if (!one_link || !is_child(q, mover)) {
      const coordinate next = neighbour(site.at, side);
      const burst_pipe_end end = s_.layout.inside(next) ? s_.layout.follow(next, opposite(side), q.color, 1)
                                                        : burst_pipe_end{burst_pipe_end::kind::sink, site.at, side, 0};
      q.child = open(end, q.color, mover, 0, 0, 0, now);
    }
    list.target[list.count++] = q.child;
  }
  if (transmit.contains(port::ramp)) list.target[list.count++] = open_inbox(site, q.color, mover, now);
}

// --- what is on its way ---

void burst_streams::announce(std::uint32_t target, std::uint32_t words, burst_rate rate, bool fresh, burst_time now) {
  if ((target & sink_target) != 0) {
    burst_sink& sink = s_.sinks[target & ~sink_target];
    if (sink.words == 0) sink.first = now + sink.latency;
    sink.advance(now);
    if (fresh) sink.left = 0;
    sink.left += static_cast<burst_words>(words) * one_word;
    sink.words += words;
    sink.rate = rate;
    count_words(sink, words);
    return;
  }
  burst_queue& q = s_.queue(target);
  const bool was_empty = q.on_way == 0 && q.left == 0;
  q.on_way += words;
  count_words(target, q, words);
  if (was_empty && fresh && rate != 0) {
    packed_arrival& next = arrivals_.emplace_back();
    next.where = target | std::uint64_t{words} << 32;
    next.when = (now + latency(q)) | std::uint64_t{rate} << 32;
    return;
  }
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
  s_.calendar.add(now + latency(q), {target, static_cast<std::uint32_t>(left), rate, burst_event_kind::rate, false});
  watch_room(target, q, rate, now);
}

void burst_streams::announce_control(std::uint32_t target, std::uint32_t bits, burst_time now) {
  if ((target & sink_target) != 0) return count_words(s_.sinks[target & ~sink_target], 1);
  burst_queue& q = s_.queue(target);
  const int delivered = q.is_inbox() ? 1 : 0;
  const int routers = (ramps(q) & 2u) != 0 ? q.hops + delivered : q.hops > 0 ? q.hops - 1 + delivered : 0;
  q.on_way += 1;
  count_words(target, q, 1);
  s_.calendar.add(now + latency(q), {target, popped(bits, routers), full_rate, burst_event_kind::control, false});
}

// --- full pipes ---

burst_rate burst_streams::imposed_rate(std::uint32_t number, burst_time now) {
  burst_queue& q = s_.queue(number);
  q.advance(now);
  schedule(number, q, check_full(number, q, now), now);
  return std::min(q.imposed, full_rate);
}

// What a feeder has announced and not sent, and its rate.
burst_streams::feed burst_streams::feed_of(std::uint32_t number, const burst_queue& q, burst_time now) const {
  if (q.feeder == no_index) return {0, 0};
  const std::uint32_t i = q.feeder & mover_index_mask;
  switch (mover_kind(q.feeder)) {
    case burst_mover::queue: {
      const burst_queue& f = s_.queue(i);
      if (!f.is_node() || f.color != q.color) return {0, 0};
      return {f.left_at(now) - held(i, f), f.leaving};
    }
    case burst_mover::thread: {
      const burst_thread& thread = s_.thread(i);
      if (thread.out != number || thread.state != burst_thread_state::moving) return {0, 0};
      return {thread.left_at(now), thread.rate};
    }
    case burst_mover::source: {
      const burst_source& source = s_.sources[i];
      if (source.out != number) return {0, 0};
      return {source.left_at(now), source.rate};
    }
  }
  return {0, 0};
}

// Imposes a limit on the feeder while the pipe is full; the cycle in which it will be full at the present rates.
burst_time burst_streams::check_full(std::uint32_t number, burst_queue& q, burst_time now) {
  constexpr burst_words nearly_nothing = one_word / 16;
  const feed f = feed_of(number, q, now);
  if (f.words <= 0) {
    q.imposed = no_limit;
    return never;
  }
  const burst_words inside = q.left + static_cast<burst_words>(q.on_way) * one_word - f.words;
  const burst_time back = delay(q);
  const burst_words room = q.words * one_word - inside - moved(q.leaving, back);
  if (room <= nearly_nothing) {
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

// A feeder that speeds up may fill a pipe before its words get to the end.
void burst_streams::watch_room(std::uint32_t number, burst_queue& q, burst_rate rate, burst_time now) {
  if (rate <= q.leaving) return;
  q.advance(now);
  schedule(number, q, check_full(number, q, now), now);
}

// Whoever is woken finds out what is next, so the earliest wake-up is enough.
void burst_streams::schedule(std::uint32_t number, burst_queue& q, burst_time at, burst_time now) {
  if (at == never || at <= now) return;
  const auto pending = static_cast<std::uint16_t>(q.wake - static_cast<std::uint16_t>(now));
  if ((q.flags & burst_queue::has_wake) != 0 && pending != 0 && pending <= at - now) return;
  q.wake = static_cast<std::uint16_t>(at);
  q.flags |= burst_queue::has_wake;
  s_.calendar.add(at, {number, 0, 0, burst_event_kind::queue_wake, false});
}

}  // namespace scribeline::fabric
