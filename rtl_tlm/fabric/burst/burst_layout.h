// A program prepared for the burst engine: what the routers and cores of each class do, and where streams lead to.
//
// Most routers only pass a color on: one switch position, one receive side, one link side that no other color of the
// core uses. Nothing can happen to a stream there, so a whole line of such routers is one pipe with the sum of their
// latencies and queues. What remains are nodes (forks, switched routes, sides that colors share) and inboxes (the
// input queues of cores; a router that only delivers to its ramp belongs to the pipe as well).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rtl_tlm/fabric/burst/burst_units.h"
#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/link_lengths.h"
#include "rtl_tlm/fabric/program/core_classes.h"

namespace scribeline::fabric {

enum class burst_rule_kind : std::uint8_t {
  none,     // no route
  pass,     // part of a pipe, through `exit`
  deliver,  // part of a pipe that ends at the core
  node,
};

struct burst_rule {
  burst_rule_kind kind = burst_rule_kind::none;
  port exit = port::ramp;
  bool own_sides = false;        // node: nothing else at the router leaves through its link sides
  const route* r = nullptr;      // of the program
  std::uint8_t switch_slot = 0;  // switched routes: which of the core's positions
};

enum class burst_operation_kind : std::uint8_t { fabric, local, control };

// A vector operation or control word as a class runs it.
struct burst_operation {
  static constexpr int no_color = -1;

  const vector_op* op = nullptr;  // null: send_control
  burst_operation_kind kind = burst_operation_kind::fabric;
  std::uint8_t inputs = 0;
  std::uint8_t slot = 0;         // 0: synchronous; else 1 + microthread
  std::uint8_t step_cycles = 1;  // of a word
  std::uint8_t elements = 1;     // per word
  bool has_constant_length = false;
  std::uint32_t elements_per_cycle = 0;  // local, in 2^-rate_fraction_bits
  burst_rate limit = full_rate;          // step time, round trips of the core's queues
  std::array<std::int8_t, 2> in{no_color, no_color};
  std::int8_t out = no_color;
  std::uint32_t activates = 0;  // bits of tasks
  std::uint32_t unblocks = 0;
  std::optional<control_word> control;  // closing, or all there is to send
};

// A task as a class runs it; its bit in the core's masks is its position in burst_class::tasks.
struct burst_task {
  task_id id = 0;
  const task* code = nullptr;
  int trigger_color = -1;                   // data task
  std::vector<std::uint32_t> match;         // begin_loop <-> end_loop
  std::vector<std::uint8_t> depth;          // loops around an instruction
  std::vector<burst_operation> operations;  // by instruction; others are empty
};

struct burst_class {
  static constexpr int max_colors = 32;
  static constexpr int max_tasks = 32;

  std::array<burst_rule, max_colors> rules;
  std::array<std::int8_t, 8> input_color;            // of an input queue, the last one bound; -1: none
  std::array<std::int8_t, 8> output_color;           // of an output queue
  std::array<std::uint8_t, max_colors> input_words;  // of the input queue of a color, with the ramp's registers
  std::array<std::uint8_t, max_colors> output_words;
  std::vector<burst_task> tasks;  // in the order in which the main thread picks them
  std::array<std::int8_t, 64> slot_of_task;
  std::uint32_t active_at_start = 0;
  std::uint32_t blocked_at_start = 0;
  std::uint32_t data_tasks = 0;  // bits
};

// The end of a pipe.
struct burst_pipe_end {
  enum class kind : std::uint8_t { inbox, node, sink };
  kind what = kind::inbox;
  coordinate where;
  port side = port::ramp;  // node: the side through which it is entered; sink: the side through which words leave
  int hops = 0;            // links on the way
  int longer = 0;          // hops that these links span beyond one each
};

struct burst_layout {
  burst_layout(const program& p, const fabric_chip& chip, std::shared_ptr<const link_lengths> link_hops);

  // Column by column: where all rows do the same, what happens in one cycle lies side by side.
  std::uint32_t core_of(coordinate c) const { return static_cast<std::uint32_t>(c.column * rows + c.row); }
  coordinate place_of(std::uint32_t core) const {
    // A multiplication instead of a division; the estimate is never too large and at most one too small.
    auto column = static_cast<int>(core * std::uint64_t{columns_per_core} >> 32);
    int row = static_cast<int>(core) - column * rows;
    if (row >= rows) {
      row -= rows;
      ++column;
    }
    return {column, row};
  }
  const burst_class& class_of(coordinate c) const { return classes[core_kinds.index_of(c)]; }
  bool inside(coordinate c) const { return c.column >= 0 && c.row >= 0 && c.column < columns && c.row < rows; }

  // From the router at `at`, entered through `side` after `hops` links: 0 or 1.
  burst_pipe_end follow(coordinate at, port side, color_id color, int hops) const;

  core_classes core_kinds;
  std::shared_ptr<const link_lengths> lengths;  // null: one hop each
  int columns = 0;
  int rows = 0;
  std::vector<burst_class> classes;
  std::uint32_t columns_per_core = 0;  // 1 / rows in 2^-32, rounded down
  int switched_colors = 0;             // switch positions that a core keeps
  bool controls_activate = false;      // some control word activates a task
};

}  // namespace scribeline::fabric
