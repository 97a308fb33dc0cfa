// Random programs in which streams meet at links, ramps and datapaths.
#include "tests/support/random_patterns.h"
#include "tests/support/routed_messages.h"

namespace scribeline::tests {

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

}  // namespace scribeline::tests
