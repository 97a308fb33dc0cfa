// Streams of a burst run between operations: how they go through pipes and nodes, share sides, fill up and resume.
#pragma once

#include <array>

#include "rtl_tlm/fabric/burst_state.h"

namespace scribeline::fabric {

class burst_streams {
 public:
  explicit burst_streams(burst_state& s);

  // Where a stream goes: a queue, or sink_target | the number of a sink.
  static constexpr std::uint32_t sink_target = 0x80000000u;
  // The pipe of a color that an operation fills. `pops`: see control_after.
  std::uint32_t target_of_core(std::uint32_t core, color_id color, std::uint32_t mover, bool microthread,
                               burst_time now);
  std::uint32_t target_of_source(const burst_source& source, std::uint32_t mover, burst_time now);

  // A mover begins to send `words` more words at `rate`; fresh: it has sent all earlier ones.
  void announce(std::uint32_t target, std::uint32_t words, burst_rate rate, bool fresh, burst_time now);
  // It sends what is left of them at another rate.
  void change_rate(std::uint32_t target, burst_words left, burst_rate rate, burst_time now);
  // A mover sends one control word in this cycle.
  void announce_control(std::uint32_t target, std::uint32_t bits, burst_time now);
  // The rate that a target lets its feeder have.
  burst_rate room_rate(std::uint32_t target, burst_time now);

  // Events. arrive returns true when there is something new for the core of an inbox.
  bool arrive(const burst_event& e, burst_time now);
  bool arrive_rate(const burst_event& e, burst_time now);
  bool arrive_control(std::uint32_t number, std::uint32_t bits, burst_time now);
  void wake(std::uint32_t number, burst_time now);
  void evaluate_router(std::uint32_t core, burst_time now) { evaluate(core, no_index, {}, now); }
  void switches_changed(std::uint32_t core, color_id color, burst_time now);

  // The reader of an inbox has set its `leaving`, or has taken words.
  void reader_changed(std::uint32_t number, burst_time now);
  // Words of an inbox that its reader may have: those before the next control word.
  burst_words open_words(std::uint32_t number, const burst_queue& q);
  // Takes control words from the head of an inbox; true when there was one. They activate tasks in `activated`.
  bool take_controls(std::uint32_t number, std::uint64_t& activated, burst_time now);

 private:
  struct new_words {
    std::uint32_t words = 0;
    bool fresh = false;
  };
  struct candidate {
    std::uint32_t number = 0;
    burst_queue* queue = nullptr;
    unsigned sides = 0;
    burst_rate demand = 0;
    burst_rate granted = 0;
  };
  struct feed {
    burst_words words = 0;
    burst_rate rate = 0;
  };
  static constexpr std::size_t max_nodes = 64;

  burst_time latency(const burst_queue& q) const;
  burst_time delay(const burst_queue& q) const;
  std::uint32_t open(const burst_pipe_end& end, color_id color, std::uint32_t mover, std::uint8_t flags,
                     burst_time extra_latency, int output_words, burst_time now);
  std::uint32_t find_sink(std::uint32_t core, port side, color_id color) const;

  bool is_child(const burst_queue& q, std::uint32_t mover) const;
  template <class Visit>
  void for_targets(std::uint32_t number, burst_queue& q, burst_time now, Visit&& visit);
  const route_position& position_of(std::uint32_t core, const burst_rule& rule) const {
    return rule.r->positions[s_.switch_position(core, rule)];
  }
  bool is_served(std::uint32_t core, const burst_queue& q, const burst_rule& rule) const {
    return position_of(core, rule).receive.contains(static_cast<port>(q.side));
  }

  void evaluate(std::uint32_t core, std::uint32_t announced, new_words words, burst_time now);
  candidate make_candidate(std::uint32_t number, burst_queue& q, std::uint32_t core, burst_time now);
  burst_rate demand(std::uint32_t number, burst_queue& q, burst_time now);
  static void share(candidate* first, std::size_t count);
  void apply(const candidate& c, bool contended, new_words words, burst_time now);
  burst_time next_change(std::uint32_t number, const burst_queue& q, bool contended, burst_time now);
  void schedule(std::uint32_t number, burst_queue& q, burst_time at, burst_time now);
  burst_words held(std::uint32_t number, const burst_queue& q);

  feed feed_of(std::uint32_t number, const burst_queue& q, burst_time now);
  burst_time check_full(std::uint32_t number, burst_queue& q, burst_time now);
  void watch_room(std::uint32_t number, burst_queue& q, burst_rate rate, burst_time now);
  void limit_feeder(const burst_queue& q, burst_time at);

  void hold_words(std::uint32_t number, std::uint32_t words);
  void add_mark(std::uint32_t number, std::uint32_t bits);
  std::uint32_t take_mark(burst_hold& hold);
  void drop_hold(std::uint32_t number, burst_hold& hold);
  void release(std::uint32_t number, burst_time now);
  void pass_control(std::uint32_t number, burst_queue& q, burst_hold& hold, burst_time now);
  void check_merge(std::uint32_t number, const burst_queue& q, burst_time now);

  burst_state& s_;
  burst_time hop_;
  burst_time ramp_in_;
  burst_time ramp_out_;
  burst_time microthread_wake_;
  int link_words_;
};

}  // namespace scribeline::fabric
