// The times of WaferLLM's programs, kernel by kernel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "firmware_stubs/kernels/kernel_clock.h"
#include "scenarios/waferllm/waferllm_keys.h"

namespace scribeline::scenarios {

struct timed_kernel {
  std::string name;
  kernels::kernel_time time;
  std::string communication;  // for people: what all-reduce or shifts
};

// What is timed once: a layer, or a product.
struct timed_program {
  std::vector<timed_kernel> kernels;
  std::int64_t multiply_adds = 0;  // of a core, without padding
  std::int64_t all_reduce_hops = 0;
  std::int64_t bytes_per_core = 0;
  std::int64_t word_hops = 0;  // simulated

  base::cycles total() const;
  base::cycles compute() const;
};

// Each throws base::bad_input for dimensions that the programs do not take, base::does_not_fit for what a core cannot
// hold, and stops early when `interrupted`.
timed_program time_decode_layer(const waferllm_settings& s, const std::function<bool()>& interrupted = {});
timed_program time_prefill_layer(const waferllm_settings& s, const std::function<bool()>& interrupted = {});
timed_program time_gemv(const waferllm_settings& s);
timed_program time_gemm(const waferllm_settings& s);

// No core is faster than its peak, and no all-reduce than the way from one end of a line to the other.
base::cycles least_cycles(const timed_program& program, double peak_fma_fp16_per_cycle, std::int64_t hop_cycles);

}  // namespace scribeline::scenarios
