// Messages between random cores, of which cores on the way may keep a copy.
#include <algorithm>
#include <utility>

#include "tests/support/random_patterns.h"

namespace scribeline::tests {
namespace {

class copied_message_writer {
 public:
  copied_message_writer(random_numbers& numbers, int columns, int rows, const crossing_columns& crossing = {})
      : numbers_(numbers),
        p_("copied messages", columns, rows),
        cores_(static_cast<std::size_t>(columns * rows)),
        crossing_(crossing) {}

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

  coordinate random_core() { return {numbers_.between(0, p_.columns - 1), numbers_.between(0, p_.rows - 1)}; }
  // From where to where a message goes.
  std::pair<coordinate, coordinate> random_cores() {
    if (crossing_.count == 0) return {random_core(), random_core()};
    const auto crossing_core = [&] {
      return coordinate{crossing_.first + numbers_.between(0, crossing_.count - 1), numbers_.between(0, p_.rows - 1)};
    };
    if (numbers_.chance(33)) return {crossing_core(), crossing_core()};
    const coordinate from = random_core();
    const int reach = numbers_.chance(25) ? p_.columns : 40;
    const int column = from.column + numbers_.between(-reach, reach);
    return {from, {std::min(std::max(column, 0), p_.columns - 1), from.row}};
  }

  // Along the row, then along the column; every router on the way may keep a copy.
  std::vector<stop> random_path(coordinate from, coordinate to) {
    std::vector<stop> path;
    const bool multicast = numbers_.chance(33);
    port side = port::ramp;
    while (from != to) {
      port next = from.row < to.row ? port::south : port::north;
      if (from.column != to.column) next = from.column < to.column ? port::east : port::west;
      port_set out = next;
      if (multicast && side != port::ramp && numbers_.chance(33)) out = out.with(port::ramp);
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
    color_id color = numbers_.between(0, 23);
    while ((free >> color & 1u) == 0)
      color = (color + 1) % 24;
    const int length = numbers_.between(1, longest);
    const element_type type = numbers_.chance(33) ? element_type::fp16 : element_type::fp32;
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
    if (numbers_.chance(50)) sender.body.push_back(scalar_work{numbers_.between(0, 99)});
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
  crossing_columns crossing_;
};

}  // namespace

program random_messages(std::uint64_t seed, int columns, int rows, int messages, int longest,
                        const crossing_columns& crossing) {
  random_numbers numbers(seed);
  return copied_message_writer(numbers, columns, rows, crossing).write(messages, longest);
}

void copied_messages(const recipe& r) {
  const int messages = r.size.columns * r.size.rows / r.random.between(1, 4);
  const int words = r.words(std::int64_t{messages} * (r.size.columns + r.size.rows) / 3);
  r.result.contended = true;
  r.result.stages = 2;
  r.result.code = copied_message_writer(r.random, r.size.columns, r.size.rows).write(messages, words);
}

}  // namespace scribeline::tests
