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

// The larger one of two meshes that are simulated as a whole. A way across it must be longer than a step for what steps
// cannot hide to show; steps with small tiles are short, and quickly simulated.
int whole_side(const gemm_tiles& t) {
  const std::int64_t words = std::max(t.m * t.k, t.b_elements()) * fabric::bytes_of(t.type) / 4;
  return words <= 4 ? 96 : words <= 32 ? 64 : 32;
}

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

cycles kernel_clock::gemm_on_corner(const gemm_tiles& t, const gemm_schedule& schedule) {
  const int side = std::min(columns_, corner_side);
  const auto cycles_of = [&](int steps) {
    gemm_schedule some = schedule;
    some.steps = steps;
    return run(gemm(gemm_algorithm::mesh, chip_, side, t, some));
  };
  const cycles first = cycles_of(std::min(schedule.steps, first_steps));
  if (schedule.steps <= first_steps) return first;
  const cycles longer = cycles_of(first_steps + more_steps);
  const std::int64_t rest = std::int64_t{schedule.steps} - first_steps;
  return first + cycles{(longer - first).value() * rest / more_steps};
}

cycles kernel_clock::gemm_on_whole_meshes(const gemm_tiles& t, const gemm_schedule& schedule,
                                          gemm_algorithm algorithm) {
  const auto cycles_of = [&](int side) {
    gemm_schedule all_steps = schedule;
    all_steps.steps = 0;
    return run(gemm(algorithm, chip_, side, t, all_steps));
  };
  const int larger = whole_side(t) + columns_ % 2;  // even sides for an even one
  if (columns_ <= larger) return cycles_of(columns_);
  const int between = whole_side(t) / 4;
  const cycles of_larger = cycles_of(larger);
  const std::int64_t more = (of_larger - cycles_of(larger - between)).value();
  return of_larger + cycles{more * (columns_ - larger) / between};
}

kernel_time kernel_clock::time(const gemm_tiles& t, const gemm_schedule& schedule, gemm_algorithm algorithm) {
  if (columns_ != rows_) throw std::invalid_argument("matrices are multiplied on a square mesh");
  const bool alike = algorithm == gemm_algorithm::mesh && !schedule.align_a && !schedule.align_b;
  if (!alike && schedule.steps > 0)
    throw std::invalid_argument("some steps of a product are timed of MeshGEMM with aligned tiles only");
  gemm_schedule all = schedule;
  all.steps = schedule.steps > 0 ? schedule.steps : columns_;
  const decltype(gemms_)::key_type key{t.m,
                                       t.k,
                                       t.n,
                                       t.bits,
                                       t.group,
                                       schedule.call_cycles,
                                       schedule.column_cycles,
                                       all.steps,
                                       schedule.align_a,
                                       schedule.align_b,
                                       static_cast<int>(algorithm)};
  const auto known = gemms_.find(key);
  if (known != gemms_.end()) return known->second;
  const cycles total = alike ? gemm_on_corner(t, all) : gemm_on_whole_meshes(t, all, algorithm);
  // One core without neighbours and calls does the same multiply-adds.
  mesh_kernel product = product_of(t, schedule.column_cycles);
  const cycles compute = cycles{run(program_of(product, chip_, 1, 1)).value() * all.steps};
  return gemms_[key] = {total, compute};
}

}  // namespace scribeline::kernels
