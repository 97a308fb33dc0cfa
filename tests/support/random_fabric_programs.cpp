#include "tests/support/random_fabric_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace scribeline::tests {

using namespace fabric;

int random_numbers::log_between(int first, int last) {
  int octaves = 0;
  while (first << (octaves + 1) <= last)
    ++octaves;
  const int octave = between(0, octaves);
  return std::min(last, between(first << octave, (first << (octave + 1)) - 1));
}

namespace {

constexpr task_id start_id = 8;

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

// --- contention-free ---

void row_chains(const recipe& r) {
  message_program m(r.random, "chains", r.size.columns, r.size.rows, r.result.chip);
  const int words = r.words(std::int64_t{3} * r.size.columns * r.size.rows);
  const element_type type = r.any_type();
  const int n = words * elements_per_word(type);
  const int last = r.size.columns - 1;
  for (int row = 0; row < r.size.rows; ++row)
    for (int column = 0; column <= last; ++column) {
      const coordinate c{column, row};
      const region here = core_at(column, row);
      operand in;
      if (column < last) {
        m.code().add_route(here, column % 2, port::east, port::ramp);
        in = fabric_in(m.input(c, column % 2));
      }
      operand out = sram(0);
      if (column > 0) {
        m.code().add_route(here, (column + 1) % 2, port::ramp, port::west);
        out = fabric_out(m.output(c, (column + 1) % 2));
      }
      if (r.random.chance(20)) m.delay(c, r.random.between(1, 60));
      m.operation(c, column == last ? copy(type, out, sram(0), n) : add(type, out, in, sram(0), n));
    }
  r.result.stages = r.size.columns;
  r.result.code = m.finish(r.random.chance(50));
}

void messages(const recipe& r) {
  message_program m(r.random, "messages", r.size.columns, r.size.rows, r.result.chip);
  for (int row = 0; row < r.size.rows; ++row) {
    const int from = r.random.between(0, r.size.columns - 1);
    int to = r.random.between(0, r.size.columns - 1);
    if (to == from) to = (to + 1) % r.size.columns;
    const port ahead = to > from ? port::east : port::west;
    const int low = std::min(from, to);
    const int high = std::max(from, to);
    const int words = r.words(std::int64_t{high - low + 1} * r.size.rows);
    const color_id color = r.random.between(0, 23);
    m.code().add_route(core_at(from, row), color, port::ramp, ahead);
    m.code().add_route(rectangle(low + 1, row, high - low - 1, 1), color, opposite(ahead), ahead);
    m.code().add_route(core_at(to, row), color, opposite(ahead), port::ramp);
    const element_type type = r.any_type();
    m.send({from, row}, color, type, words);
    m.receive({to, row}, color, type, words);
  }
  r.result.stages = 2;
  r.result.code = m.finish(r.random.chance(50));
}

void broadcasts(const recipe& r) {
  message_program m(r.random, "broadcast", r.size.columns, r.size.rows, r.result.chip);
  const int words = r.words(std::int64_t{2} * r.size.columns * r.size.rows);
  const coordinate root{r.random.between(0, r.size.columns - 1), r.random.between(0, r.size.rows - 1)};
  const element_type type = r.any_type();
  for (int row = 0; row < r.size.rows; ++row)
    for (int column = 0; column < r.size.columns; ++column) {
      port from = port::ramp;
      if (column > root.column)
        from = port::west;
      else if (column < root.column)
        from = port::east;
      else if (row > root.row)
        from = port::north;
      else if (row < root.row)
        from = port::south;
      port_set to;
      if (!(column == root.column && row == root.row)) to = to.with(port::ramp);
      if (column >= root.column && column + 1 < r.size.columns) to = to.with(port::east);
      if (column <= root.column && column > 0) to = to.with(port::west);
      if (column == root.column && row >= root.row && row + 1 < r.size.rows) to = to.with(port::south);
      if (column == root.column && row <= root.row && row > 0) to = to.with(port::north);
      m.code().add_route(core_at(column, row), 3, from, to);
      if (to.contains(port::ramp)) m.receive({column, row}, 3, type, words);
    }
  m.send(root, 3, type, words);
  r.result.stages = 2;
  r.result.code = m.finish(r.random.chance(50));
}

// --- contended ---

// A star in every row: each core sends to column 0 when those nearer to it are done, and opens its router for the next
// with a control word.
void stars(const recipe& r) {
  message_program m(r.random, "stars", r.size.columns, r.size.rows, r.result.chip);
  const int last = r.size.columns - 1;
  const int words = r.words(std::int64_t{r.size.columns} * r.size.columns * r.size.rows / 2);
  const element_type type = r.any_type();
  const int n = words * elements_per_word(type);
  for (int row = 0; row < r.size.rows; ++row) {
    m.code().add_route(core_at(0, row), 0, port::east, port::ramp);
    m.code().add_switched_route(rectangle(1, row, last - 1, 1), 0,
                                {{port::ramp, port::west}, {port::east, port::west}});
    m.code().add_route(core_at(last, row), 0, port::ramp, port::west);
    for (int column = 1; column <= last; ++column) {
      const queue_id out = m.output({column, row}, 0);
      m.operation({column, row},
                  copy(type, fabric_out(out), sram(0), n).then_control(control_word::advance_own_router()));
    }
    const queue_id in = m.input({0, row}, 0);
    m.operation({0, row}, copy(type, sram(0), fabric_in(in), n * last));
  }
  r.result.contended = true;
  r.result.stages = r.size.columns;
  r.result.code = m.finish(r.random.chance(50));
}

// Binary trees in rows: in round k every second of the remaining cores sends to the other, 2^k columns to the west.
void trees(const recipe& r) {
  message_program m(r.random, "trees", r.size.columns, r.size.rows, r.result.chip);
  const int words = r.words(std::int64_t{r.size.columns} * r.size.rows * 3);
  const element_type type = r.any_type();
  const int n = words * elements_per_word(type);
  int rounds = 0;
  for (int distance = 1; distance < r.size.columns; distance *= 2, ++rounds)
    for (int row = 0; row < r.size.rows; ++row)
      for (int to = 0; to + distance < r.size.columns; to += 2 * distance) {
        m.code().add_route(core_at(to + distance, row), rounds, port::ramp, port::west);
        m.code().add_route(rectangle(to + 1, row, distance - 1, 1), rounds, port::east, port::west);
        m.code().add_route(core_at(to, row), rounds, port::east, port::ramp);
        const queue_id in = m.input({to, row}, rounds);
        m.operation({to, row}, add(type, sram(0), fabric_in(in), sram(0), n));
        const queue_id out = m.output({to + distance, row}, rounds);
        m.operation({to + distance, row}, copy(type, fabric_out(out), sram(0), n));
      }
  r.result.contended = true;
  r.result.stages = 2 * rounds;
  r.result.code = m.finish(false);
}

void neighbour_exchanges(const recipe& r) {
  message_program m(r.random, "neighbours", r.size.columns, r.size.rows, r.result.chip);
  const int words = r.words(std::int64_t{8} * r.size.columns * r.size.rows);
  const element_type type = r.any_type();
  for (int row = 0; row < r.size.rows; ++row)
    for (int column = 0; column < r.size.columns; ++column)
      for (int i = 0; i < link_ports; ++i) {
        const port side = static_cast<port>(i);
        const coordinate to = neighbour({column, row}, side);
        if (to.column < 0 || to.row < 0 || to.column >= r.size.columns || to.row >= r.size.rows) continue;
        const color_id color = 2 * i + (column + row) % 2;
        m.code().add_route(core_at(column, row), color, port::ramp, side);
        m.code().add_route(core_at(to.column, to.row), color, opposite(side), port::ramp);
        m.send({column, row}, color, type, words);
        m.receive(to, color, type, words);
      }
  for (int row = 0; row < r.size.rows; ++row)
    for (int column = 0; column < r.size.columns; ++column)
      if (r.random.chance(30)) m.delay({column, row}, r.random.between(1, 200));
  r.result.contended = true;
  r.result.stages = 2;
  r.result.code = m.finish(true);
}

// Point-to-point messages with X-Y routes; each takes the first color that is free on its whole way.
class routed_messages {
 public:
  routed_messages(const recipe& r, const std::string& name, int colors)
      : r_(r),
        m_(r.random, name, r.size.columns, r.size.rows, r.result.chip),
        colors_(colors),
        used_(static_cast<std::size_t>(colors * r.size.columns * r.size.rows), false) {}

