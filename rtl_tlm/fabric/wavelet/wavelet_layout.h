// A program laid out for the wavelet engine: every queue of every router and core as a record in one flat array.
//
// The queues of a core are neighbours, router queues first (by color, then receive side), input queues of the core
// behind them. What all cores of a class share (which queue is where) is kept once, in its class_image. Then wires are
// merged (wire_merge.h): queues that others took the place of keep their records, but nothing passes through them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/link_lengths.h"
#include "rtl_tlm/fabric/program/core_classes.h"
#include "rtl_tlm/fabric/wavelet/word_queue.h"

namespace scribeline::fabric {

inline constexpr int max_colors = 32;
inline constexpr int max_router_queues = 32;

// One task as a class runs it.
struct class_task {
  task_id id = 0;
  std::uint32_t index = 0;        // in program::tasks
  std::int8_t trigger_slot = -1;  // queue slot of a data task
};

// Who else may leave through a side that a queue leaves through. Colors that share no side are no rivals; of one color
// the switch serves one queue at a time.
struct slot_rivals {
  std::uint32_t slots = 0;   // queues of this router
  std::uint32_t colors = 0;  // theirs
};

struct class_image {
  // By slot. `queue` is the ready-made record of a slot but for `next` and `ring`.
  std::vector<word_queue> queues;
  int router_queues = 0;
  std::uint32_t first_rivals = 0;  // in wavelet_layout::rivals: of its router queues, by slot
  std::array<std::array<std::int8_t, ports>, max_colors> router_slot;  // color, receive side; -1: none
  std::array<std::int8_t, max_colors> input_slot_of_color;
  std::array<std::int8_t, 8> color_of_input;  // the color of an input queue id with one; -1: none
  std::array<std::int8_t, 8> color_of_output;
  std::array<std::int32_t, max_colors> route_of_color;  // in program::routes; -1: none
  std::vector<class_task> tasks;                        // in the order in which the main thread picks them
  std::uint64_t active_at_start = 0;
  std::uint64_t blocked_at_start = 0;
  bool has_data_tasks = false;
  std::array<std::int8_t, 8> thread_slot;  // of a microthread id; slot 0 is the main thread's own operation
  int threads = 1;

  // Slots of the queues that operands name.
  int input_slot(queue_id queue, color_id color) const {
    return input_slot_of_color[static_cast<std::size_t>(color >= 0 ? color : color_of_input[queue])];
  }
  int output_slot(queue_id queue, color_id color) const {
    return router_slot[static_cast<std::size_t>(color >= 0 ? color : color_of_output[queue])][index(port::ramp)];
  }
};

// Where the head of a queue goes in one switch position.
struct queue_exit {
  std::uint32_t next = no_queue;
  std::uint8_t transmit = 0;
};

// Set in a branch that leaves the fabric: the rest is the number of the sink.
inline constexpr std::uint32_t sink_branch = 0x80000000u;

struct fabric_sink {
  std::uint32_t core = 0;
  port side = port::west;
  color_id color = 0;
};

// Set in the writer of a queue when it is the core (or the outside behind it), not the router.
inline constexpr std::uint32_t written_by_core = 0x80000000u;

struct wavelet_layout {
  wavelet_layout(const program& p, const fabric_chip& chip, bool merging_wires, const link_lengths* lengths = nullptr);

  // Cores are numbered row by row, with a gap behind each row: see activity_wheel.h.
  std::uint32_t core_of(coordinate c) const {
    return static_cast<std::uint32_t>(c.row) * static_cast<std::uint32_t>(pitch) + static_cast<std::uint32_t>(c.column);
  }
  coordinate place_of(std::uint32_t core) const {
    return {static_cast<int>(core % pitch), static_cast<int>(core / pitch)};
  }
  const class_image& image_of(coordinate c) const { return images[classes.index_of(c)]; }

  // Nothing else at its router leaves through the sides of a router queue.
  bool has_own_sides(std::uint32_t queue) const {
    const word_queue& q = queues[queue];
    return rivals[image_of(place_of(q.reader)).first_rivals + q.slot].slots == 0;
  }

  core_classes classes;
  int columns = 0;
  int rows = 0;
  std::size_t pitch = 0;
  std::vector<class_image> images;  // by class
  std::vector<slot_rivals> rivals;
  std::vector<std::uint32_t> queue_base;   // by core, and one behind the last
  std::vector<std::uint32_t> thread_base;  // by core
  std::vector<word_queue> queues;
  std::vector<std::uint32_t> merged_into;  // by queue: the one that took its place, or itself
  std::vector<std::uint32_t> writers;      // by queue: the core whose router or core fills it
  std::uint32_t ring_slots = 0;
  std::uint32_t threads = 0;
  std::vector<std::uint32_t> branches;  // lists of multicast queues, in the order of the sides
  std::vector<fabric_sink> sinks;
  // Switched colors only.
  std::vector<std::uint32_t> switch_of_queue;    // by queue; no_queue: not switched. Empty when nothing is
  std::vector<std::array<queue_exit, 4>> exits;  // by switch_of_queue
  std::vector<std::uint8_t> position_of_queue;
  std::vector<std::uint32_t> served_from;  // by queue: the cycle from which the position is in effect

 private:
  void build_images(const program& p, const fabric_chip& chip);
  void place_queues();
  void stretch_links(const fabric_chip& chip, const link_lengths& lengths);
  void connect_all(const program& p);
  void find_writers();
  void redirect_merged();
  void place_rings();
  queue_exit exit_of(const program& p, coordinate at, const route& r, int position, queue_side side);
  static bool leaves_fabric(const program& p, coordinate at, const route& r);
  std::uint32_t branch_target(const program& p, coordinate at, color_id color, port side);
};

}  // namespace scribeline::fabric
