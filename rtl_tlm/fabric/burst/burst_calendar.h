// The events of a burst run: a wheel with a list for every cycle of the near future and a heap for the rest.
//
// Events of one cycle come in three phases: switches move on and pipes are found full, then words and operations move,
// then main threads go on. Within a phase they come in the order in which they were added; events may be added to the
// current and later phases of the current cycle while it is served.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "rtl_tlm/fabric/burst/burst_pages.h"
#include "rtl_tlm/fabric/burst/burst_units.h"

namespace scribeline::fabric {

enum class burst_event_kind : std::uint8_t {
  arrival,      // target: queue; `words` more words begin to arrive
  rate,         // target: queue; what still arrives (`words`, in burst_words) goes on at another rate
  control,      // target: queue; a control word arrives, its bits are in `words`
  queue_wake,   // target: queue (first phase)
  thread_wake,  // target: thread
  source_wake,  // target: edge source
  limit,        // target: mover; the room behind it has changed (first phase)
  switched,     // target: core; the switch of color `words` moves on (first phase)
  resume,       // target: core; its main thread goes on (last phase)
  dispatch,     // target: core; its idle main thread looks for a task (last phase)
};

struct burst_event {
  std::uint32_t target = 0;
  std::uint32_t words = 0;
  burst_rate rate = 0;
  burst_event_kind kind = burst_event_kind::arrival;
  bool fresh = false;  // arrival: everything announced before has arrived
};

class burst_calendar {
 public:
  burst_calendar() : lists_(slots * phases), busy_(slots * phases / 64, 0) {}

  // Events are small enough to be passed in registers.
  void add(burst_time t, burst_event e) {
    if (t - now_ >= slots)
      far_add(t, e);
    else
      near_add(t, e);
    ++added_;
  }

  // The cycle of the next event, at least the current one; `never` when there is none.
  burst_time next_time() const {
    const burst_time near = next_near();
    if (far_.empty() || near <= far_.front().t) return near;
    return far_.front().t;
  }

  // Moves on to a cycle that is not behind the next event's.
  void advance(burst_time t) {
    now_ = t;
    while (!far_.empty() && far_.front().t - now_ < slots) {
      std::pop_heap(far_.begin(), far_.end(), later);
      near_add(far_.back().t, far_.back().event);
      far_.pop_back();
    }
  }

  // Serves the current cycle: look_ahead(event) a few events before serve(event).
  template <class Serve, class LookAhead>
  void serve(Serve&& serve_event, LookAhead&& look_ahead) {
    for (std::uint32_t phase = 0; phase < phases; ++phase)
      while (serve_list(list_of(now_, phase), serve_event, look_ahead)) {
      }
  }

  burst_time now() const { return now_; }
  std::uint64_t added() const { return added_; }
  std::size_t memory_bytes() const {
    return lists_.capacity() * sizeof(event_list) + busy_.capacity() * sizeof(std::uint64_t) + chunks_.memory_bytes() +
           far_.capacity() * sizeof(far_event);
  }

 private:
  static constexpr std::uint32_t slots = 1u << 14;
  static constexpr std::uint32_t phases = 3;
  static constexpr std::uint32_t none = 0xffffffffu;
  static constexpr std::uint32_t chunk_events = 42;  // a chunk is eight cache lines

  struct chunk {
    std::array<burst_event, chunk_events> events;
    std::uint32_t next = none;
  };
  struct event_list {
    std::uint32_t first = none;
    std::uint32_t last = none;
    std::uint32_t in_last = 0;  // events in the last chunk; the others are full
  };
  struct far_event {
    burst_time t;
    std::uint64_t number;
    burst_event event;
  };
  static bool later(const far_event& x, const far_event& y) { return x.t != y.t ? x.t > y.t : x.number > y.number; }

  static std::uint32_t list_of(burst_time t, std::uint32_t phase) { return t % slots * phases + phase; }

