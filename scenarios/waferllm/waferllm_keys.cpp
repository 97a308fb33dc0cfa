#include "scenarios/waferllm/waferllm_keys.h"

#include "firmware_stubs/kernels/gemv.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::scenarios {
namespace {

const char* const paper = "WaferLLM (OSDI'25, arXiv 2502.04563)";
const char* const fitted = "fitted on WaferLLM's rows, see docs/validation.md";

void take_chip(waferllm_settings& s, const fabric::fabric_chip& chip, double clock_ghz) {
  s.chip = chip;
  s.clock_ghz = clock_ghz;
  s.fma_fp16_per_cycle = chip.core.multiply_add.elements_16_bit;
}

void declare_machine_keys(harness::key_table& keys, waferllm_settings& s) {
  keys.add_preset("machine.preset", s.preset,
                  {{"wse2", "WSE-2, at the clock that WaferLLM converts cycles with",
                    [&s] { take_chip(s, fabric::wse2_chip(), 1.1); }},
                   {"wse3", "WSE-3, with the costs of calls that were fitted on WSE-2",
                    [&s] { take_chip(s, fabric::wse3_chip(), wafer::find_wafer_preset("wse3")->config.clock_ghz); }}})
      .meaning("chip whose timing is used");
  keys.add("machine.side", s.side)
      .unit("cores")
      .range(2, 1024)
      .used_when([&s] { return s.phase != waferllm_phase::prefill; }, "workload.phase is not \"prefill\"")
      .source(paper)
      .meaning("columns and rows of the square of cores, of decode and of single products");
  keys.add("machine.prefill_side", s.prefill_side)
      .unit("cores")
      .range(2, 1024)
      .used_when([&s] { return s.prefills(); }, "workload.phase is \"prefill\" or \"end_to_end\"")
      .source(paper)
      .meaning("columns and rows of the square of cores that prefills");
  keys.add("machine.clock_ghz", s.clock_ghz)
      .unit("GHz")
      .range(1e-6, 1000)
      .from_preset()
      .source("wse2: 1.1 GHz, with which WaferLLM converts its cycles; wse3: rtl_tlm/wafer/wafer_config.cpp")
      .meaning("clock of cores and fabric");
  keys.add("machine.fma_fp16_per_cycle", s.fma_fp16_per_cycle)
      .range(0.01, 64)
      .from_preset()
      .source("rtl_tlm/core/core_timing.h")
      .meaning("16-bit multiply-adds per cycle that a core sustains");
  const auto add = [&](const char* path, std::int64_t& field, int least, int most, const char* source,
                       const char* meaning) {
    keys.add(path, field).unit("cycles").range(least, most).from_preset().source(source).meaning(meaning);
  };
  add("machine.vector_setup_cycles", s.chip.core.vector_setup_cycles, kernels::kept_in_sum, 1000,
      "rtl_tlm/core/core_timing.h",
      "descriptor loads and the instruction of a vector operation; two of the loads fall away in sums");
  add("machine.hop_cycles", s.chip.hop_cycles, 1, 100, "rtl_tlm/fabric/chip.h", "router to neighbouring router");
}

void declare_workload_keys(harness::key_table& keys, waferllm_settings& s) {
  const auto layers = [&s] { return !s.is_one_product(); };
  const char* const when_layers = "workload.phase runs layers";
  keys.add_choice("workload.phase", s.phase,
                  {{"decode", waferllm_phase::decode},
                   {"prefill", waferllm_phase::prefill},
                   {"end_to_end", waferllm_phase::end_to_end},
                   {"gemv", waferllm_phase::gemv},
                   {"gemm", waferllm_phase::gemm}})
      .meaning("what is timed: a token, a prompt, a prompt and its answer, or one product");
  const auto add = [&](const char* path, int& field, const char* meaning) -> harness::key& {
    return keys.add(path, field).range(1, 1e7).meaning(meaning);
  };
  add("workload.hidden", s.hidden, "width of the model").used_when(layers, when_layers);
  add("workload.feed_forward", s.feed_forward, "width of the feed-forward layers").used_when(layers, when_layers);
  add("workload.layers", s.layers, "one layer is timed, and counted this many times").used_when(layers, when_layers);
  add("workload.prompt_tokens", s.prompt_tokens, "tokens of the prompt").unit("tokens").used_when(layers, when_layers);
  keys.add("workload.context_tokens", s.context_tokens)
      .unit("tokens")
      .range(0, 1e7)
      .word("prompt", 0)
      .used_when([&s] { return s.decodes(); }, "tokens are decoded")
      .meaning("cached tokens that decode attends to; \"prompt\": the prompt, and at the end of end_to_end the answer");
  add("workload.output_tokens", s.output_tokens, "tokens of the answer")
      .unit("tokens")
      .used_when([&s] { return s.phase == waferllm_phase::end_to_end; }, "workload.phase is \"end_to_end\"");
  const auto product = [&s] { return s.is_one_product(); };
  add("workload.inputs", s.inputs, "inner dimension of the product")
      .used_when(product, "workload.phase is \"gemv\" or \"gemm\"");
  add("workload.outputs", s.outputs, "columns of the matrix of weights")
      .used_when(product, "workload.phase is \"gemv\" or \"gemm\"");
  add("workload.vectors", s.vectors, "rows of the other matrix")
      .used_when([&s] { return s.phase == waferllm_phase::gemm; }, "workload.phase is \"gemm\"");
  add("workload.repeats", s.repeats,
      "how often the timed piece runs back to back; times are per repeat, as WaferLLM "
      "takes them")
      .range(1, 1e6);
}

void declare_kernel_keys(harness::key_table& keys, waferllm_settings& s) {
  keys.add_choice("kernel.relay", s.all_reduce.relay,
                  {{"store_and_forward", collectives::relay_kind::store_and_forward},
                   {"streaming", collectives::relay_kind::streaming}})
      .source("assumption: explains decode times, see docs/validation.md")
      .meaning("how the cores inside the chains of an all-reduce pass a vector on");
  keys.add("kernel.groups", s.all_reduce.groups)
      .range(0, 1024)
      .word("best", 0)
      .source(paper)
      .meaning("groups of a line in the two-tree all-reduce; \"best\": the divisor of its length nearest to its root");
  keys.add("kernel.call_cycles", s.all_reduce.call_cycles)
      .unit("cycles")
      .range(0, 1e6)
      .source(fitted)
      .meaning("scalar code of every call that communicates: an all-reduce, or the transfers of a step of a GEMM");
  keys.add("kernel.column_cycles", s.column_cycles)
      .unit("cycles")
      .range(0, 1e6)
      .used_when([&s] { return s.prefills() || s.phase == waferllm_phase::gemm; }, "a GEMM runs")
      .source(fitted)
      .meaning("scalar code of every column of a tile product, besides the loop");
}

void declare_gemm_keys(harness::key_table& keys, waferllm_settings& s) {
  const auto is_gemm = [&s] { return s.phase == waferllm_phase::gemm; };
  const char* const when_gemm = "workload.phase is \"gemm\"";
  keys.add_choice("kernel.gemm", s.gemm,
                  {{"mesh", kernels::gemm_algorithm::mesh},
                   {"cannon", kernels::gemm_algorithm::cannon},
                   {"summa", kernels::gemm_algorithm::summa}})
      .used_when(is_gemm, when_gemm)
      .meaning("how tiles come together: shifts on folded rings, shifts with a way back across the line, broadcasts");
  keys.add("kernel.align", s.align)
      .used_when([&s] { return s.phase == waferllm_phase::gemm && s.gemm != kernels::gemm_algorithm::summa; },
                 "workload.phase is \"gemm\" and kernel.gemm shifts")
      .meaning(
          "tiles are first shifted into the alignment of the first step; otherwise they lie so from the beginning");
  keys.add_choice("kernel.weights", s.weight_bits, {{"fp16", 0}, {"8_bit", 8}, {"4_bit", 4}})
      .used_when(is_gemm, when_gemm)
      .meaning("how the matrix of weights is stored and travels; it is expanded in every step");
  keys.add("kernel.weight_group", s.weight_group)
      .range(1, 1e7)
      .used_when([&s] { return s.phase == waferllm_phase::gemm && s.weight_bits != 0; },
                 "kernel.weights is not \"fp16\"")
      .meaning("inputs that share a scale, of those of a tile");
}

}  // namespace

waferllm_settings::waferllm_settings() {
  all_reduce.relay = collectives::relay_kind::store_and_forward;
  all_reduce.call_cycles = 300;
  take_chip(*this, fabric::wse2_chip(), clock_ghz);
}

int waferllm_settings::cached_tokens() const {
  if (context_tokens > 0) return context_tokens;
  return phase == waferllm_phase::end_to_end ? prompt_tokens + output_tokens : prompt_tokens;
}

fabric::fabric_chip waferllm_settings::machine() const {
  fabric::fabric_chip machine = chip;
  machine.core.multiply_add.elements_16_bit = fma_fp16_per_cycle;
  return machine;
}

void declare_waferllm_keys(harness::key_table& keys, waferllm_settings& s) {
  declare_machine_keys(keys, s);
  declare_workload_keys(keys, s);
  declare_kernel_keys(keys, s);
  declare_gemm_keys(keys, s);
}

}  // namespace scribeline::scenarios