  message_program& m() { return m_; }

  // False when no color or queue is left.
  bool add(coordinate from, coordinate to, element_type type, int words) {
    if (from == to || !m_.can_send(from) || !m_.can_receive(to)) return false;
    const std::vector<coordinate> way = xy_way(from, to);
    const int first = r_.random.between(0, colors_ - 1);
    for (int i = 0; i < colors_; ++i) {
      const color_id color = (first + i) % colors_;
      if (std::any_of(way.begin(), way.end(), [&](coordinate c) { return used(color, c); })) continue;
      take(way, color);
      m_.send(from, color, type, words);
      m_.receive(to, color, type, words);
      return true;
    }
    return false;
  }

 private:
  std::vector<bool>::reference used(color_id color, coordinate c) {
    return used_[static_cast<std::size_t>((color * r_.size.rows + c.row) * r_.size.columns + c.column)];
  }
  static std::vector<coordinate> xy_way(coordinate from, coordinate to) {
    std::vector<coordinate> way{from};
    while (from.column != to.column) {
      from.column += to.column > from.column ? 1 : -1;
      way.push_back(from);
    }
    while (from.row != to.row) {
      from.row += to.row > from.row ? 1 : -1;
      way.push_back(from);
    }
    return way;
  }
  static port side_towards(coordinate from, coordinate to) {
    if (to.column != from.column) return to.column > from.column ? port::east : port::west;
    return to.row > from.row ? port::south : port::north;
  }
  void take(const std::vector<coordinate>& way, color_id color) {
    for (std::size_t i = 0; i < way.size(); ++i) {
      used(color, way[i]) = true;
      const port in = i == 0 ? port::ramp : side_towards(way[i], way[i - 1]);
      const port out = i + 1 == way.size() ? port::ramp : side_towards(way[i], way[i + 1]);
      m_.code().add_route(core_at(way[i].column, way[i].row), color, in, out);
    }
  }

