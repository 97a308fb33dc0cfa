// Random programs whose stages wait for each other.
#include "tests/support/message_program.h"
#include "tests/support/random_patterns.h"

namespace scribeline::tests {

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

}  // namespace scribeline::tests
