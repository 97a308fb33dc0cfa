// Moves words into and out of queues, one at a time or in runs, and wakes who is concerned: the reader of a queue that
// was empty, the writer who found one full. Others look again by themselves at times they know.
#pragma once

#include <algorithm>

#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

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
  const std::uint32_t* times() const { return times_; }

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

  // --- runs of data words, `period` cycles apart from cycle t on ---

  // How many of the next `most` words a reader finds in time: at least 1 when the first is.
  std::uint32_t count_ready(const word_queue& q, std::uint32_t t, std::uint32_t period, std::uint32_t most) const {
    return count_in_time(q, 0, t, period, std::min<std::uint32_t>(most, q.count));
  }

  // How many of the next `most` words find room in time. A microthread learns of room `wake` cycles later and keeps the
  // pace of the queue.
  std::uint32_t count_room(const word_queue& q, std::uint32_t t, std::uint32_t period, std::uint32_t most,
                           std::uint32_t wake) const {
    most = std::min<std::uint32_t>(most, static_cast<std::uint32_t>(q.capacity - q.count));
    if (wake != 0 && q.pace_words != 0) most = std::min<std::uint32_t>(most, paced_words(q, t));
    return count_in_time(q, q.count, t > wake ? t - wake : 0, period, most);
  }

  void pop_many(std::uint32_t number, std::uint32_t t, std::uint32_t period, std::uint32_t n) {
    word_queue& q = queues_[number];
    if (q.writer_waits) wake_writer(number, q, t + q.delay);
    fill_times(q, 0, t + q.delay, period, n);
    q.head = static_cast<std::uint16_t>(q.slot_at(n) - q.ring);
    q.count = static_cast<std::uint16_t>(q.count - n);
  }

  // Pushes words without values.
  void push_many(std::uint32_t number, std::uint32_t t, std::uint32_t period, std::uint32_t n) {
    word_queue& q = queues_[number];
    if (q.count == 0) wake_reader(q, t + q.latency);
    fill_times(q, q.count, t + q.latency, period, n);
    if (q.pace_words != 0) note_pushes(q, t, period, n);
    q.count = static_cast<std::uint16_t>(q.count + n);
    q.words += n;
  }

  // Copies the first n words of a queue behind the last one of another; push_many follows.
  void copy_many(const word_queue& from, const word_queue& to, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i)
      words_[to.slot_at(to.count + i)] = words_[from.slot_at(i)];
  }

  void act(std::uint32_t t) { last_action_ = last_action_ < t ? t : last_action_; }
  std::uint32_t last_action() const { return last_action_; }

 private:
  // How many of `most` slots, from the first-th behind the head on, have times up to t, t + period, ... (A control
  // word's time is beyond every cycle.) Slots were filled and freed a cycle apart at least, so with a period of 1 all
  // are in time when the last one is, and the answer can be searched.
  std::uint32_t count_in_time(const word_queue& q, std::uint32_t first, std::uint32_t t, std::uint32_t period,
                              std::uint32_t most) const {
    const auto in_time = [&](std::uint32_t i) { return times_[q.slot_at(first + i)] <= t + i * period; };
    if (most == 0) return 0;
    std::uint32_t known = 0;  // that many are in time
    if (period == 1 && !StoresWords) {
      if (in_time(most - 1)) return most;
      std::uint32_t late = most - 1;
      while (known < late) {
        const std::uint32_t middle = (known + late) / 2;
        if (in_time(middle))
          known = middle + 1;
        else
          late = middle;
      }
      return known;
    }
    while (known < most && in_time(known))
      ++known;
    return known;
  }

  void fill_times(const word_queue& q, std::uint32_t first, std::uint32_t time, std::uint32_t period, std::uint32_t n) {
    std::uint32_t* const begin = times_ + q.ring;
    fill_ring(begin, begin + q.capacity, times_ + q.slot_at(first), time, period, n);
  }
  // From `slot` on, around the end.
  static void fill_ring(std::uint32_t* begin, std::uint32_t* end, std::uint32_t* slot, std::uint32_t time,
                        std::uint32_t period, std::uint32_t n) {
    for (; n != 0; --n, time += period) {
      *slot = time;
      if (++slot == end) slot = begin;
    }
  }

  // How many words a microthread may push from cycle t on before it has to look at its pace again.
  // Words were pushed a cycle apart at least, so all may go when the last one may.
  std::uint32_t paced_words(const word_queue& q, std::uint32_t t) const {
    if (q.words < q.pace_words) return q.pace_words - q.words;
    const std::uint32_t* const begin = times_ + q.ring + q.capacity;
    const std::uint32_t* const end = begin + q.pace_words;
    const std::uint32_t* slot = times_ + q.pace_slot(q.words);
    const std::uint32_t* const last = slot == begin ? end - 1 : slot - 1;
    if (*last + q.pace_cycles <= t + q.pace_words - 1) return q.pace_words;
    std::uint32_t allowed = 0;
    while (*slot + q.pace_cycles <= t + allowed) {
      ++allowed;
      if (++slot == end) slot = begin;
    }
    return allowed;
  }
  void note_pushes(const word_queue& q, std::uint32_t t, std::uint32_t period, std::uint32_t n) {
    std::uint32_t* const begin = times_ + q.ring + q.capacity;
    fill_ring(begin, begin + q.pace_words, times_ + q.pace_slot(q.words), t, period, n);
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