  const recipe& r_;
  message_program m_;
  int colors_;
  std::vector<bool> used_;
};

void random_permutation(const recipe& r) {
  routed_messages m(r, "permutation", 24);
  const int cores = r.size.columns * r.size.rows;
  std::vector<int> to(static_cast<std::size_t>(cores));
  for (int i = 0; i < cores; ++i)
    to[static_cast<std::size_t>(i)] = i;
  for (int i = cores - 1; i > 0; --i)
    std::swap(to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(r.random.between(0, i))]);
  const int words = r.words(std::int64_t{cores} * (r.size.columns + r.size.rows) / 3);
  const bool equal = r.random.chance(50);
  for (int i = 0; i < cores; ++i) {
    const int target = to[static_cast<std::size_t>(i)];
    m.add({i % r.size.columns, i / r.size.columns}, {target % r.size.columns, target / r.size.columns},
          element_type::fp32, equal ? words : r.random.between(1, words));
  }
  r.result.contended = true;
  r.result.stages = 2;
  r.result.code = m.m().finish(true);
}

// Several messages along each row, on colors that share the links.
void shared_rows(const recipe& r) {
  routed_messages m(r, "shared rows", r.random.between(2, 8));
  const int per_row = r.random.between(2, 8);
  const int words = r.words(std::int64_t{r.size.rows} * per_row * r.size.columns / 3);
  for (int row = 0; row < r.size.rows; ++row)
    for (int i = 0; i < per_row; ++i)
      m.add({r.random.between(0, r.size.columns - 1), row}, {r.random.between(0, r.size.columns - 1), row},
            r.any_type(), r.random.between((words + 3) / 4, words));
  for (int row = 0; row < r.size.rows; ++row)
    for (int column = 0; column < r.size.columns; ++column)
      if (r.random.chance(20)) m.m().delay({column, row}, r.random.between(1, 300));
  r.result.contended = true;
  r.result.stages = 2;
  r.result.code = m.m().finish(true);
}

// Groups of neighbours in a row; each core multicasts to all others of its group.
void all_to_all(const recipe& r) {
  message_program m(r.random, "all to all", r.size.columns, r.size.rows, r.result.chip);
  const int group = std::min(r.size.columns, r.random.between(3, 7));
  const int words = r.words(std::int64_t{r.size.rows} * r.size.columns * group * 2);
  const element_type type = r.any_type();
  for (int row = 0; row < r.size.rows; ++row)
    for (int first = 0; first + group <= r.size.columns; first += group)
      for (int i = 0; i < group; ++i) {
        for (int j = 0; j < group; ++j) {
          const port from = j == i ? port::ramp : j > i ? port::west : port::east;
          port_set to;
          if (j != i) to = to.with(port::ramp);
          if (j >= i && j + 1 < group) to = to.with(port::east);
          if (j <= i && j > 0) to = to.with(port::west);
          m.code().add_route(core_at(first + j, row), i, from, to);
          if (j != i) m.receive({first + j, row}, i, type, words);
        }
        m.send({first + i, row}, i, type, words);
      }
  r.result.contended = true;
  r.result.stages = 2;
  r.result.code = m.finish(true);
}