  static std::uint32_t phase_of(burst_event_kind kind) {
    if (kind >= burst_event_kind::resume) return 2;
    return kind == burst_event_kind::switched || kind == burst_event_kind::queue_wake || kind == burst_event_kind::limit
               ? 0
               : 1;
  }

  void near_add(burst_time t, burst_event e) {
    const std::uint32_t number = list_of(t, phase_of(e.kind));
    event_list& list = lists_[number];
    if (list.first == none) {
      list.first = list.last = new_chunk();
      list.in_last = 0;
      busy_[number / 64] |= std::uint64_t{1} << number % 64;
    } else if (list.in_last == chunk_events) {
      const std::uint32_t fresh = new_chunk();
      chunks_[list.last].next = fresh;
      list.last = fresh;
      list.in_last = 0;
    }
    chunks_[list.last].events[list.in_last++] = e;
  }

  void far_add(burst_time t, burst_event e) {
    far_.push_back({t, added_, e});
    std::push_heap(far_.begin(), far_.end(), later);
  }

  std::uint32_t new_chunk() {
    if (free_ == none) return chunks_.append();
    const std::uint32_t number = free_;
    free_ = chunks_[number].next;
    chunks_[number].next = none;
    return number;
  }

  // Whether there was anything. What is added meanwhile goes to a new list.
  template <class Serve, class LookAhead>
  bool serve_list(std::uint32_t number, Serve& serve_event, LookAhead& look_ahead) {
    constexpr std::uint32_t distance = 32;
    const event_list list = lists_[number];
    if (list.first == none) return false;
    lists_[number] = {};
    busy_[number / 64] &= ~(std::uint64_t{1} << number % 64);
    const std::uint32_t in_first = list.first == list.last ? list.in_last : chunk_events;
    for (std::uint32_t i = 0; i < std::min(distance, in_first); ++i)
      look_ahead(chunks_[list.first].events[i]);
    for (std::uint32_t current = list.first; current != none;) {
      const chunk& c = chunks_[current];
      const std::uint32_t count = current == list.last ? list.in_last : chunk_events;
      const std::uint32_t next = c.next;
      const chunk* following = next == none ? nullptr : &chunks_[next];
      const std::uint32_t count_following = following == nullptr ? 0 : next == list.last ? list.in_last : chunk_events;
      if (following != nullptr) prefetch(*following);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (i + distance < count)
          look_ahead(c.events[i + distance]);
        else if (i + distance - count < count_following)
          look_ahead(following->events[i + distance - count]);
        serve_event(c.events[i]);
      }
      chunks_[current].next = free_;
      free_ = current;
      current = next;
    }
    return true;
  }

  static void prefetch(const chunk& c) {
    __builtin_prefetch(&c);
    __builtin_prefetch(reinterpret_cast<const char*>(&c) + 64);
  }

  burst_time next_near() const {
    const std::uint32_t words = static_cast<std::uint32_t>(busy_.size());
    const std::uint32_t begin = list_of(now_, 0);
    for (std::uint32_t i = 0; i <= words; ++i) {
      const std::uint32_t w = (begin / 64 + i) % words;
      std::uint64_t bits = busy_[w];
      if (i == 0) bits &= ~std::uint64_t{0} << begin % 64;
      if (i == words) bits &= ~(~std::uint64_t{0} << begin % 64);
      if (bits == 0) continue;
      const std::uint32_t slot = (w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits))) / phases;
      return now_ + (slot - now_ % slots) % slots;
    }
    return never;
  }

  std::vector<event_list> lists_;
  std::vector<std::uint64_t> busy_;  // by list: not empty
  burst_pages<chunk, 10> chunks_;
  std::uint32_t free_ = none;
  std::vector<far_event> far_;  // a heap
  burst_time now_ = 0;
  std::uint64_t added_ = 0;
};

}  // namespace scribeline::fabric
