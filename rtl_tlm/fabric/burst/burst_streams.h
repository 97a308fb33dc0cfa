// Streams of a burst run between operations: how they go through pipes and nodes, share sides, fill up and resume.
#pragma once

#include <array>

#include "rtl_tlm/fabric/burst/burst_state.h"

namespace scribeline::fabric {

// A stream that begins to arrive.
struct burst_arrival {
  std::uint32_t target;  // queue
  std::uint32_t words;
  burst_time at;
  burst_rate rate;
};

class burst_streams {
 public:
  explicit burst_streams(burst_state& s);

  // --- pipes (burst_pipes.cpp) ---
  // Where a stream goes: a queue, or sink_target | the number of a sink.
  static constexpr std::uint32_t sink_target = 0x80000000u;
  // The pipe of a color that an operation fills, or an edge source.
  std::uint32_t target_of_core(const burst_site& site, color_id color, std::uint32_t mover, bool microthread,
                               burst_time now);
  std::uint32_t target_of_source(const burst_source& source, std::uint32_t mover, burst_time now);

  // A mover begins to send `words` more words at `rate`; fresh: it has sent all earlier ones. `now` may be a cycle to
  // come when the target is quiet.
  void announce(std::uint32_t target, std::uint32_t words, burst_rate rate, bool fresh, burst_time now);
  // It sends what is left of them at another rate.
  void change_rate(std::uint32_t target, burst_words left, burst_rate rate, burst_time now);
  // It sends one control word in this cycle.
  void announce_control(std::uint32_t target, std::uint32_t bits, burst_time now);
  // The rate that a target lets its feeder have.
  burst_rate room_rate(std::uint32_t target, burst_time now) {
    if ((target & sink_target) != 0 || s_.queue(target).imposed == no_limit) return full_rate;
    return imposed_rate(target, now);
  }
  // The reader of an inbox has set its `leaving`, or has taken words.
  void reader_changed(std::uint32_t number, burst_queue& q, burst_time now) {
    if (may_fill(q)) schedule(number, q, check_full(number, q, now), now);
  }

  // --- ahead of the clock ---
  // A stream that comes to a place where nothing else goes on needs no event to arrive: whatever happens until then
  // will find it there with a time in the future. These are the arrivals that may be such; who takes one tries to run
  // it ahead, and makes it an event when that fails.
  bool take_arrival(burst_arrival& a) {
    if (arrivals_.empty()) return false;
    const packed_arrival& last = arrivals_.back();
    a = {static_cast<std::uint32_t>(last.where), static_cast<std::uint32_t>(last.where >> 32),
         static_cast<burst_time>(last.when), static_cast<burst_rate>(last.when >> 32)};
    arrivals_.pop_back();
    return true;
  }
  void make_event(const burst_arrival& a) {
    s_.calendar.add(a.at, {a.target, a.words, a.rate, burst_event_kind::arrival, true});
  }
  // At a node. False when something else goes on.
  bool run_ahead(const burst_arrival& a, burst_time now);
  bool has_rivals(const burst_site& site, const burst_rule& rule, const burst_arrival& a);
  // Whether nothing but this arrival concerns its queue, or nothing at all a target.
  bool is_expected(const burst_arrival& a) const {
    const burst_queue& q = s_.queue(a.target);
    return q.left == 0 && q.on_way == a.words && q.imposed == no_limit && (q.flags & burst_queue::has_hold) == 0;
  }
  bool is_quiet(std::uint32_t target) const {
    if ((target & sink_target) != 0) return s_.sinks[target & ~sink_target].left == 0;
    const burst_queue& q = s_.queue(target);
    return q.left == 0 && q.on_way == 0 && q.imposed == no_limit && (q.flags & burst_queue::has_hold) == 0;
  }
  static void begin_ahead(burst_queue& q, const burst_arrival& a, burst_rate leaving) {
    q.t = a.at;
    q.on_way = 0;
    q.left = q.to_arrive = static_cast<burst_words>(a.words) * one_word;
    q.arriving = a.rate;
    q.leaving = leaving;
  }

  // --- nodes (burst_nodes.cpp) ---
  // Events at a queue. True when it is an inbox, whose core has to look at it.
  bool arrive(const burst_event& e, burst_time now);
  bool arrive_rate(const burst_event& e, burst_time now);
  bool arrive_control(const burst_event& e, burst_time now);
  void wake(std::uint32_t number, burst_time now);
  // The room behind a node, or what competes with it, has changed.
  void evaluate_node(std::uint32_t number, burst_time now);

  // --- control words (burst_holds.cpp) ---
  // The switch of a color moves on by one position.
  void move_switch(std::uint32_t core, color_id color, burst_time now);
  // Words of an inbox that its reader may have: those before the next control word.
  burst_words open_words(std::uint32_t number, const burst_queue& q) const { return q.left - held(number, q); }
  // At the end of a run that stands still: words that were announced and never went over a link count no more.
  void take_back_unsent();
  // Takes control words from the head of an inbox; the tasks that they activate are added to `activated`.
  void take_controls(std::uint32_t number, std::uint64_t& activated, burst_time now);