// Rows reduce to column 0, column 0 to the corner, the corner broadcasts down the column, and the column along the
// rows.
void all_reduce(const recipe& r) {
  message_program m(r.random, "all-reduce", r.size.columns, r.size.rows, r.result.chip);
  const int words = r.words(std::int64_t{5} * r.size.columns * r.size.rows);
  const element_type type = r.any_type();
  const int n = words * elements_per_word(type);
  const int last_column = r.size.columns - 1;
  const int last_row = r.size.rows - 1;
  for (int row = 0; row <= last_row; ++row)
    for (int column = 0; column <= last_column; ++column) {
      const coordinate c{column, row};
      const region here = core_at(column, row);
      if (column < last_column) {
        m.code().add_route(here, column % 2, port::east, port::ramp);
        m.operation(c, add(type, sram(0), fabric_in(m.input(c, column % 2)), sram(0), n));
      }
      if (column > 0) {
        m.code().add_route(here, (column + 1) % 2, port::ramp, port::west);
        m.operation(c, copy(type, fabric_out(m.output(c, (column + 1) % 2)), sram(0), n));
      }
      if (column == 0 && row < last_row) {
        m.code().add_route(here, 2 + row % 2, port::south, port::ramp);
        m.operation(c, add(type, sram(0), fabric_in(m.input(c, 2 + row % 2)), sram(0), n));
      }
      if (column == 0 && row > 0) {
        m.code().add_route(here, 2 + (row + 1) % 2, port::ramp, port::north);
        m.operation(c, copy(type, fabric_out(m.output(c, 2 + (row + 1) % 2)), sram(0), n));
      }
      port_set to;
      if (column > 0 || row > 0) to = to.with(port::ramp);
      if (column < last_column) to = to.with(port::east);
      if (column == 0 && row < last_row) to = to.with(port::south);
      m.code().add_route(here, 4, column > 0 ? port::west : row > 0 ? port::north : port::ramp, to);
      if (column > 0 || row > 0)
        m.operation(c, copy(type, sram(0), fabric_in(m.input(c, 4)), n));
      else
        m.operation(c, copy(type, fabric_out(m.output(c, 4)), sram(0), n));
    }
  r.result.stages = 2 * (r.size.columns + r.size.rows);
  r.result.code = m.finish(false);
}

// Streams that wait for late readers, or meet slow ones, with other streams on the same links.
void late_readers(const recipe& r) {
  routed_messages m(r, "late readers", r.random.between(1, 4));
  const int words = r.words(std::int64_t{r.size.rows} * r.size.columns);
  for (int row = 0; row < r.size.rows; ++row)
    for (int i = 0; i < 4; ++i) {
      const coordinate from{r.random.between(0, r.size.columns - 1), row};
      const coordinate to{r.random.between(0, r.size.columns - 1), row};
      if (m.add(from, to, r.any_type(), r.random.between(1, words)))
        m.m().delay(to, r.random.between(1, 2 * words + 40));
    }
  r.result.contended = true;
  r.result.stages = 2;
  r.result.code = m.m().finish(true);
}

// Loops of short messages in one row after the other, data tasks at the receiver.
void short_messages(const recipe& r) {
  message_program m(r.random, "short messages", r.size.columns, r.size.rows, r.result.chip);
  const int count = r.random.between(2, 12);
  const int words = r.random.log_between(1, 16);
  const int last = r.size.columns - 1;
  for (int row = 0; row < r.size.rows; ++row) {
    const color_id color = 1;
    m.code().add_route(core_at(last, row), color, port::ramp, port::west);
    m.code().add_route(rectangle(1, row, last - 1, 1), color, port::east, port::west);
    m.code().add_route(core_at(0, row), color, port::east, port::ramp);
    m.code().bind_output(core_at(last, row), 0, color).bind_input(core_at(0, row), 0, color);
    m.code().add_start_task(
        core_at(last, row), start_id, "send",
        {begin_loop{count}, copy(element_type::fp32, fabric_out(0), sram(0), words), end_loop{}, timestamp{1}});
    const int kind = r.random.between(0, 2);
    if (kind == 0)
      m.code().add_data_task(core_at(0, row), 0, "take", 0, {scalar_work{r.random.between(0, 20)}, timestamp{2}});
    else if (kind == 1)
      m.code().add_start_task(
          core_at(0, row), start_id, "receive",
          {begin_loop{count}, copy(element_type::fp32, sram(0), fabric_in(0), words), end_loop{}, timestamp{2}});
    else
      m.code().add_start_task(core_at(0, row), start_id, "receive",
                              {scalar_work{r.random.between(0, 400)},
                               copy(element_type::fp32, sram(0), fabric_in(0), words * count), timestamp{2}});
  }
  r.result.contended = true;
  r.result.stages = 2 * count;
  r.result.code = m.finish(false);
}

