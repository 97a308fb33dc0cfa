// The keys of a waferllm scenario.
#pragma once

#include <cstdint>
#include <string>

#include "firmware_stubs/kernels/gemm_algorithm.h"
#include "firmware_stubs/kernels/mesh_kernel.h"
#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/run.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

enum class waferllm_phase { decode, prefill, end_to_end, gemv, gemm };

struct waferllm_settings {
  std::string preset = "wse2";
  fabric::fabric_chip chip = fabric::wse2_chip();
  double clock_ghz = 1.1;
  double fma_fp16_per_cycle = 0;
  int side = 420;
  int prefill_side = 720;

  waferllm_phase phase = waferllm_phase::decode;
  int hidden = 4096;
  int feed_forward = 14336;
  int layers = 32;
  int prompt_tokens = 4096;
  int context_tokens = 0;  // 0: those of the phase
  int output_tokens = 128;
  int inputs = 16384;
  int outputs = 16384;
  int vectors = 16384;  // of a GEMM
  int repeats = 1;

  kernels::all_reduce_style all_reduce;
  std::int64_t column_cycles = 5;
  kernels::gemm_algorithm gemm = kernels::gemm_algorithm::mesh;  // of a GEMM
  bool align = false;
  int weight_bits = 0;  // of a GEMM; 0: fp16
  int weight_group = 128;
  fabric::engine_kind engine = fabric::engine_kind::wavelet;  // the run's fidelity

  waferllm_settings();

  bool decodes() const { return phase == waferllm_phase::decode || phase == waferllm_phase::end_to_end; }
  bool prefills() const { return phase == waferllm_phase::prefill || phase == waferllm_phase::end_to_end; }
  bool is_one_product() const { return phase == waferllm_phase::gemv || phase == waferllm_phase::gemm; }
  // Entries of the cache that a decoded token attends to.
  int cached_tokens() const;
  // The chip as the keys say.
  fabric::fabric_chip machine() const;
};

void declare_waferllm_keys(harness::key_table& keys, waferllm_settings& settings);

}  // namespace scribeline::scenarios