 private:
  struct new_words {
    std::uint32_t words;
    bool fresh;
  };
  struct target_list {
    std::array<std::uint32_t, ports> target;
    std::uint32_t count;
    const std::uint32_t* begin() const { return target.data(); }
    const std::uint32_t* end() const { return target.data() + count; }
  };
  struct candidate {  // no default values: there are arrays of it in hot places
    std::uint32_t number;
    burst_queue* queue;
    unsigned sides;
    burst_rate demand;
    burst_rate granted;
    target_list targets;
  };
  struct feed {
    burst_words words;
    burst_rate rate;
  };
  // Written and read at once: in the two parts in which it is read, or the processor waits for its own stores.
  struct packed_arrival {
    std::uint64_t where = 0;
    std::uint64_t when = 0;
  };
  static constexpr std::size_t max_nodes = burst_class::max_colors * ports;

  // Which ramps a pipe has: 1 to the core at its end, 2 from the core at its beginning.
  static unsigned ramps(const burst_queue& q) {
    return (q.is_inbox() ? 1u : 0u) | ((q.flags & burst_queue::from_core) != 0 ? 2u : 0u);
  }
  burst_time latency(const burst_queue& q) const {
    return static_cast<burst_time>(q.hops + q.longer) * hop_ + ramp_cycles_[ramps(q)];
  }
  burst_time delay(const burst_queue& q) const;
  void count_words(std::uint32_t number, const burst_queue& q, std::uint32_t words) {
    s_.word_hops += std::int64_t{words} * q.hops;
    s_.ramp_words += (ramps(q) + 1) / 2 * words;
    if (!s_.link_words.empty()) count_links(s_.core_of_queue(number), q.side, q.color, q.hops, words);
  }
  void count_words(const burst_sink& sink, std::uint32_t words) {
    s_.word_hops += std::int64_t{words} * sink.hops;
    if (!s_.link_words.empty())
      count_links(sink.core, burst_queue::inbox_side, static_cast<std::uint8_t>(sink.color), sink.hops, words);
  }
  // --- links (burst_links.cpp) ---
  std::uint32_t& words_of_link(coordinate from, port side);
  void count_links(std::uint32_t core, std::uint8_t side, std::uint8_t color, std::uint32_t hops, std::uint32_t words);
  void take_back(std::uint32_t number, const burst_queue& q);
  std::uint32_t open(const burst_pipe_end& end, color_id color, std::uint32_t mover, std::uint8_t flags,
                     burst_time extra_latency, int output_words, burst_time now);
  std::uint32_t open_inbox(const burst_site& site, color_id color, std::uint32_t mover, burst_time now);
  std::uint32_t find_sink(std::uint32_t core, port side, color_id color) const;
  void fill_targets(const burst_site& site, port_set transmit, std::uint32_t number, burst_queue& q, burst_time now,
                    target_list& list);
  bool is_child(const burst_queue& q, std::uint32_t mover) const;

  const route_position& position_of(const burst_site& site, const burst_rule& rule) const {
    return rule.r->positions[s_.switch_position(site.core, rule)];
  }
  bool is_served(const burst_site& site, const burst_queue& q, const burst_rule& rule) const {
    return position_of(site, rule).receive.contains(static_cast<port>(q.side));
  }

  void evaluate(const burst_site& site, std::uint32_t number, burst_queue& q, new_words words, burst_time now);
  void evaluate_shared(const burst_site& site, std::uint32_t announced, new_words words, burst_time now);
  void make_candidate(candidate& c, const burst_site& site, const burst_rule& rule, std::uint32_t number,
                      burst_queue& q, burst_time now);
  burst_rate supply(std::uint32_t number, const burst_queue& q) const;
  static void share(candidate* first, std::size_t count);
  void apply(const candidate& c, bool contended, new_words words, burst_time now);
  burst_time next_change(std::uint32_t number, burst_queue& q, bool contended, burst_time now);
  void check_merge(const burst_site& site, std::uint32_t number, const burst_queue& q, burst_time now);

  burst_rate imposed_rate(std::uint32_t number, burst_time now);
  static bool may_fill(const burst_queue& q) {
    return q.imposed != no_limit || q.on_way != 0 || (q.left > 0 && q.to_arrive > 0 && q.arriving > q.leaving);
  }
  feed feed_of(std::uint32_t number, const burst_queue& q, burst_time now) const;
  burst_time check_full(std::uint32_t number, burst_queue& q, burst_time now);
  void watch_room(std::uint32_t number, burst_queue& q, burst_rate rate, burst_time now);
  void limit_feeder(const burst_queue& q, burst_time at);
  void schedule(std::uint32_t number, burst_queue& q, burst_time at, burst_time now);

  burst_words held(std::uint32_t number, const burst_queue& q) const {
    return (q.flags & burst_queue::has_hold) != 0 ? s_.find_hold(number)->words : 0;
  }
  void hold_words(std::uint32_t number, std::uint32_t words);
  void add_mark(std::uint32_t number, std::uint32_t bits);
  std::uint32_t take_mark(burst_hold& hold);
  burst_words take_segment(burst_hold& hold);
  void drop_hold(std::uint32_t number, burst_hold& hold);
  void release(const burst_site& site, std::uint32_t number, burst_queue& q, burst_time now);
  void pass_control(const burst_site& site, std::uint32_t number, burst_queue& q, burst_hold& hold, burst_time now);

  burst_state& s_;
  std::vector<packed_arrival> arrivals_;
  burst_time hop_;
  burst_time ramp_out_;
  std::array<burst_time, 4> ramp_cycles_;  // by ramps()
  burst_time microthread_wake_;
  int link_words_;
};

}  // namespace scribeline::fabric
