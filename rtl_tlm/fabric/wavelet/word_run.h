// Parts of a run of words: a walk around the ring of each queue that takes part, and when a writer learns of room.
#pragma once

#include "rtl_tlm/fabric/wavelet/word_queue.h"

namespace scribeline::fabric {

// What limits a run besides its queues.
struct run_limits {
  std::uint32_t end = 0;     // no word moves in or behind this cycle
  std::uint32_t period = 1;  // cycles from word to word, at least
  std::uint32_t most = 0;    // words
  bool waits = false;        // goes on behind a wait for data or room that come in a known cycle
};

// Words moved, at least one, and when the last one did.
struct word_run {
  std::uint32_t words = 0;
  std::uint32_t last = 0;
};

// From slot to slot of a ring of times.
struct ring_walk {
  std::uint32_t* slot = nullptr;
  std::uint32_t* begin = nullptr;
  std::uint32_t* end = nullptr;

  void put(std::uint32_t time) {
    *slot = time;
    if (++slot == end) slot = begin;
  }
};

// A router or the main thread sees room in the cycle in which it comes.
struct room_at_once {
  static std::uint32_t from(std::uint32_t free_at) { return free_at; }
  static std::uint32_t paced_from(std::uint32_t) { return 0; }
  static void push(std::uint32_t) {}
};

// A microthread learns of room some cycles later, unless it was there from the beginning.
struct room_with_wake {
  std::uint32_t wake = 0;

  std::uint32_t from(std::uint32_t free_at) const { return free_at == 0 ? 0 : free_at + wake; }
  static std::uint32_t paced_from(std::uint32_t) { return 0; }
  static void push(std::uint32_t) {}
};

// The queue has a pace, which a microthread keeps (the main thread: a pace and wake of 0 cycles). Pushes are noted.
struct room_with_pace {
  room_with_pace(const word_queue& q, std::uint32_t* times, bool is_microthread, std::uint32_t wake_cycles)
      : pushes{times + q.pace_slot(q.words), times + q.ring + q.capacity, times + q.ring + q.slots()},
        wake{is_microthread ? wake_cycles : 0},
        cycles(is_microthread ? q.pace_cycles : 0),
        first_paced(q.words < q.pace_words ? q.pace_words - q.words : 0) {}

  std::uint32_t from(std::uint32_t free_at) const { return wake.from(free_at); }
  // Of the word behind `moved` others.
  std::uint32_t paced_from(std::uint32_t moved) const { return moved < first_paced ? 0 : *pushes.slot + cycles; }
  void push(std::uint32_t t) { pushes.put(t); }

  ring_walk pushes;
  room_with_wake wake;
  std::uint32_t cycles;
  std::uint32_t first_paced;
};

}  // namespace scribeline::fabric
