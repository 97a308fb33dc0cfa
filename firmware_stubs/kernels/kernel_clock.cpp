#include "firmware_stubs/kernels/kernel_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/run_once.h"

namespace scribeline::kernels {

using base::cycles;
using collectives::axis;

namespace {

// A corner of this side has cores of every parity with neighbours of every parity, and ends of rings; its first steps
// fill the buffers.
constexpr int corner_side = 8;
constexpr int first_steps = 4;
constexpr int more_steps = 8;

}  // namespace

cycles kernel_clock::run(const fabric::program& p) {
  const fabric::run_result result = fabric::run_once(engine_, p, chip_);
  if (result.outcome != fabric::run_outcome::finished)
    throw base::no_progress(fmt::format("{}: {}", p.name, result.explanation));
  word_hops_ += result.word_hops;
  return collectives::cycles_between_marks(result);
}

kernel_time kernel_clock::time(const mesh_kernel& kernel, const all_reduce_style& style) {
  mesh_kernel alone = kernel;
  alone.reduce.reset();
  alone.where.reset();
  const cycles compute = run(program_of(alone, chip_, 1, 1));
  if (!kernel.reduce) return {compute, compute};
  mesh_kernel on_line = kernel;
  const int parts = kernel.reduce->parts;
  on_line.reduce->parts = 1;
  const bool by_rows = kernel.reduce->along == axis::row;
  const int length = by_rows ? columns_ : rows_;
  if (length % parts != 0)
    throw std::invalid_argument(fmt::format("a line of {} cores has no {} equal parts", length, parts));
  const int part = length / parts;
  const cycles total = run(program_of(on_line, chip_, by_rows ? part : 1, by_rows ? 1 : part, style));
  return {total, compute};
}

cycles kernel_clock::gemm_cycles(int side, const gemm_tiles& tiles, const gemm_schedule& schedule) {
  return run(mesh_gemm(chip_, side, tiles, schedule));
}

kernel_time kernel_clock::time(const gemm_tiles& t, const gemm_schedule& schedule) {
  if (columns_ != rows_) throw std::invalid_argument("MeshGEMM runs on a square mesh");
  const int steps = schedule.steps > 0 ? schedule.steps : columns_;
  const auto [known, is_new] =
      gemms_.insert({{t.m, t.k, t.n, schedule.call_cycles, schedule.column_cycles, steps}, kernel_time{}});
  if (!is_new) return known->second;
  const int side = std::min(columns_, corner_side);
  gemm_schedule some = schedule;
  some.steps = std::min(steps, first_steps);
  cycles total = gemm_cycles(side, t, some);
  if (steps > first_steps) {
    some.steps = first_steps + more_steps;
    const cycles longer = gemm_cycles(side, t, some);
    const std::int64_t rest = std::int64_t{steps} - first_steps;
    total = total + cycles{(longer - total).value() * rest / more_steps};
  }
  // One core without neighbours and calls does the same multiply-adds.
  mesh_kernel product = product_of(t, schedule.column_cycles);
  const cycles compute = cycles{run(program_of(product, chip_, 1, 1)).value() * steps};
  return known->second = {total, compute};
}

}  // namespace scribeline::kernels
