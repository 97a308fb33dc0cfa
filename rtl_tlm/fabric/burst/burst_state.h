// Everything of a burst run that changes. A core has a block of two cache lines with room for two streams and one
// vector operation; what needs more chains extensions to it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rtl_tlm/fabric/burst/burst_calendar.h"
#include "rtl_tlm/fabric/burst/burst_layout.h"
#include "rtl_tlm/fabric/burst/burst_memory.h"
#include "rtl_tlm/fabric/burst/burst_pages.h"
#include "rtl_tlm/fabric/burst/burst_units.h"
#include "rtl_tlm/fabric/run.h"

namespace scribeline::fabric {

inline constexpr std::uint32_t no_index = 0xffffffffu;

// What moves words: a node's queue, a vector operation or an edge source, by its number.
enum class burst_mover : std::uint32_t { queue = 0u << 30, thread = 1u << 30, source = 2u << 30 };
inline constexpr std::uint32_t mover_index_mask = (1u << 30) - 1;
constexpr std::uint32_t mover_of(burst_mover kind, std::uint32_t index) {
  return static_cast<std::uint32_t>(kind) | index;
}
constexpr burst_mover mover_kind(std::uint32_t mover) {
  return static_cast<burst_mover>(mover & ~mover_index_mask);
}

// A stream at the end of a pipe: words of one color that wait at, or are on their way to, a node or an inbox.
struct burst_queue {
  static constexpr std::uint8_t inbox_side = 5;
  static constexpr std::uint8_t unused_side = 7;
  static constexpr std::uint8_t from_core = 1;         // the pipe begins at an operation
  static constexpr std::uint8_t from_microthread = 2;  // which is a microthread's
  static constexpr std::uint8_t has_hold = 4;          // see burst_hold
  static constexpr std::uint8_t has_wake = 8;

  burst_time t = 0;                 // the state below is of this time; in the future when its arrival is certain
  burst_words left = 0;             // words whose arrival has begun and that have not departed
  burst_words to_arrive = 0;        // of these, not arrived yet
  std::uint32_t on_way = 0;         // whole words that were announced and whose arrival has not begun
  std::uint32_t feeder = no_index;  // the mover that fills the pipe
  std::uint32_t child = no_index;   // node: the queue behind its only link side; inbox: the thread that reads
  burst_rate arriving = 0;
  burst_rate leaving = 0;
  burst_rate imposed = no_limit;  // on the feeder, because the pipe is full
  std::uint16_t hops = 0;         // links of the pipe
  std::uint16_t longer = 0;       // hops that they span beyond one each
  std::uint16_t words = 0;        // that the pipe holds
  std::uint16_t wake = 0;         // has_wake: the cycle of the wake-up that counts, its low bits
  std::uint8_t color : 5;
  std::uint8_t side : 3;  // node: port; inbox_side
  std::uint8_t flags = 0;

  burst_queue() : color(0), side(unused_side) {}

  bool is(color_id c, std::uint8_t s) const { return color == c && side == s; }
  bool is_used() const { return side != unused_side; }
  bool is_node() const { return side < ports; }
  bool is_inbox() const { return side == inbox_side; }
  burst_words left_at(burst_time now) const {
    const burst_words rest = left - moved(leaving, since(t, now));
    return rest > 0 ? rest : 0;
  }
  void advance(burst_time now) {
    if (now <= t) return;
    const burst_words arrived = moved(arriving, now - t);
    to_arrive = arrived < to_arrive ? to_arrive - arrived : 0;
    left = left_at(now);
    t = now;
  }
};

enum class burst_thread_state : std::uint8_t {
  unused,
  waiting,     // not moving; not before `t`
  moving,      // since `t`, or from then on
  completing,  // done, its completion comes
};
// A vector operation in progress. Its unit is the step: a word, or the elements of one cycle when all is in SRAM.
struct burst_thread {
  burst_time t = 0;
  burst_words left = 0;          // steps that have not begun
  std::uint32_t out = no_index;  // the queue it fills
  std::uint16_t at = 0;          // its instruction
  std::uint8_t task = 0;         // its task's slot
  std::uint8_t slot : 7;         // 0: synchronous; else 1 + microthread
  std::uint8_t has_wake : 1;
  burst_rate rate = 0;
  burst_rate limit = 0;    // its own: step time, round trip of the output queue
  std::uint16_t wake = 0;  // has_wake: the cycle of the wake-up that counts, its low bits
  burst_thread_state state = burst_thread_state::unused;
  burst_operation_kind kind = burst_operation_kind::fabric;

