#include "firmware_stubs/kernels/mesh_gemm.h"

#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"
#include "firmware_stubs/collectives/folded_ring.h"
#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::folded_ring;
using collectives::ring_rank;

namespace {

// One of the two operands: its buffers and the ring that it goes round.
struct shifted_tile {
  shifted_tile(program& p, collectives::resources& from, const collectives::lines& on, int first_buffer, int bytes,
               int elements_)
      : ring(p, from, on),
        receiver(ring.thread()),
        sender(from.thread()),
        address(first_buffer),
        buffer_bytes(bytes),
        elements(elements_) {}

  // The first byte of the buffer in use in a step, the innermost loop, or of the buffer `ahead` of it.
  affine begin(int ahead = 0) const {
    return affine(address).wrapped(ahead * buffer_bytes, 3 * buffer_bytes).with_iteration(buffer_bytes);
  }
  // The first byte of the buffer in use plus `offset` plus per_column times the column of C, the loop inside the steps.
  affine at(int offset, int per_column) const {
    return affine(address + offset).wrapped(0, 3 * buffer_bytes).with_iteration(per_column, buffer_bytes);
  }

  void add_shift(std::vector<instruction>& body, element_type type, int rank) const {
    body.push_back(copy(type, sram(begin(1)), ring.receive(rank), elements).on_thread(receiver));
    body.push_back(copy(type, ring.send(rank), sram(begin()), elements).on_thread(sender));
  }
  // An operation of no elements starts when its thread is free.
  void add_wait(std::vector<instruction>& body, element_type type) const {
    for (const microthread_id thread : {receiver, sender})
      body.push_back(copy(type, sram(address), sram(address), 0).on_thread(thread));
  }

  folded_ring ring;
  microthread_id receiver;
  microthread_id sender;
  int address;
  int buffer_bytes;
  int elements;
};

// C += A B of the tiles in the buffers of the step: a loop over the columns of C, unrolled over k.
template <class Tile>
void add_product(std::vector<instruction>& body, const gemm_tiles& t, std::int64_t column_cycles, const Tile& a,
                 const Tile& b) {
  const int bytes = bytes_of(t.type);
  const operand c = sram(affine(t.c).with_iteration(t.m * bytes));
  body.push_back(begin_loop{t.n});
  body.push_back(scalar_work{column_cycles});
  for (int k = 0; k < t.k; ++k)
    body.push_back(multiply_add(t.type, c, c, sram(a.at(k * t.m * bytes, 0)), b.at(k * t.n * bytes, bytes), t.m)
                       .keeping(k == 0 ? 0 : kept_in_sum));
  body.push_back(end_loop{});
}

}  // namespace

gemm_tiles lay_out_gemm(int m, int k, int n, element_type type) {
  gemm_tiles t{m, k, n, 0, 0, 0, type};
  t.b = 3 * t.a_bytes();
  t.c = t.b + 3 * t.b_bytes();
  return t;
}

program mesh_gemm(const fabric_chip& chip, int side, const gemm_tiles& t, const gemm_schedule& schedule) {
  if (side < 2) throw std::invalid_argument("MeshGEMM shifts tiles between at least 2 x 2 cores");
  program p("MeshGEMM", side, side);
  collectives::resources from(chip);
  const task_id task = from.task();
  const shifted_tile a(p, from, collectives::rows_of(p.all()), t.a, t.a_bytes(), t.m * t.k);
  const shifted_tile b(p, from, collectives::columns_of(p.all()), t.b, t.b_bytes(), t.k * t.n);
  std::vector<instruction> product;
  add_product(product, t, schedule.column_cycles, a, b);
  const auto add_core = [&](int column, int row) {
    std::vector<instruction> body{timestamp{collectives::begin_mark}, copy(t.type, sram(t.c), constant(0), t.m * t.n),
                                  begin_loop{schedule.steps > 0 ? schedule.steps : side}};
    a.add_shift(body, t.type, ring_rank(column, side));
    b.add_shift(body, t.type, ring_rank(row, side));
    body.push_back(scalar_work{schedule.call_cycles});
    body.insert(body.end(), product.begin(), product.end());
    body.push_back(end_loop{});
    a.add_wait(body, t.type);
    b.add_wait(body, t.type);
    body.push_back(timestamp{collectives::end_mark});
    p.add_start_task(core_at(column, row), task, "MeshGEMM", std::move(body));
  };
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      add_core(column, row);
  return p;
}

mesh_kernel product_of(const gemm_tiles& t, std::int64_t column_cycles) {
  struct resident_tile {
    affine at(int offset, int per_column) const { return affine(address + offset).with_iteration(per_column); }
    int address;
  };
  mesh_kernel kernel;
  kernel.name = "tile product";
  add_product(kernel.before, t, column_cycles, resident_tile{t.a}, resident_tile{t.b});
  return kernel;
}

}  // namespace scribeline::kernels
