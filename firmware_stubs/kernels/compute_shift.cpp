#include "firmware_stubs/kernels/compute_shift.h"

#include <algorithm>
#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::folded_ring;
using collectives::lines;
using collectives::resources;
using collectives::wrapped_ring;

namespace {

using ring = std::variant<folded_ring, wrapped_ring>;

ring make_ring(program& p, resources& from, const lines& on, ring_kind kind) {
  if (kind == ring_kind::folded) return folded_ring(p, from, on);
  return wrapped_ring(p, from, on);
}

}  // namespace

int rank_on(ring_kind kind, int position, int length) {
  return kind == ring_kind::folded ? collectives::ring_rank(position, length) : position;
}

int position_on(ring_kind kind, int rank, int length) {
  return kind == ring_kind::folded ? collectives::ring_position(rank, length) : rank;
}

int shifts_to_align(ring_kind kind, int position, int length) {
  return (length - rank_on(kind, position, length)) % length;
}

shifted_tile::shifted_tile(program& p, resources& from, const lines& on, ring_kind kind, int first_buffer,
                           int buffer_bytes, int elements, element_type type)
    : ring_(make_ring(p, from, on, kind)),
      kind_(kind),
      length_(on.length()),
      receiver_(std::visit([](const auto& r) { return r.thread(); }, ring_)),
      sender_(from.thread()),
      address_(first_buffer),
      buffer_bytes_(buffer_bytes),
      elements_(elements),
      type_(type) {}

operand shifted_tile::receive(int position) const {
  return std::visit([&](const auto& r) { return r.receive(rank_on(kind_, position, length_)); }, ring_);
}

operand shifted_tile::send(int position) const {
  return std::visit([&](const auto& r) { return r.send(rank_on(kind_, position, length_)); }, ring_);
}

void shifted_tile::add_shift(std::vector<instruction>& body, int position, int shifts) const {
  const stepped_tile tile = after(shifts);
  body.push_back(copy(type_, sram(tile.begin(0, 1)), receive(position), elements_).on_thread(receiver_));
  body.push_back(copy(type_, send(position), sram(tile.begin()), elements_).on_thread(sender_));
}

// An operation of no elements starts when its thread is free.
void shifted_tile::add_wait_for_arrival(std::vector<instruction>& body) const {
  body.push_back(copy(type_, sram(address_), sram(address_), 0).on_thread(receiver_));
}

void shifted_tile::add_wait(std::vector<instruction>& body) const {
  add_wait_for_arrival(body);
  body.push_back(copy(type_, sram(address_), sram(address_), 0).on_thread(sender_));
}

void add_alignment(std::vector<instruction>& body, const alignment& first, const std::optional<alignment>& second) {
  const int both = second ? std::min(first.shifts, second->shifts) : 0;
  if (both > 0) {
    body.push_back(begin_loop{both});
    first.tile->add_shift(body, first.position, 0);
    second->tile->add_shift(body, second->position, 0);
    body.push_back(end_loop{});
  }
  const alignment& longer = second && second->shifts > first.shifts ? *second : first;
  if (longer.shifts == both) return;
  body.push_back(begin_loop{longer.shifts - both});
  longer.tile->add_shift(body, longer.position, both);
  body.push_back(end_loop{});
}

program compute_shift_gemm(std::string name, ring_kind kind, const fabric_chip& chip, int side, const gemm_tiles& t,
                           const gemm_schedule& schedule) {
  if (side < 2) throw std::invalid_argument(name + " shifts tiles between at least 2 x 2 cores");
  program p(std::move(name), side, side);
  resources from(chip);
  const task_id task = from.task();
  const shifted_tile a(p, from, collectives::rows_of(p.all()), kind, t.a, t.a_bytes(), t.m * t.k, t.type);
  const shifted_tile b(p, from, collectives::columns_of(p.all()), kind, t.b, t.b_bytes(), t.b_elements(), t.type);
  const auto add_core = [&](int column, int row) {
    // How far each tile is from the place where the first step wants it.
    const int shifts_a = schedule.align_a ? shifts_to_align(kind, row, side) : 0;
    const int shifts_b = schedule.align_b ? shifts_to_align(kind, column, side) : 0;
    std::vector<instruction> body{timestamp{collectives::begin_mark}, copy(t.type, sram(t.c), constant(0), t.m * t.n)};
    add_alignment(body, {&a, column, shifts_a}, alignment{&b, row, shifts_b});
    body.push_back(begin_loop{schedule.steps > 0 ? schedule.steps : side});
    a.add_shift(body, column, shifts_a);
    b.add_shift(body, row, shifts_b);
    body.push_back(scalar_work{schedule.call_cycles});
    add_step(body, t, schedule.column_cycles, a.after(shifts_a), b.after(shifts_b));
    body.push_back(end_loop{});
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
