// How random fabric programs are written: what each core sends and receives is collected, then written down as tasks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random_fabric_programs.h"
#include "tests/support/random_numbers.h"

namespace scribeline::tests {

using namespace fabric;

inline constexpr task_id start_id = 8;

// Collects what each core sends and receives, and writes it down as tasks.
class message_program {
 public:
  message_program(random_numbers& random, const std::string& name, int columns, int rows, const fabric_chip& chip)
      : random_(random), code_(name, columns, rows), chip_(chip), cores_(static_cast<std::size_t>(columns * rows)) {}

  program& code() { return code_; }

  // Whether a core can take one more input, output and operation.
  bool can_receive(coordinate c) const {
    const core_plan& core = plan(c);
    return core.inputs < chip_.input_queues && core.operations.size() < 8;
  }
  bool can_send(coordinate c) const {
    const core_plan& core = plan(c);
    return core.outputs < chip_.output_queues && core.operations.size() < 8;
  }
  queue_id input(coordinate c, color_id color) {
    const queue_id id = plan(c).inputs++;
    code_.bind_input(core_at(c.column, c.row), id, color);
    return id;
  }
  queue_id output(coordinate c, color_id color) {
    const queue_id id = plan(c).outputs++;
    code_.bind_output(core_at(c.column, c.row), id, color);
    return id;
  }
  void delay(coordinate c, int cycles) { plan(c).delay = cycles; }
  void operation(coordinate c, const vector_op& v) { plan(c).operations.push_back(v); }
  std::size_t operations(coordinate c) const { return plan(c).operations.size(); }

  void send(coordinate c, color_id color, element_type type, int words) {
    operation(c, copy(type, fabric_out(output(c, color)), sram(0), words * elements_per_word(type)));
  }
  void receive(coordinate c, color_id color, element_type type, int words) {
    const queue_id in = input(c, color);
    const int n = words * elements_per_word(type);
    if (random_.chance(50))
      operation(c, add(type, sram(0), fabric_in(in), sram(0), n));
    else
      operation(c, copy(type, sram(0), fabric_in(in), n));
  }

  // Every operation on a microthread of its own, or one behind the other.
  program finish(bool concurrent) {
    for (int row = 0; row < code_.rows; ++row)
      for (int column = 0; column < code_.columns; ++column)
        write_core({column, row}, concurrent);
    return std::move(code_);
  }

 private:
  struct core_plan {
    int inputs = 0;
    int outputs = 0;
    int delay = 0;
    std::vector<vector_op> operations;
  };
  core_plan& plan(coordinate c) { return cores_[static_cast<std::size_t>(c.row * code_.columns + c.column)]; }
  const core_plan& plan(coordinate c) const {
    return cores_[static_cast<std::size_t>(c.row * code_.columns + c.column)];
  }

  void write_core(coordinate c, bool concurrent) {
    const core_plan& core = plan(c);
    if (core.operations.empty()) return;
    const region here = core_at(c.column, c.row);
    std::vector<instruction> body;
    if (core.delay > 0) body.push_back(scalar_work{core.delay});
    int number = 0;
    for (const vector_op& v : core.operations) {
      const auto mark = static_cast<std::uint16_t>(number);
      if (!concurrent) {
        body.push_back(v);
        body.push_back(timestamp{mark});
      } else {
        const task_id done = start_id + 1 + number;
        body.push_back(v.on_thread(number).then_activate(done));
        code_.add_local_task(here, done, "done", {timestamp{mark}});
      }
      ++number;
    }
    code_.add_start_task(here, start_id, "start", std::move(body));
  }

  random_numbers& random_;
  program code_;
  const fabric_chip& chip_;
  std::vector<core_plan> cores_;
};

struct sizes {
  int columns;
  int rows;
};

struct recipe {
  random_numbers& random;
  random_case& result;
  sizes size;
  std::int64_t word_hops;

  int words(std::int64_t hops) const {
    const std::int64_t most = std::max<std::int64_t>(1, word_hops / std::max<std::int64_t>(1, hops));
    return random.log_between(1, static_cast<int>(std::min<std::int64_t>(4096, most)));
  }
  element_type any_type() const {
    constexpr std::array<element_type, 4> types{element_type::fp32, element_type::fp16, element_type::bf16,
                                                element_type::int32};
    return types[static_cast<std::size_t>(random.between(0, 3))];
  }
};

}  // namespace scribeline::tests
