// Random programs that may not finish.
#include "tests/support/message_program.h"
#include "tests/support/random_patterns.h"

namespace scribeline::tests {

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

}  // namespace scribeline::tests
