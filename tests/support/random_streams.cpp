// Random programs in which nothing holds a stream up.
#include "tests/support/message_program.h"
#include "tests/support/random_patterns.h"

namespace scribeline::tests {

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

}  // namespace scribeline::tests
