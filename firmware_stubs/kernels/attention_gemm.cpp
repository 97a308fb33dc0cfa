#include "firmware_stubs/kernels/attention_gemm.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"
#include "firmware_stubs/kernels/compute_shift.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::resources;

namespace {

constexpr ring_kind rings = ring_kind::folded;

void check(const attention_tiles& t) {
  if (t.side < 2) throw std::invalid_argument("attention shifts tiles between at least 2 x 2 cores");
  if (t.side % t.kv_heads != 0)
    throw std::invalid_argument(fmt::format("{} columns do not divide by {} key-value heads", t.side, t.kv_heads));
}

// What both products have: scores on the rows' rings, keys or values on the columns'.
struct attention_program {
  attention_program(const char* name, const fabric_chip& chip, const attention_tiles& tiles)
      : t(tiles),
        p(name, t.side, t.side),
        from(chip),
        task(from.task()),
        scores(p, from, collectives::rows_of(p.all()), rings, t.scores, t.buffer_bytes(t.score_elements()),
               t.score_elements(), t.type),
        other(p, from, collectives::columns_of(p.all()), rings, t.shifted, t.buffer_bytes(t.tile_elements()),
              t.tile_elements(), t.type) {}

  std::vector<instruction> begin(int column, int row, int tile) const {
    std::vector<instruction> body{timestamp{collectives::begin_mark},
                                  copy(t.type, sram(t.shifted), sram(tile), t.tile_elements())};
    add_alignment(body, {&other, row, shifts_of_other(column)});
    return body;
  }
  void end(std::vector<instruction>& body, int column, int row) {
    scores.add_wait(body);
    other.add_wait(body);
    body.push_back(timestamp{collectives::end_mark});
    p.add_start_task(core_at(column, row), task, p.name, std::move(body));
  }
  int shifts_of_other(int column) const { return shifts_to_align(rings, column, t.side); }
  // Bytes from the first head's scores to those of a query head of the column.
  int scores_of(int column, int query) const {
    const int head = column / (t.side / t.kv_heads) * t.queries + query;
    return head * t.tokens * t.tokens * bytes_of(t.type);
  }

  const attention_tiles& t;
  program p;
  resources from;
  task_id task;
  shifted_tile scores;
  shifted_tile other;
};

stepped_tile moved(stepped_tile tile, int bytes) {
  tile.address += bytes;
  return tile;
}

}  // namespace

program attention_scores(const fabric_chip& chip, const attention_tiles& t, const gemm_schedule& schedule) {
  check(t);
  attention_program a("scores", chip, t);
  const int bytes = bytes_of(t.type);
  for (int row = 0; row < t.side; ++row)
    for (int column = 0; column < t.side; ++column) {
      std::vector<instruction> body = a.begin(column, row, t.key);
      body.push_back(copy(t.type, sram(t.scores), constant(0), t.score_elements()));
      body.push_back(begin_loop{t.side});
      const int shifts = a.shifts_of_other(column);
      a.other.add_shift(body, row, shifts);
      body.push_back(scalar_work{schedule.call_cycles});
      a.scores.add_wait_for_arrival(body);
      for (int q = 0; q < t.queries; ++q)
        add_product(body,
                    {t.tokens,
                     t.elements,
                     t.tokens,
                     {t.query + q * t.tile_elements() * bytes},
                     a.other.after(shifts),
                     moved(a.scores.after(0), a.scores_of(column, q)),
                     t.tokens * bytes,
                     bytes,
                     t.type},
                    schedule.column_cycles);
      a.scores.add_shift(body, column, 0);
      body.push_back(end_loop{});
      a.end(body, column, row);
    }
  return std::move(a.p);
}

program attention_output(const fabric_chip& chip, const attention_tiles& t, const gemm_schedule& schedule) {
  check(t);
  attention_program a("attention output", chip, t);
  const int bytes = bytes_of(t.type);
  for (int row = 0; row < t.side; ++row)
    for (int column = 0; column < t.side; ++column) {
      std::vector<instruction> body = a.begin(column, row, t.value);
      body.push_back(copy(t.type, sram(t.output), constant(0), t.queries * t.tile_elements()));
      body.push_back(begin_loop{t.side});
      const int shifts = a.shifts_of_other(column);
      a.scores.add_shift(body, column, t.side);
      a.other.add_shift(body, row, shifts);
      body.push_back(scalar_work{schedule.call_cycles});
      for (int q = 0; q < t.queries; ++q)
        add_product(body,
                    {t.tokens,
                     t.tokens,
                     t.elements,
                     moved(a.scores.after(t.side), a.scores_of(column, q)),
                     a.other.after(shifts),
                     {t.output + q * t.tile_elements() * bytes},
                     bytes,
                     t.tokens * bytes,
                     t.type},
                    schedule.column_cycles);
      body.push_back(end_loop{});
      a.end(body, column, row);
    }
  return std::move(a.p);
}

}  // namespace scribeline::kernels