// --- that may not finish ---

// Pairs of neighbours exchange vectors, one operation after the other: where both send first and the queues between
// them are too short, they wait for each other for ever.
void blocking_exchanges(const recipe& r) {
  message_program m(r.random, "blocking exchanges", r.size.columns, r.size.rows, r.result.chip);
  const element_type type = r.any_type();
  const int words = r.random.log_between(1, 64);
  for (int row = 0; row < r.size.rows; ++row)
    for (int column = 0; column + 1 < r.size.columns; column += 2) {
      const coordinate west{column, row};
      const coordinate east{column + 1, row};
      m.code().add_route(core_at(column, row), 0, port::ramp, port::east);
      m.code().add_route(core_at(column + 1, row), 0, port::west, port::ramp);
      m.code().add_route(core_at(column + 1, row), 1, port::ramp, port::west);
      m.code().add_route(core_at(column, row), 1, port::east, port::ramp);
      m.send(west, 0, type, words);
      m.receive(west, 1, type, words);
      const bool both_send_first = r.random.chance(10);
      if (both_send_first) m.send(east, 1, type, words);
      m.receive(east, 0, type, words);
      if (!both_send_first) m.send(east, 1, type, words);
      if (r.random.chance(30)) m.delay(east, r.random.between(1, 60));
    }
  r.result.contended = true;
  r.result.stages = 4;
  r.result.code = m.finish(false);
}

// Messages along rows, of which some senders or receivers count wrong.
void wrong_counts(const recipe& r) {
  message_program m(r.random, "wrong counts", r.size.columns, r.size.rows, r.result.chip);
  const int words = r.words(std::int64_t{r.size.rows} * r.size.columns) + 1;
  for (int row = 0; row < r.size.rows; ++row) {
    const int last = r.size.columns - 1;
    m.code().add_route(core_at(0, row), 2, port::ramp, port::east);
    m.code().add_route(rectangle(1, row, last - 1, 1), 2, port::west, port::east);
    m.code().add_route(core_at(last, row), 2, port::west, port::ramp);
    const bool wrong = r.random.chance(10);
    m.send({0, row}, 2, element_type::fp32, wrong ? r.random.between(1, words) : words);
    m.receive({last, row}, 2, element_type::fp32, wrong ? r.random.between(1, words) : words);
  }
  r.result.stages = 2;
  r.result.code = m.finish(r.random.chance(50));
}

// Two senders of one color in a row on both sides of a receiver that takes both: their words meet at its router unless
// one is late enough.
void merges(const recipe& r) {
  message_program m(r.random, "merges", r.size.columns, r.size.rows, r.result.chip);
  m.code().merging_routes = true;
  const int words = r.random.log_between(1, 200);
  const int last = r.size.columns - 1;
  for (int row = 0; row < r.size.rows; ++row) {
    const int to = r.random.between(1, last - 1);
    m.code().add_route(core_at(0, row), 2, port::ramp, port::east);
    m.code().add_route(rectangle(1, row, to - 1, 1), 2, port::west, port::east);
    m.code().add_route(core_at(to, row), 2, port_set(port::west).with(port::east), port::ramp);
    m.code().add_route(rectangle(to + 1, row, last - to - 1, 1), 2, port::east, port::west);
    m.code().add_route(core_at(last, row), 2, port::ramp, port::west);
    m.send({0, row}, 2, element_type::fp32, words);
    m.send({last, row}, 2, element_type::fp32, words);
    m.delay({r.random.chance(50) ? 0 : last, row},
            r.random.chance(97) ? 2 * words + 3 * last + 40 : r.random.between(0, 2 * words));
    m.receive({to, row}, 2, element_type::fp32, 2 * words);
  }
  r.result.contended = true;
  r.result.stages = 3;
  r.result.code = m.finish(false);
}

}  // namespace

random_case make_random_case(std::uint64_t seed, std::int64_t word_hops) {
  random_numbers random(seed);
  random_case result;
  result.chip = random.chance(50) ? wse2_chip() : wse3_chip();
  const recipe r{random, result, {random.log_between(4, 32), random.log_between(4, 32)}, word_hops};
  using maker = void (*)(const recipe&);
  constexpr std::array<maker, 15> makers{
      row_chains,          messages,           broadcasts,         stars,        trees,
      neighbour_exchanges, random_permutation, shared_rows,        all_to_all,   all_reduce,
      late_readers,        short_messages,     blocking_exchanges, wrong_counts, merges};
  makers[seed % makers.size()](r);
  result.pattern = result.code.name;
  return result;
}

}  // namespace scribeline::tests