  burst_thread() : slot(0), has_wake(0) {}

  burst_words left_at(burst_time now) const {
    if (state != burst_thread_state::moving) return left;
    const burst_words rest = left - moved(rate, since(t, now));
    return rest > 0 ? rest : 0;
  }
  void advance(burst_time now) {
    if (state != burst_thread_state::moving || now <= t) return;
    left = left_at(now);
    t = now;
  }
};

enum class burst_main : std::uint8_t {
  idle,         // from core_block::iteration[0] on
  busy,         // a resume event is on its way
  in_vector,    // waits for its synchronous operation
  wait_thread,  // wants a microthread that is not free
};

struct alignas(64) burst_block {
  std::uint32_t extension = no_index;
  std::uint32_t active = 0;  // tasks, by slot
  std::uint32_t blocked = 0;
  std::array<std::uint32_t, 2> iteration{};  // [0] the outer loop
  std::uint16_t at = 0;
  std::uint8_t task = 0;
  burst_main main = burst_main::idle;
  std::array<burst_queue, 2> queues;
  std::array<burst_thread, 1> threads;
};
static_assert(sizeof(burst_queue) == 40 && sizeof(burst_thread) == 24 && sizeof(burst_block) == 128,
              "two cache lines per core");

struct burst_extension {
  std::uint32_t core = 0;
  std::uint32_t next = no_index;
  std::uint32_t holds = no_index;  // first extension of a core: its holds
  std::array<burst_queue, 2> queues;
  std::array<burst_thread, 1> threads;
};

// Words that a queue keeps from moving on although they are there: behind a control word, or before a switch that does
// not serve them.
struct burst_hold {
  std::uint32_t next = no_index;  // of the core
  std::uint32_t queue = no_index;
  burst_words words = 0;
  std::uint32_t first_mark = no_index;
  burst_time free_at = 0;  // a control word left in the cycle before
};
// A control word among them.
struct burst_mark {
  std::uint32_t next = no_index;
  burst_words ahead = 0;  // words held before it
  std::uint32_t bits = 0;
};

// Words that enter through the edge.
struct burst_source {
  coordinate where;
  port side = port::west;
  color_id color = 0;
  std::int64_t words = 0;  // that have not been announced
  std::int64_t period = 1;
  burst_time next = 0;  // not announced before
  burst_time t = 0;
  burst_words left = 0;  // announced, not sent
  burst_rate rate = 0;
  std::uint32_t out = no_index;

  burst_words left_at(burst_time now) const {
    const burst_words rest = left - moved(rate, now - t);
    return rest > 0 ? rest : 0;
  }
};

// Words that leave through the edge; of a constant rate since `t`.
struct burst_sink {
  std::uint32_t core = 0;
  port side = port::west;
  color_id color = 0;
  std::int64_t words = 0;
  burst_time first = 0;
  burst_time t = 0;
  burst_words left = 0;
  burst_rate rate = 0;
  burst_time latency = 0;  // from the feeder to the edge
  std::uint32_t hops = 0;

  void advance(burst_time now) {
    if (now <= t) return;
    const burst_words gone = moved(rate, now - t);
    left = gone < left ? left - gone : 0;
    t = now;
  }
  // Of the last word known so far; none is known while the stream stands still.
  burst_time last() const { return t + latency + (rate == 0 ? 0 : cycles_to_move(left - one_word, rate)); }
};

// A core, for functions that look at several things of it.
struct burst_site {
  std::uint32_t core;
  coordinate at;
  const burst_class* image;
};

struct burst_state {
  burst_state(const program& p, const fabric_chip& c, const run_options& o);

  burst_queue& queue(std::uint32_t i) {
    return i < inline_queues ? blocks[i >> 1].queues[i & 1] : extensions[(i - inline_queues) >> 1].queues[i & 1];
  }
  const burst_queue& queue(std::uint32_t i) const { return const_cast<burst_state*>(this)->queue(i); }
  burst_thread& thread(std::uint32_t i) { return i < cores ? blocks[i].threads[0] : extensions[i - cores].threads[0]; }
  const burst_thread& thread(std::uint32_t i) const { return const_cast<burst_state*>(this)->thread(i); }
  std::uint32_t core_of_queue(std::uint32_t i) const {
    return i < inline_queues ? i >> 1 : extensions[(i - inline_queues) >> 1].core;
  }
  std::uint32_t queue_numbers() const { return inline_queues + 2 * extensions.size(); }
  std::uint32_t core_of_thread(std::uint32_t i) const { return i < cores ? i : extensions[i - cores].core; }

