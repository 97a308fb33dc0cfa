#include "tests/validation/waferllm/print_gemms.h"

#include <fmt/format.h>

#include "tests/validation/waferllm/waferllm_rows.h"

namespace scribeline::validation {
namespace {

using kernels::gemm_algorithm;

std::int64_t cycles(scenarios::waferllm_settings s, gemm_algorithm algorithm, bool align) {
  s.gemm = algorithm;
  s.align = align;
  return time_gemm(s).total().value();
}

void print_table(scenarios::waferllm_settings s) {
  s.phase = scenarios::waferllm_phase::gemm;
  fmt::print(
      "| matrices | cores | MeshGEMM, aligned | Cannon, aligned | SUMMA | MeshGEMM | Cannon |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  for (const int width : {2048, 4096, 8192})
    for (const int side : {480, 720}) {
      s.inputs = s.outputs = s.vectors = width;
      s.side = side;
      fmt::print("| {0} x {0} | {1}² |", width, side);
      const std::int64_t mesh = cycles(s, gemm_algorithm::mesh, false);
      fmt::print(" {} |", mesh);
      const auto beside = [&](gemm_algorithm algorithm, bool align) {
        const std::int64_t other = cycles(s, algorithm, align);
        fmt::print(" {} ({:+.1f} %) |", other, 100.0 * static_cast<double>(other - mesh) / static_cast<double>(mesh));
      };
      beside(gemm_algorithm::cannon, false);
      beside(gemm_algorithm::summa, false);
      beside(gemm_algorithm::mesh, true);
      beside(gemm_algorithm::cannon, true);
      fmt::print("\n");
    }
  fmt::print("\n");
}

}  // namespace

void print_gemms() {
  fmt::print(
      "## WSE-2: MeshGEMM, Cannon and SUMMA, without a measurement here\n\n"
      "Cycles of fp16 products of square matrices, percent against the first column. \"Aligned\": tiles lie in "
      "Cannon's "
      "alignment from the beginning, as weights can and activations cannot; otherwise compute-shift aligns both "
      "operands first, by as many shifts as their row or column says. SUMMA needs no alignment. All of it runs word by "
      "word; large squares are continued from two smaller ones (MeshGEMM of aligned tiles from a corner).\n\n"
      "WaferLLM reports MeshGEMM ahead of both others. This does not come out: aligned, Cannon takes the same "
      "within about a percent, and SUMMA a little less. Two things make up for the long ways. A core waits for its "
      "neighbours only, so the way back across a line, or a broadcast's, is on the critical path once or twice per "
      "product and not in every step. And routers multicast and hand over the right to broadcast by themselves, so "
      "a core of SUMMA only receives, where compute-shift receives and sends in every step through the datapath "
      "that multiplies. Programs whose steps end together, or whose broadcasts are set up by scalar code in every "
      "step, would lose by about the length of a line per step; those measured may be such programs. On squares "
      "larger than those simulated up to two lengths of a line are missing where a line is longer than a step: two "
      "percent at most; of tiles of 3 x 3 on 192² cores, simulated whole, 0.3 % was.\n\n"
      "With the costs fitted on layers (300 cycles per step, 5 per column):\n\n");
  print_table({});
  fmt::print("Without them:\n\n");
  scenarios::waferllm_settings bare;
  bare.all_reduce.call_cycles = 0;
  bare.column_cycles = 0;
  print_table(bare);
}

}  // namespace scribeline::validation
