// One queue of words: of a router (one color, one receive side), of a core's output or of a core's input.
//
// 32 bytes, because a wafer has millions of them and every hop touches two. Visiting order inside a cycle must not
// matter, so both ends keep the last few cycles of what they did: a word is visible `latency` cycles after it was
// pushed, and the room that a pop makes is visible one cycle after the pop.
#pragma once

#include <array>
#include <cstdint>

#include "rtl_tlm/fabric/geometry.h"

namespace scribeline::fabric {

// What a queue's words arrive through: a link side of the router, the ramp (from the core), or at the core.
enum class queue_side : std::uint8_t { north, east, south, west, ramp, core_input };

inline constexpr std::uint32_t no_queue = 0xffffffffu;

namespace detail {
constexpr std::array<std::uint8_t, 256> make_bit_counts() {
  std::array<std::uint8_t, 256> counts{};
  for (unsigned i = 0; i < 256; ++i) {
    std::uint8_t n = 0;
    for (unsigned rest = i; rest != 0; rest &= rest - 1)
      ++n;
    counts[i] = n;
  }
  return counts;
}
inline constexpr std::array<std::uint8_t, 256> bit_counts = make_bit_counts();
}  // namespace detail

struct alignas(32) word_queue {
  static constexpr std::uint32_t long_ago = 0u - 1024u;  // cycle counters wrap, ages do not
  static constexpr int max_latency = 8;                  // window of the push history
  static constexpr int max_words = 16;                   // bits of `control`
  static constexpr std::uint32_t multicast = 0x80000000u;

  std::uint32_t next = no_queue;  // where the head goes: a queue, or multicast | index of the list of its branches
  std::uint32_t last_push = long_ago;
  std::uint32_t last_pop = long_ago;
  std::uint32_t words = 0;        // pushed so far
  std::uint32_t ring = 0;         // first word in the store
  std::uint16_t control = 0;      // ring positions that hold control words
  std::uint8_t push_history = 0;  // bit k: pushed k cycles before last_push
  std::uint8_t pop_history = 0;
  std::uint8_t head = 0;  // counts pops, modulo 256
  std::uint8_t tail = 0;  // counts pushes
  std::uint8_t capacity = 0;
  std::uint8_t latency = 0;
  std::uint8_t transmit = 0;  // sides the head leaves through; 0: the switch does not serve this queue
  queue_side side = queue_side::core_input;
  std::uint8_t ring_mask = 0;
  std::uint8_t color = 0;

  int size() const { return static_cast<std::uint8_t>(tail - head); }

  // Words that the reader sees in cycle t.
  int visible(std::uint32_t t) const {
    const std::uint32_t age = t - last_push;
    if (age >= latency) return size();
    return size() - detail::bit_counts[push_history & ((1u << (latency - age)) - 1u)];
  }
  // Words that the writer believes to be here in cycle t, when it learns of a pop `delay` cycles later.
  int occupied(std::uint32_t t, unsigned delay = 1) const {
    const std::uint32_t age = t - last_pop;
    if (age >= delay) return size();
    return size() + detail::bit_counts[pop_history & ((1u << (delay - age)) - 1u)];
  }
  bool has_room(std::uint32_t t) const { return occupied(t) < capacity; }

  std::uint32_t head_position() const { return ring + (head & ring_mask); }
  std::uint32_t tail_position() const { return ring + (tail & ring_mask); }
  bool head_is_control() const { return (control >> (head & ring_mask) & 1) != 0; }

  void pop(std::uint32_t t) {
    ++head;
    const std::uint32_t age = t - last_pop;
    pop_history = static_cast<std::uint8_t>(age < 8 ? pop_history << age | 1 : 1);
    last_pop = t;
  }
  void push(std::uint32_t t, bool is_control) {
    const unsigned bit = 1u << (tail & ring_mask);
    control = static_cast<std::uint16_t>(is_control ? control | bit : control & ~bit);
    ++tail;
    ++words;
    const std::uint32_t age = t - last_push;
    push_history = static_cast<std::uint8_t>(age < 8 ? push_history << age | 1 : 1);
    last_push = t;
  }
};

static_assert(sizeof(word_queue) == 32, "two queues a cache line");

}  // namespace scribeline::fabric
