#include "firmware_stubs/kernels/prompt_hand_over.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

struct channel {
  explicit channel(collectives::resources& from) : color(from.color()), input(from.input()), output(from.output()) {}
  operand in() const { return fabric_in(input, color); }
  operand out() const { return fabric_out(output, color); }

  color_id color;
  queue_id input;
  queue_id output;
};

// From `row` of a column to the diagonal.
void add_way_to_diagonal(program& p, const channel& c, int column, int row) {
  if (row == column) return;
  const port ahead = row < column ? port::south : port::north;
  const int first_between = std::min(row, column) + 1;
  p.add_route(core_at(column, row), c.color, port::ramp, ahead);
  p.add_route(rectangle(column, first_between, 1, std::abs(row - column) - 1), c.color, opposite(ahead), ahead);
  p.add_route(core_at(column, column), c.color, opposite(ahead), port::ramp);
  p.bind_output(core_at(column, row), c.output, c.color).bind_input(core_at(column, column), c.input, c.color);
}

// From the diagonal along `row`, both ways.
void add_multicast(program& p, const channel& c, int row, int side) {
  port_set both;
  if (row > 0) both = both.with(port::west);
  if (row < side - 1) both = both.with(port::east);
  p.add_route(core_at(row, row), c.color, port::ramp, both).bind_output(core_at(row, row), c.output, c.color);
  p.add_route(rectangle(1, row, row - 1, 1), c.color, port::east, {port::west, port::ramp});
  p.add_route(rectangle(row + 1, row, side - row - 2, 1), c.color, port::west, {port::east, port::ramp});
  if (row > 0) p.add_route(core_at(0, row), c.color, port::east, port::ramp);
  if (row < side - 1) p.add_route(core_at(side - 1, row), c.color, port::west, port::ramp);
  p.bind_input(rectangle(0, row, row, 1), c.input, c.color);
  p.bind_input(rectangle(row + 1, row, side - row - 1, 1), c.input, c.color);
}

}  // namespace

program hand_over(const fabric_chip& chip, const prompt_stream& from, const residual_stream& to, int token) {
  const int side = from.side;
  if (to.columns != side || to.rows != side || to.elements != from.elements || to.type != from.type)
    throw std::invalid_argument("a token is handed over between streams of the same width on the same square mesh");
  if (token < 0 || token >= side * from.tokens)
    throw std::invalid_argument(fmt::format("token {} of a prompt with room for {}", token, side * from.tokens));
  program p("hand over", side, side);
  collectives::resources r(chip);
  const task_id task = r.task();
  const channel down(r);
  const channel along(r);
  const int token_row = token % side;
  const operand features =
      sram(from.activation + token / side * bytes_of(from.type), from.tokens);  // one of all the tokens of the core
  const operand activation = sram(to.activation);
  for (int line = 0; line < side; ++line) {
    add_way_to_diagonal(p, down, line, token_row);
    add_multicast(p, along, line, side);
  }
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      std::vector<instruction> body{timestamp{collectives::begin_mark}};
      const auto move = [&](const operand& dst, const operand& src) {
        body.push_back(copy(from.type, dst, src, from.elements));
      };
      if (row == token_row && row != column) move(down.out(), features);
      if (row == column) {
        move(activation, row == token_row ? features : down.in());
        move(along.out(), activation);
      } else {
        move(activation, along.in());
      }
      body.push_back(timestamp{collectives::end_mark});
      p.add_start_task(core_at(column, row), task, p.name, std::move(body));
    }
  return p;
}

}  // namespace scribeline::kernels