  // Calls visit(number, queue) for the queues of a core, visit(number, thread) for its threads.
  template <class Visit>
  void for_queues(std::uint32_t core, Visit&& visit) {
    burst_block& block = blocks[core];
    visit(core * 2, block.queues[0]);
    visit(core * 2 + 1, block.queues[1]);
    for (std::uint32_t e = block.extension; e != no_index; e = extensions[e].next) {
      visit(inline_queues + e * 2, extensions[e].queues[0]);
      visit(inline_queues + e * 2 + 1, extensions[e].queues[1]);
    }
  }
  template <class Visit>
  void for_threads(std::uint32_t core, Visit&& visit) {
    burst_block& block = blocks[core];
    visit(core, block.threads[0]);
    for (std::uint32_t e = block.extension; e != no_index; e = extensions[e].next)
      visit(cores + e, extensions[e].threads[0]);
  }

  // The queue of a color at a core, or no_index.
  std::uint32_t find_queue(std::uint32_t core, color_id color, std::uint8_t side) const {
    const burst_block& block = blocks[core];
    if (block.queues[0].is(color, side)) return core * 2;
    if (block.queues[1].is(color, side)) return core * 2 + 1;
    return block.extension == no_index ? no_index : find_in_extensions(core, color, side);
  }
  // The same; made if there is none, in the place of one that is over if possible.
  std::uint32_t need_queue(std::uint32_t core, color_id color, std::uint8_t side, burst_time now) {
    const std::uint32_t found = find_queue(core, color, side);
    return found != no_index ? found : make_queue(core, color, side, now);
  }
  std::uint32_t find_in_extensions(std::uint32_t core, color_id color, std::uint8_t side) const;
  std::uint32_t free_in_extensions(std::uint32_t core, burst_time now);
  std::uint32_t make_queue(std::uint32_t core, color_id color, std::uint8_t side, burst_time now);
  std::uint32_t find_thread(std::uint32_t core, int slot);
  std::uint32_t need_thread(std::uint32_t core);
  std::uint32_t append_extension(std::uint32_t core);

  burst_hold* find_hold(std::uint32_t queue);
  burst_hold& need_hold(std::uint32_t queue);

  std::uint8_t switch_position(std::uint32_t core, const burst_rule& rule) const {
    return rule.r->positions.size() == 1
               ? std::uint8_t{0}
               : positions[core * static_cast<std::uint32_t>(layout.switched_colors) + rule.switch_slot];
  }
  const burst_class& class_of(std::uint32_t core) const { return layout.class_of(layout.place_of(core)); }
  burst_site site_of(std::uint32_t core) const {
    const coordinate at = layout.place_of(core);
    return {core, at, &layout.class_of(at)};
  }
  const burst_rule& rule_of(std::uint32_t core, const burst_queue& q) const { return class_of(core).rules[q.color]; }

  void act(burst_time t) { last_action = last_action < t ? t : last_action; }
  std::size_t memory_bytes() const;

  program code;
  fabric_chip chip;
  run_options options;
  burst_layout layout;
  std::uint32_t cores = 0;
  std::uint32_t inline_queues = 0;

  burst_calendar calendar;
  std::vector<burst_block, large_page_allocator<burst_block>> blocks;
  burst_pages<burst_extension, 8> extensions;
  burst_pages<burst_hold, 8> holds;
  burst_pages<burst_mark, 8> marks;
  std::uint32_t free_mark = no_index;
  std::vector<std::uint8_t> positions;  // of switches: core, switched color
  std::vector<burst_source> sources;
  std::vector<burst_sink> sinks;

  burst_time last_action = 0;
  std::int64_t word_hops = 0;
  std::int64_t ramp_words = 0;
  std::vector<std::uint32_t> link_words;  // of the sender, by core and side; empty unless asked for
  std::vector<timestamp_record, large_page_allocator<timestamp_record>> timestamps;

  burst_time violation_cycle = never;
  std::uint32_t violation_core = 0;
  color_id violation_color = 0;
};

}  // namespace scribeline::fabric
