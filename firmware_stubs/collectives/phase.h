// What the phases of a collective have in common.
//
// A phase is one task at every core it involves. The task runs some scalar code (which role does this core have?), then
// its vector operations; when the last one is complete at a core, the task of the core's next phase is activated.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "firmware_stubs/collectives/line.h"
#include "firmware_stubs/collectives/resources.h"

namespace scribeline::collectives {

// The vector of a collective, at the same address on every core; results replace it.
struct vector_spec {
  fabric::element_type type = fabric::element_type::fp32;
  int elements = 1;
  int address = 0;
  fabric::opcode op = fabric::opcode::add;  // how two vectors are combined

  int words() const {
    const int per_word = fabric::elements_per_word(type);
    return (elements + per_word - 1) / per_word;
  }
  int bytes() const { return elements * fabric::bytes_of(type); }
};

// Throws std::invalid_argument unless the vector, one of the `what` of a collective, ends with a whole word, as
// messages that follow each other in one stream must.
inline void require_whole_words(const vector_spec& v, const char* what) {
  if (v.bytes() % 4 != 0)
    throw std::invalid_argument(
        fmt::format("{} of {} {} elements do not fill whole words", what, v.elements, fabric::name(v.type)));
}

// Scalar code of a phase's task: load the role, compare, branch not taken. The number of cycles is an assumption.
inline constexpr int role_test_cycles = 3;

// Which task follows a phase, at the root of a line and at its other cores.
struct next_tasks {
  std::optional<fabric::task_id> root;
  std::optional<fabric::task_id> others;
};

// The end of a task that waits for nothing: the next phase's task, if there is one.
inline void go_on(std::vector<fabric::instruction>& body, std::optional<fabric::task_id> next) {
  if (next) body.push_back(fabric::activate_task{*next});
}

// One phase being written into a program.
struct phase {
  fabric::program& p;
  resources& from;
  fabric::task_id task;
  next_tasks next;
  std::vector<fabric::instruction> prologue = {};  // in front of the role test
  bool starts = false;                             // active when the program starts
  bool blocked = false;                            // blocked when the program starts
  // The collective runs as often as its first phase is activated: a phase that waits for an unblock blocks itself
  // again.
  bool repeats = false;

  std::vector<fabric::instruction> begin() const {
    std::vector<fabric::instruction> body = prologue;
    if (repeats && blocked) body.push_back(fabric::block_task{task});
    body.push_back(fabric::scalar_work{role_test_cycles});
    return body;
  }
  void add_task(const fabric::region& where, const char* name, std::vector<fabric::instruction> body) const {
    p.add_task({where, task, name, 0, starts, blocked, std::nullopt, -1, std::move(body)});
  }
  // Where a phase has no partner to work with: the root's next phase follows.
  void add_nothing(const fabric::region& where) const {
    std::vector<fabric::instruction> body = begin();
    go_on(body, next.root);
    add_task(where, "nothing to do", std::move(body));
  }
  // A task of the phase with one asynchronous operation that the next phase waits for.
  void add_operation(const fabric::region& where, const char* name, fabric::vector_op operation,
                     std::optional<fabric::task_id> then) const {
    std::vector<fabric::instruction> body = begin();
    operation.activates = then;
    body.push_back(operation);
    add_task(where, name, std::move(body));
  }
};

}  // namespace scribeline::collectives
