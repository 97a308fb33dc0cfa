// Random fabric programs that always finish: messages between random cores, unicast and multicast, of random lengths,
// which share links; every receiver reads on a microthread of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::fabric::test {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}
  // 0 .. n - 1
  int below(int n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>((state_ >> 11) % static_cast<std::uint64_t>(n));
  }
  int between(int first, int last) { return first + below(last - first + 1); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

class random_program_writer {
 public:
  random_program_writer(random_numbers& numbers, int columns, int rows)
      : numbers_(numbers), p_("random", columns, rows), cores_(static_cast<std::size_t>(columns * rows)) {}

  // Messages stay in their row, but for those within the columns first..first + count - 1.
  random_program_writer& cross_rows_only_in(int first, int count) {
    first_crossing_ = first;
    crossings_ = count;
    return *this;
  }

  program write(int messages, int longest) {
    for (int i = 0; i < messages; ++i)
      add_message(longest);
    for (int row = 0; row < p_.rows; ++row)
      for (int column = 0; column < p_.columns; ++column) {
        const core& c = at({column, row});
        if (c.body.empty()) continue;
        p_.add_start_task(core_at(column, row), 24, "all", c.body);
      }
    return p_;
  }

 private:
  struct core {
    std::uint32_t colors = 0;
    int inputs = 0;
    int outputs = 0;
    std::vector<instruction> body;
  };
  struct stop {
    coordinate where;
    port from;
    port_set to;
  };

  core& at(coordinate c) { return cores_[static_cast<std::size_t>(c.row * p_.columns + c.column)]; }

  coordinate random_core() { return {numbers_.below(p_.columns), numbers_.below(p_.rows)}; }
  // From where to where a message goes.
  std::pair<coordinate, coordinate> random_cores() {
    if (crossings_ == 0) return {random_core(), random_core()};
    const auto crossing_core = [&] {
      return coordinate{first_crossing_ + numbers_.below(crossings_), numbers_.below(p_.rows)};
    };
    if (numbers_.one_in(3)) return {crossing_core(), crossing_core()};
    const coordinate from = random_core();
    const int reach = numbers_.one_in(4) ? p_.columns : 40;
    const int column = from.column + numbers_.between(-reach, reach);
    return {from, {std::min(std::max(column, 0), p_.columns - 1), from.row}};
  }

  // Along the row, then along the column; every router on the way may keep a copy.
  std::vector<stop> random_path(coordinate from, coordinate to) {
    std::vector<stop> path;
    const bool multicast = numbers_.one_in(3);
    port side = port::ramp;
    while (from != to) {
      port next = from.row < to.row ? port::south : port::north;
      if (from.column != to.column) next = from.column < to.column ? port::east : port::west;
      port_set out = next;
      if (multicast && side != port::ramp && numbers_.one_in(3)) out = out.with(port::ramp);
      path.push_back({from, side, out});
      from = neighbour(from, next);
      side = opposite(next);
    }
    path.push_back({from, side, port::ramp});
    return path;
  }

  void add_message(int longest) {
    const auto [from, to] = random_cores();
    if (from == to || at(from).outputs == 3) return;
    const std::vector<stop> path = random_path(from, to);
    std::uint32_t free = 0xffffffu;
    for (const stop& s : path) {
      free &= ~at(s.where).colors;
      if (s.to.contains(port::ramp) && at(s.where).inputs == 4) return;
    }
    if (free == 0) return;
    color_id color = numbers_.below(24);
    while ((free >> color & 1u) == 0)
      color = (color + 1) % 24;
    const int length = numbers_.between(1, longest);
    const element_type type = numbers_.one_in(3) ? element_type::fp16 : element_type::fp32;
    for (const stop& s : path) {
      at(s.where).colors |= 1u << color;
      p_.add_route(core_at(s.where.column, s.where.row), color, s.from, s.to);
      if (s.to.contains(port::ramp)) add_receiver(s.where, color, type, length);
    }
    add_sender(from, color, type, length);
  }

  void add_sender(coordinate c, color_id color, element_type type, int length) {
    core& sender = at(c);
    const queue_id queue = sender.outputs++;
    p_.bind_output(core_at(c.column, c.row), queue, color);
    if (numbers_.one_in(2)) sender.body.push_back(scalar_work{numbers_.below(100)});
    sender.body.push_back(copy(type, fabric_out(queue), sram(0), length).on_thread(queue));
  }
  void add_receiver(coordinate c, color_id color, element_type type, int length) {
    core& receiver = at(c);
    const queue_id queue = receiver.inputs++;
    p_.bind_input(core_at(c.column, c.row), queue, color);
    const task_id done = 25 + queue;
    receiver.body.push_back(
        copy(type, sram(1024 + 4096 * queue), fabric_in(queue), length).on_thread(3 + queue).then_activate(done));
    p_.add_local_task(core_at(c.column, c.row), done, "done", {timestamp{static_cast<std::uint16_t>(color)}});
  }

  random_numbers& numbers_;
  program p_;
  std::vector<core> cores_;
  int first_crossing_ = 0;
  int crossings_ = 0;  // 0: everywhere
};

inline program random_program(std::uint64_t seed, int columns, int rows, int messages, int longest) {
  random_numbers numbers(seed);
  return random_program_writer(numbers, columns, rows).write(messages, longest);
}

}  // namespace scribeline::fabric::test
