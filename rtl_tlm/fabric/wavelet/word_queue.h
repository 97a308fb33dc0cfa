// One queue of words: of a router (one color, one receive side), of a core's output or of a core's input.
//
// A queue is a ring of slots, each with one time: of a word, when the reader sees it; of an empty slot, when the
// writer may use it again. Both ends therefore see the other's actions of earlier cycles only, and the order in which
// routers and cores are visited within a cycle does not matter.
//
// Stages that words pass one after the other without competition are one queue here: see wire_merge.h.
#pragma once

#include <cstdint>

#include "rtl_tlm/fabric/program/geometry.h"

namespace scribeline::fabric {

// Who reads the queue's words, and for routers where they come in.
enum class queue_side : std::uint8_t { north, east, south, west, ramp, core_input };

inline constexpr std::uint32_t no_queue = 0xffffffffu;

// 32 bytes: a wafer has millions of them, and every word touches two.
struct alignas(32) word_queue {
  static constexpr std::uint32_t multicast = 0x80000000u;  // in `next`
  static constexpr std::uint32_t control = 0x80000000u;    // in the time of a slot: holds a control word
  static constexpr int max_capacity = 0xf000;

  std::uint32_t next = no_queue;  // where the head goes: a queue, or multicast | index of the list of its branches
  std::uint32_t ring = 0;         // its first slot
  std::uint32_t reader = 0;       // the core whose router or core takes the words
  std::uint32_t words = 0;        // pushed so far
  std::uint16_t head = 0;         // slot of the oldest word
  std::uint16_t count = 0;        // words in the queue
  std::uint16_t capacity = 0;
  std::uint16_t latency = 0;  // push -> visible
  std::uint16_t delay = 0;    // pop -> slot free
  std::uint8_t transmit = 0;  // sides the head leaves through; 0: the switch does not serve this queue
  queue_side side = queue_side::core_input;
  std::uint8_t color : 6;
  std::uint8_t is_switched : 1;    // its route has several positions
  std::uint8_t writer_waits : 1;   // somebody found it full and is woken by the next pop
  std::uint8_t slot : 7;           // among the queues of its core
  std::uint8_t leaves_fabric : 1;  // in some switch position, through some side
  // A microthread pushes at most pace_words words in pace_cycles cycles (0: no limit). When the last pace_words words
  // were pushed is written behind the ring, because they may have left it by now.
  std::uint8_t pace_words = 0;
  std::uint8_t pace_cycles = 0;

  word_queue() : color(0), is_switched(0), writer_waits(0), slot(0), leaves_fabric(0) {}

  bool is_full() const { return count == capacity; }
  std::uint32_t head_slot() const { return ring + head; }
  // Of the word that is `n` behind the head, or of the first free slot when n is the count.
  std::uint32_t slot_at(unsigned n) const {
    const unsigned position = head + n;
    return ring + (position >= capacity ? position - capacity : position);
  }
  std::uint32_t head_time(const std::uint32_t* times) const { return times[head_slot()] & ~control; }
  bool head_is_control(const std::uint32_t* times) const { return (times[head_slot()] & control) != 0; }
  bool has_visible(const std::uint32_t* times, std::uint32_t t) const { return count != 0 && head_time(times) <= t; }

  int slots() const { return capacity + pace_words; }
  // Where the push of word number `n` is written, which is also where that of word n - pace_words was.
  std::uint32_t pace_slot(std::uint32_t n) const { return ring + capacity + n % pace_words; }

  void pop(std::uint32_t* times, std::uint32_t t) {
    times[head_slot()] = t + delay;
    head = static_cast<std::uint16_t>(head + 1 == capacity ? 0 : head + 1);
    --count;
  }
  void push(std::uint32_t* times, std::uint32_t t, bool is_control) {
    times[slot_at(count)] = (t + latency) | (is_control ? control : 0);
    if (pace_words != 0) times[pace_slot(words)] = t;
    ++count;
    ++words;
  }
};

static_assert(sizeof(word_queue) == 32, "two queues a cache line");

}  // namespace scribeline::fabric
