#include "scenarios/waferllm/layer_times.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "firmware_stubs/kernels/gated_feed_forward.h"
#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/grouped_attention.h"
#include "firmware_stubs/kernels/prefill_layer.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/program/validate.h"

namespace scribeline::scenarios {
namespace {

using base::ceil_div;
using collectives::axis;

void require_room(const waferllm_settings& s, const char* what, int side, std::int64_t needed) {
  if (needed <= s.chip.sram_bytes) return;
  throw base::does_not_fit(
      fmt::format("{} on {} x {} cores takes {} B of every core, which has {} B: more cores or a "
                  "smaller model would fit",
                  what, side, side, needed, s.chip.sram_bytes));
}

void require_side(const waferllm_settings& s, const char* key, int side) {
  if (side > s.chip.columns || side > s.chip.rows)
    throw base::bad_input(
        fmt::format("{} = {}: the wafer has {} columns and {} rows of cores", key, side, s.chip.columns, s.chip.rows));
  if (s.all_reduce.groups > 0 && side % s.all_reduce.groups != 0)
    throw base::bad_input(fmt::format("kernel.groups = {} does not divide {} = {}", s.all_reduce.groups, key, side));
}

std::string described(const std::optional<kernels::reduction>& reduce) {
  if (!reduce) return "";
  return fmt::format("all-reduce of {} along {}", reduce->vector.elements,
                     reduce->along == axis::row ? "rows" : "columns");
}

class program_timer {
 public:
  program_timer(const waferllm_settings& s, int side) : s_(s), side_(side), clock_(s.machine(), side, side, s.engine) {}

  void add(const kernels::mesh_kernel& kernel) {
    result_.kernels.push_back({kernel.name, clock_.time(kernel, s_.all_reduce), described(kernel.reduce)});
    if (kernel.reduce) result_.all_reduce_hops += side_ - 1;
  }
  void add(const std::string& name, const kernels::gemm_tiles& t,
           kernels::gemm_algorithm algorithm = kernels::gemm_algorithm::mesh, bool align = false) {
    kernels::gemm_schedule schedule{0, s_.all_reduce.call_cycles, s_.column_cycles};
    schedule.align_a = schedule.align_b = align;
    const char* const transfers = algorithm == kernels::gemm_algorithm::summa ? "broadcasts" : "shifts";
    result_.kernels.push_back({name, clock_.time(t, schedule, algorithm),
                               fmt::format("{} {} of {} and {}", side_, transfers, t.m * t.k, t.b_elements())});
  }
  timed_program take(std::int64_t multiply_adds_of_all_cores, std::int64_t bytes_per_core) {
    result_.multiply_adds = multiply_adds_of_all_cores / (std::int64_t{side_} * side_);
    result_.bytes_per_core = bytes_per_core;
    result_.word_hops = clock_.word_hops();
    return std::move(result_);
  }

 private:
  const waferllm_settings& s_;
  int side_;
  kernels::kernel_clock clock_;
  timed_program result_;
};

}  // namespace

base::cycles timed_program::total() const {
  base::cycles sum;
  for (const timed_kernel& kernel : kernels)
    sum = sum + kernel.time.total;
  return sum;
}

base::cycles timed_program::compute() const {
  base::cycles sum;
  for (const timed_kernel& kernel : kernels)
    sum = sum + kernel.time.compute;
  return sum;
}

timed_program time_decode_layer(const waferllm_settings& s, const std::function<bool()>& interrupted) {
  require_side(s, "machine.side", s.side);
  constexpr fabric::element_type type = fabric::element_type::fp16;
  kernels::address_counter sram(type);
  const kernels::residual_stream stream(s.hidden, s.side, s.side, type, 1e-5, sram);
  // One head as wide as the layer.
  const kernels::grouped_attention attention({1, 1, s.hidden, s.cached_tokens()}, stream, sram);
  const kernels::gated_feed_forward feed_forward(s.feed_forward, stream, sram);
  require_room(s, "a decode layer", s.side, sram.used());
  program_timer timer(s, s.side);
  for (const auto& block : {attention.kernels(stream), feed_forward.kernels(stream)})
    for (const kernels::mesh_kernel& kernel : block) {
      if (interrupted && interrupted()) break;
      timer.add(kernel);
    }
  const std::int64_t hidden = s.hidden;
  return timer.take(hidden * (4 * hidden + 3 * std::int64_t{s.feed_forward} + 2 * std::int64_t{s.cached_tokens()}),
                    sram.used());
}

timed_program time_prefill_layer(const waferllm_settings& s, const std::function<bool()>& interrupted) {
  require_side(s, "machine.prefill_side", s.prefill_side);
  const kernels::prefill_dimensions d{s.hidden, s.feed_forward, s.prompt_tokens};
  const std::int64_t bytes = kernels::prefill_bytes_per_core(d, s.prefill_side);
  require_room(s, "a prefill layer", s.prefill_side, bytes);
  program_timer timer(s, s.prefill_side);
  for (const kernels::prefill_step& step : kernels::prefill_layer(d, s.prefill_side)) {
    if (interrupted && interrupted()) break;
    if (const auto* tiles = std::get_if<kernels::gemm_tiles>(&step.work))
      timer.add(step.name, *tiles);
    else
      timer.add(std::get<kernels::mesh_kernel>(step.work));
  }
  const std::int64_t hidden = s.hidden;
  const std::int64_t tokens = s.prompt_tokens;
  return timer.take(tokens * hidden * (4 * hidden + 3 * std::int64_t{s.feed_forward} + 2 * tokens), bytes);
}

timed_program time_gemv(const waferllm_settings& s) {
  require_side(s, "machine.side", s.side);
  kernels::gemv_tile t;
  t.inputs = ceil_div(s.inputs, s.side);
  t.outputs = ceil_div(s.outputs, s.side);
  const std::int64_t weights = std::int64_t{2} * t.inputs * t.outputs;
  const std::int64_t bytes = weights + 2 * (t.inputs + t.outputs) + 4;
  require_room(s, "a tile of the GEMV", s.side, bytes);
  t.input = static_cast<int>((weights + 3) / 4 * 4);
  t.output = (t.input + 2 * t.inputs + 3) / 4 * 4;
  program_timer timer(s, s.side);
  timer.add(kernels::gemv("GEMV", {t}, axis::column));
  return timer.take(std::int64_t{s.inputs} * s.outputs, bytes);
}

timed_program time_gemm(const waferllm_settings& s) {
  require_side(s, "machine.side", s.side);
  const int m = ceil_div(s.vectors, s.side);
  const int k = ceil_div(s.inputs, s.side);
  const int n = ceil_div(s.outputs, s.side);
  const kernels::gemm_tiles t = s.weight_bits == 0
                                    ? kernels::lay_out_gemm(m, k, n)
                                    : kernels::lay_out_quantised_gemm(m, k, n, s.weight_bits, s.weight_group);
  require_room(s, "the tiles of the GEMM", s.side, t.bytes());
  program_timer timer(s, s.side);
  timer.add(std::string(kernels::name(s.gemm)), t, s.gemm, s.align);
  return timer.take(std::int64_t{s.vectors} * s.inputs * s.outputs, t.bytes());
}

base::cycles least_cycles(const timed_program& p, double peak_fma_fp16_per_cycle, std::int64_t hop_cycles) {
  const auto work =
      static_cast<std::int64_t>(std::floor(static_cast<double>(p.multiply_adds) / peak_fma_fp16_per_cycle));
  return base::cycles{work + p.all_reduce_hops * hop_cycles};
}

}  // namespace scribeline::scenarios
