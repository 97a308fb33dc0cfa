// Moves words into and out of queues, one at a time or in runs, and wakes who is concerned: the reader of a queue that
// was empty, the writer who found one full. Others look again by themselves at times they know.
#pragma once

#include <algorithm>
#include <array>

#include "rtl_tlm/fabric/wavelet/wavelet_state.h"
#include "rtl_tlm/fabric/wavelet/word_run.h"

namespace scribeline::fabric {

template <bool StoresWords>
class word_transfer {
 public:
  explicit word_transfer(wavelet_state& s)
      : s_(s),
        queues_(s.queues.data()),
        times_(s.slot_times.data()),
        words_(s.slot_words.data()),
        routers_(s.routers.data()),
        merging_(s.code.merging_routes) {}

  word_queue& queue(std::uint32_t number) { return queues_[number]; }
  std::uint32_t* times() const { return times_; }

  [[gnu::always_inline]] void push(std::uint32_t number, std::uint32_t word, bool is_control, std::uint32_t t) {
    word_queue& q = queues_[number];
    if constexpr (StoresWords) words_[q.slot_at(q.count)] = word;
    q.push(times_, t, is_control);
    if (q.count == 1) wake_reader(q, t + q.latency);
    if (StoresWords && is_control && q.side == queue_side::core_input)
      s_.cores[q.reader].flags |= core_state::control_came;
    if (merging_ && q.side != queue_side::core_input) check_merge(number, t + q.latency);
  }

  // Takes the head, which is visible.
  [[gnu::always_inline]] std::uint32_t pop(std::uint32_t number, word_queue& q, std::uint32_t t) {
    std::uint32_t word = 0;
    if constexpr (StoresWords) word = words_[q.head_slot()];
    if (q.writer_waits) wake_writer(number, q, t + q.delay);
    q.pop(times_, t);
    return word;
  }

  // The head cannot leave before a cycle: as good as seen then.
  void delay_head(const word_queue& q, std::uint32_t cycle) {
    std::uint32_t& time = times_[q.head_slot()];
    if ((time & ~word_queue::control) < cycle) time = cycle | (time & word_queue::control);
  }

  // Moves data words out of all queues of `in` into all queues of `out`, in each cycle that the queues allow; the first
  // one can surely move in cycle t. Values go with the words when there is one queue to take them from.
  template <std::size_t Ins, std::size_t Outs, class Room>
  word_run move_words(const std::uint32_t* in, const std::uint32_t* out, std::uint32_t t, const run_limits& limits,
                      Room room) {
    std::array<ring_walk, Ins> sources;
    std::array<std::uint32_t, Ins> delays;
    std::array<ring_walk, Outs> targets;
    std::array<std::uint32_t, Outs> latencies;
    std::uint32_t most = limits.most;
    for (std::size_t i = 0; i < Ins; ++i) {
      word_queue& q = queues_[in[i]];
      if (q.writer_waits) wake_writer(in[i], q, t + q.delay);
      sources[i] = walk(q, q.head_slot());
      delays[i] = q.delay;
      most = std::min<std::uint32_t>(most, q.count);
    }
    for (std::size_t i = 0; i < Outs; ++i) {
      const word_queue& q = queues_[out[i]];
      if (q.count == 0) wake_reader(q, t + q.latency);
      targets[i] = walk(q, q.slot_at(q.count));
      latencies[i] = q.latency;
      most = std::min<std::uint32_t>(most, static_cast<std::uint32_t>(q.capacity - q.count));
    }
    word_run run;
    while (true) {
      for (std::size_t i = 0; i < Outs; ++i) {
        if constexpr (StoresWords && Ins == 1) words_[targets[i].slot - times_] = words_[sources[0].slot - times_];
        targets[i].put(t + latencies[i]);
      }
      for (std::size_t i = 0; i < Ins; ++i)
        sources[i].put(t + delays[i]);
      room.push(t);
      run.last = t;
      if (++run.words == most) break;
      std::uint32_t possible = room.paced_from(run.words);
      for (const ring_walk& source : sources)
        possible = std::max(possible, *source.slot);  // a control word's time is beyond every cycle
      for (const ring_walk& target : targets)
        possible = std::max(possible, room.from(*target.slot));
      t += limits.period;
      if (possible > t && !limits.waits) break;
      t = std::max(t, possible);
      if (t >= limits.end) break;
    }
    for (std::size_t i = 0; i < Ins; ++i) {
      word_queue& q = queues_[in[i]];
      q.head = static_cast<std::uint16_t>(sources[i].slot - sources[i].begin);
      q.count = static_cast<std::uint16_t>(q.count - run.words);
    }
    for (std::size_t i = 0; i < Outs; ++i) {
      word_queue& q = queues_[out[i]];
      q.count = static_cast<std::uint16_t>(q.count + run.words);
      q.words += run.words;
    }
    act(run.last);
    return run;
  }

  void act(std::uint32_t t) { last_action_ = last_action_ < t ? t : last_action_; }
  std::uint32_t last_action() const { return last_action_; }

 private:
  ring_walk walk(const word_queue& q, std::uint32_t slot) const {
    return {times_ + slot, times_ + q.ring, times_ + q.ring + q.capacity};
  }

  void wake_reader(const word_queue& q, std::uint32_t cycle) {
    if (q.side == queue_side::core_input) return s_.core_wheel.set(q.reader, cycle);
    routers_[q.reader].occupied |= 1u << q.slot;
    s_.router_wheel.set(q.reader, cycle);
  }

  [[gnu::noinline]] void wake_writer(std::uint32_t number, word_queue& q, std::uint32_t cycle) {
    q.writer_waits = 0;
    const std::uint32_t writer = s_.layout.writers[number];
    const std::uint32_t core = writer & ~written_by_core;
    if ((writer & written_by_core) != 0)
      s_.core_wheel.set(core, cycle);
    else
      s_.router_wheel.set(core, cycle);
  }

  // Merging routes: no other queue that the current position serves may get a word in the same cycle.
  [[gnu::noinline]] void check_merge(std::uint32_t number, std::uint32_t arrival) {
    const word_queue& q = queues_[number];
    if (q.transmit == 0) return;
    for (const std::int8_t slot : s_.image_of(q.reader).router_slot[q.color]) {
      if (slot < 0 || slot == static_cast<int>(q.slot)) continue;
      const word_queue& other = queues_[routers_[q.reader].base + static_cast<std::uint32_t>(slot)];
      if (other.transmit == 0) continue;
      for (unsigned n = 0; n < other.count; ++n)
        if ((times_[other.slot_at(n)] & ~word_queue::control) == arrival) report_merge(arrival, q.reader, q.color);
    }
  }

  void report_merge(std::uint32_t arrival, std::uint32_t core, color_id color) {
    if (arrival > s_.violation_cycle || (arrival == s_.violation_cycle && core >= s_.violation_core)) return;
    s_.violation_cycle = arrival;
    s_.violation_core = core;
    s_.violation_color = color;
  }

  wavelet_state& s_;
  word_queue* queues_;
  std::uint32_t* times_;
  std::uint32_t* words_;
  router_state* routers_;
  bool merging_;
  std::uint32_t last_action_ = 0;
};

}  // namespace scribeline::fabric
