// A fabric program: what every core and router of a rectangle does, written down by regions and not by cores.
//
// Routers. A color is a virtual channel with its own queues. At each core its route says from which side its words
// come (one of north, east, south, west, ramp) and to which sides they go (any set, multicast in hardware). A route
// has up to four switch positions; control words advance it, and it stays in the last one unless it is a ring.
// Words for a side that the current position does not receive from wait in that side's queue.
//
// Cores. Words that a route sends to the ramp arrive in the input queue that is bound to the color there; vector
// operations take words from input queues and put words into output queues. A queue may serve several colors, one after
// the other as programs rebind queues; an operand then names its color. (Each color then finds the whole queue:
// programs that overlap two colors in one queue run faster here than in hardware.)
//
// Tasks. A core has one main thread. When it is idle it takes the active, unblocked task of the highest priority (the
// lowest id among equals) and runs its body to the end; a task is active once, however often it was activated. Local
// tasks are activated by other tasks, completions and control words. A data task is activated by a data word at the
// head of its input queue, and takes that word before its body starts.
// Body instructions run in order: scalar work, activate / block / unblock (a cycle each), timestamps, loops (two deep)
// and vector operations (see vector_op.h). Activating may depend on data: that is how a program branches.
//
// The object is plain data: the functions below append to it, validate.h checks it, dump.h prints it, and every engine
// runs the same one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "rtl_tlm/fabric/program/geometry.h"
#include "rtl_tlm/fabric/program/vector_op.h"

namespace scribeline::fabric {

// --- routers ---------------------------------------------------------------------------------------------------------

struct route_position {
  port_set receive;
  port_set transmit;
};

struct route {
  region where;
  color_id color = 0;
  std::vector<route_position> positions;
  bool ring = false;  // the last position is followed by the first

  // In any position.
  bool ever_receives(port side) const {
    for (const route_position& position : positions)
      if (position.receive.contains(side)) return true;
    return false;
  }
  bool ever_transmits(port side) const {
    for (const route_position& position : positions)
      if (position.transmit.contains(side)) return true;
    return false;
  }
};

// --- cores -----------------------------------------------------------------------------------------------------------

struct queue_binding {
  region where;
  queue_id queue = 0;
  color_id color = 0;
};

struct scalar_work {
  std::int64_t cycles = 0;
};
// A test of data: the 16-bit word at this byte address is not zero. `assumed` is the outcome in runs without values;
// they refuse a program where it is missing.
struct data_condition {
  affine address;
  std::optional<bool> assumed = std::nullopt;
};
struct activate_task {
  task_id task = 0;
  std::optional<data_condition> condition = std::nullopt;  // only then; otherwise always
};
struct block_task {
  task_id task = 0;
};
struct unblock_task {
  task_id task = 0;
};
// Reads the cycle counter; the run's result lists (core, mark, cycle).
struct timestamp {
  std::uint16_t mark = 0;
};
// A control word into an output queue. Takes one step of the datapath.
struct send_control {
  queue_id queue = 0;
  control_word word;
  color_id color = -1;  // as in operand
};
// The instructions up to the matching end_loop, `count` times; none when the count is zero or less.
struct begin_loop {
  affine count;
};
struct end_loop {};

using instruction = std::variant<vector_op, scalar_work, activate_task, block_task, unblock_task, timestamp,
                                 send_control, begin_loop, end_loop>;

struct task {
  region where;
  task_id id = 0;
  std::string name;
  int priority = 0;              // higher first
  bool active_at_start = false;  // local tasks
  bool blocked_at_start = false;
  std::optional<queue_id> trigger;     // data task of this input queue; otherwise local
  std::int32_t argument_address = -1;  // data task: the word that activated it is stored here; -1: nowhere
  std::vector<instruction> body;
};

// The order in which the main thread prefers the tasks that are ready.
inline bool is_picked_before(const task& x, const task& y) {
  return x.priority != y.priority ? x.priority > y.priority : x.id < y.id;
}

// --- the edge of the rectangle ---------------------------------------------------------------------------------------

// Words that enter from outside through `side` of the cores of `where`, all of them at that edge: the first can be sent
// on by the edge router in cycle first_cycle, the others follow period_cycles apart or when there is room.
struct edge_input {
  region where;
  port side = port::west;
  color_id color = 0;
  affine words;
  std::int64_t first_cycle = 0;
  std::int64_t period_cycles = 1;
};

// The outside takes every word that routes send through this side, one per cycle.
struct edge_output {
  region where;
  port side = port::west;
  color_id color = 0;
};

// --- all of it -------------------------------------------------------------------------------------------------------

struct program {
  std::string name;
  int columns = 0;
  int rows = 0;
  std::vector<route> routes;
  std::vector<queue_binding> inputs;
  std::vector<queue_binding> outputs;
  std::vector<task> tasks;
  std::vector<edge_input> edge_inputs;
  std::vector<edge_output> edge_outputs;
  // Routes may receive from several sides, for programs that guarantee that words never meet; when they do meet, the
  // run reports it.
  bool merging_routes = false;

  program() = default;
  program(std::string name_, int columns_, int rows_) : name(std::move(name_)), columns(columns_), rows(rows_) {}

  region all() const { return rectangle(0, 0, columns, rows); }
  std::int64_t cores() const { return std::int64_t{columns} * rows; }

  program& add_route(const region& where, color_id color, port_set receive, port_set transmit) {
    return add_switched_route(where, color, {{receive, transmit}});
  }
  program& add_switched_route(const region& where, color_id color, std::vector<route_position> positions,
                              bool ring = false) {
    if (!where.empty()) routes.push_back({where, color, std::move(positions), ring});
    return *this;
  }
  program& bind_input(const region& where, queue_id queue, color_id color) {
    if (!where.empty()) inputs.push_back({where, queue, color});
    return *this;
  }
  program& bind_output(const region& where, queue_id queue, color_id color) {
    if (!where.empty()) outputs.push_back({where, queue, color});
    return *this;
  }
  // A task that is active when the program starts.
  program& add_start_task(const region& where, task_id id, std::string task_name, std::vector<instruction> body) {
    return add_task({where, id, std::move(task_name), 0, true, false, std::nullopt, -1, std::move(body)});
  }
  program& add_local_task(const region& where, task_id id, std::string task_name, std::vector<instruction> body) {
    return add_task({where, id, std::move(task_name), 0, false, false, std::nullopt, -1, std::move(body)});
  }
  program& add_data_task(const region& where, task_id id, std::string task_name, queue_id trigger,
                         std::vector<instruction> body) {
    return add_task({where, id, std::move(task_name), 0, false, false, trigger, -1, std::move(body)});
  }
  program& add_task(task t) {
    if (!t.where.empty()) tasks.push_back(std::move(t));
    return *this;
  }
  program& add_edge_input(edge_input e) {
    if (!e.where.empty()) edge_inputs.push_back(e);
    return *this;
  }
  program& add_edge_output(edge_output e) {
    if (!e.where.empty()) edge_outputs.push_back(e);
    return *this;
  }
};

}  // namespace scribeline::fabric
