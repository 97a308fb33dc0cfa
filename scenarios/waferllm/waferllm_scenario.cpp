#include "scenarios/waferllm/waferllm_scenario.h"

#include <fmt/format.h>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/units.h"
#include "rtl_tlm/wafer/wafer_config.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/waferllm/layer_times.h"

namespace scribeline::scenarios {
namespace {

class waferllm_run {
 public:
  waferllm_run(const waferllm_settings& s, harness::run_context& context)
      : s_(s),
        context_(context),
        clock_(s.clock_ghz),
        peak_(wafer::find_wafer_preset(s.preset)->config.vector.peak_fma_fp16_per_cycle),
        file_(context.results, "kernels.csv",
              {"phase", "kernel", "communication", "cycles", "compute_cycles", "communication_cycles"}) {
    if (s.fma_fp16_per_cycle > peak_)
      throw base::bad_input(
          fmt::format("machine.fma_fp16_per_cycle = {}: the peak of {} is {}", s.fma_fp16_per_cycle, s.preset, peak_));
  }

  void run() {
    const auto interrupted = [this] { return context_.interrupted(); };
    if (s_.prefills()) prefill(time_prefill_layer(s_, interrupted));
    if (s_.decodes()) decode(time_decode_layer(s_, interrupted));
    if (s_.phase == waferllm_phase::gemv) product("gemv", time_gemv(s_));
    if (s_.phase == waferllm_phase::gemm) product("gemm", time_gemm(s_));
    if (context_.interrupted()) return;
    if (s_.phase == waferllm_phase::end_to_end) end_to_end();
    file_.close();
    context_.notes << fmt::format("{} word-hops simulated\n", word_hops_);
  }

 private:
  // Cycles of the timed piece beside what binds them, and a row for each kernel.
  void report(const std::string& phase, const timed_program& p) {
    word_hops_ += p.word_hops;
    harness::text_table table({"kernel", "communication", "cycles", "compute", "rest"});
    for (const std::size_t column : {2u, 3u, 4u})
      table.align_right(column);
    for (const timed_kernel& k : p.kernels) {
      const std::int64_t rest = (k.time.total - k.time.compute).value();
      file_.row(phase, k.name, k.communication, k.time.total.value(), k.time.compute.value(), rest);
      table.add_row({k.name, k.communication, fmt::format("{}", k.time.total.value()),
                     fmt::format("{}", k.time.compute.value()), fmt::format("{}", rest)});
    }
    context_.show(phase + ", cycles of a core's own work and of calls and communication", std::move(table));
    const base::cycles least = least_cycles(p, peak_, s_.chip.hop_cycles);
    context_.metrics.add(phase + ".cycles", p.total().value())
        .unit("cycles")
        .headline(phase + (s_.is_one_product() ? ": cycles" : ": cycles of a layer"))
        .at_least(static_cast<double>(least.value()), "peak multiply-adds and hops");
    context_.metrics.add(phase + ".compute_cycles", p.compute().value()).unit("cycles");
    context_.metrics.add(phase + ".total_cycles_of_repeats", p.total().value() * s_.repeats).unit("cycles");
    context_.metrics.add(phase + ".bytes_per_core", p.bytes_per_core)
        .unit("B")
        .headline(phase + ": SRAM of a core")
        .at_most(static_cast<double>(s_.chip.sram_bytes), "SRAM of a core");
  }

  double seconds(base::cycles cycles) const { return clock_.picoseconds_for(cycles) * 1e-12; }

  void prefill(const timed_program& layer) {
    report("prefill", layer);
    prefill_s_ = seconds(layer.total()) * s_.layers;
    context_.metrics.add("prefill.time_ms", prefill_s_ * 1e3).unit("ms").headline("prefill: time of the prompt");
    context_.metrics.add("prefill.tokens_per_s", s_.prompt_tokens / prefill_s_)
        .unit("tokens/s")
        .headline("prefill: tokens per second");
  }

  void decode(const timed_program& layer) {
    report("decode", layer);
    token_s_ = seconds(layer.total()) * s_.layers;
    context_.metrics.add("decode.time_us", token_s_ * 1e6).unit("us").headline("decode: time of a token");
    context_.metrics.add("decode.tokens_per_s", 1 / token_s_).unit("tokens/s").headline("decode: tokens per second");
  }

  void product(const std::string& name, const timed_program& p) {
    report(name, p);
    context_.metrics.add(name + ".time_us", seconds(p.total()) * 1e6).unit("us").headline(name + ": time");
  }

  // Output tokens over the time of prompt and answer.
  void end_to_end() {
    const double all = prefill_s_ + s_.output_tokens * token_s_;
    context_.metrics.add("end_to_end.time_ms", all * 1e3).unit("ms").headline("prompt and answer");
    context_.metrics.add("end_to_end.tokens_per_s", s_.output_tokens / all)
        .unit("tokens/s")
        .headline("output tokens per second of both");
  }

  const waferllm_settings& s_;
  harness::run_context& context_;
  base::frequency clock_;
  double peak_;
  harness::csv_writer file_;
  double prefill_s_ = 0;
  double token_s_ = 0;
  std::int64_t word_hops_ = 0;
};

}  // namespace

std::string waferllm_scenario::summary() const {
  return "Times WaferLLM's programs kernel by kernel: a layer of decode or prefill, a prompt with its answer, or one "
         "product, on a square of wafer cores.";
}

void waferllm_scenario::run(harness::run_context& context) {
  if (context.settings.fidelity == harness::fidelity::burst) settings_.engine = fabric::engine_kind::burst;
  waferllm_run(settings_, context).run();
}

}  // namespace scribeline::scenarios
