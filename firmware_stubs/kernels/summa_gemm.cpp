#include "firmware_stubs/kernels/summa_gemm.h"

#include <stdexcept>

#include "firmware_stubs/collectives/broadcast_in_turns.h"
#include "firmware_stubs/collectives/collective.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::broadcast_in_turns;

namespace {

// What a core does with an operand in a step: multiplies its own tile, or one that arrives while another one is yet to
// come, or the last one that arrives.
enum class source { own, arriving, last };

source source_in(int step, int position, int steps) {
  if (step == position) return source::own;
  const int last = position == steps - 1 ? steps - 2 : steps - 1;
  return step == last ? source::last : source::arriving;
}

// One of the two operands.
struct broadcast_tile {
  broadcast_tile(program& p, collectives::resources& from, const collectives::lines& on, int first_buffer,
                 int buffer_bytes_, int elements_, element_type type_)
      : turns(p, from, on), address(first_buffer), buffer_bytes(buffer_bytes_), elements(elements_), type(type_) {}

  // The tile that a core at `position` receives in a loop that begins at `step`.
  stepped_tile received(int step, int position) const {
    const int before = step > position ? step - 1 : step;
    return {address + buffer_bytes, 2, buffer_bytes, before % 2};
  }
  stepped_tile in_use(int step, int position) const {
    return step == position ? stepped_tile{address} : received(step, position);
  }
  // Receiving starts when the tile before has arrived, which is in use from now on.
  void add_receive(std::vector<instruction>& body, const affine& to, int count) const {
    body.push_back(copy(type, sram(to), turns.receive(), count).on_thread(turns.receiver()));
  }
  void add_beginning(std::vector<instruction>& body, int position, int steps) const {
    if (position < steps) body.push_back(turns.send(type, sram(address), elements));
    if (steps > 1 || position > 0) add_receive(body, address + buffer_bytes, elements);
  }
  void add_transfer(std::vector<instruction>& body, int step, int position, source what) const {
    if (what == source::own) return;
    add_receive(body, received(step, position).begin(0, 1), what == source::arriving ? elements : 0);
  }
  void add_wait(std::vector<instruction>& body) const {
    body.push_back(copy(type, sram(address), sram(address), 0).on_thread(turns.sender()));
  }

  broadcast_in_turns turns;
  int address;
  int buffer_bytes;
  int elements;
  element_type type;
};

}  // namespace

program summa_gemm(const fabric_chip& chip, int side, const gemm_tiles& t, const gemm_schedule& schedule) {
  if (side < 2) throw std::invalid_argument("SUMMA broadcasts tiles between at least 2 x 2 cores");
  program p("SUMMA", side, side);
  collectives::resources from(chip);
  const task_id task = from.task();
  const int steps = schedule.steps > 0 ? schedule.steps : side;
  const broadcast_tile a(p, from, collectives::rows_of(p.all()), t.a, t.a_bytes(), t.m * t.k, t.type);
  const broadcast_tile b(p, from, collectives::columns_of(p.all()), t.b, t.b_bytes(), t.b_elements(), t.type);
  const auto add_core = [&](int column, int row) {
    std::vector<instruction> body{timestamp{collectives::begin_mark}, copy(t.type, sram(t.c), constant(0), t.m * t.n)};
    a.add_beginning(body, column, steps);
    b.add_beginning(body, row, steps);
    // Steps in which the core does the same are a loop.
    for (int first = 0, end = 0; first < steps; first = end) {
      const source of_a = source_in(first, column, steps);
      const source of_b = source_in(first, row, steps);
      for (end = first + 1; end < steps && source_in(end, column, steps) == of_a && source_in(end, row, steps) == of_b;)
        ++end;
      body.push_back(begin_loop{end - first});
      a.add_transfer(body, first, column, of_a);
      b.add_transfer(body, first, row, of_b);
      body.push_back(scalar_work{schedule.call_cycles});
      add_step(body, t, schedule.column_cycles, a.in_use(first, column), b.in_use(first, row));
      body.push_back(end_loop{});
    }
    a.add_wait(body);
    b.add_wait(body);
    body.push_back(timestamp{collectives::end_mark});
    p.add_start_task(core_at(column, row), task, p.name, std::move(body));
  };
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      add_core(column, row);
  return p;
}

}  // namespace scribeline::kernels
