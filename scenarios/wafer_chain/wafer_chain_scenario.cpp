#include "scenarios/wafer_chain/wafer_chain_scenario.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "firmware_stubs/kernels/simulated_kernels.h"
#include "platforms/wafer_chain/chain_waves.h"
#include "platforms/wafer_chain/wafer_chain.h"
#include "rtl_tlm/base/error.h"
#include "scenarios/model_serving/described_model.h"
#include "scenarios/wafer_chain/chain_results.h"

namespace scribeline::scenarios {

namespace {
// How often Ctrl-C and the progress line are looked at, in simulated time.
const sc_core::sc_time slice(1, sc_core::SC_MS);

// What the keys cannot check one by one.
void check_links(const platforms::chain_config& config, const platforms::chain_plan& plan) {
  const auto& link = config.link;
  const std::string problem = link.problem();
  if (!problem.empty()) throw base::bad_input("machine.link." + problem);
  const auto largest = platforms::largest_message_of(config, plan);
  const std::int64_t needed = link::lane_share(base::bytes{largest.bytes()}, link.lanes) * link.lanes;
  if (needed > link.lane_buffer_bytes() * link.lanes) {
    throw base::bad_input(fmt::format(
        "machine.link.receive_buffer_bytes = {}: a pass of {} tokens leaves {} as a message of {} x {} B, which would "
        "never fit; it takes at least {}, or a smaller workload.chunk_tokens",
        link.receive_buffer_bytes, largest.tokens, largest.stage, largest.tokens, largest.bytes_per_token, needed));
  }
}

}  // namespace

std::string wafer_chain_scenario::summary() const {
  return "Serves a language model on a chain of wafer-scale engines, layer by layer, and tells tokens per second and "
         "user, where the time goes, and what binds.";
}

void wafer_chain_scenario::run(harness::run_context& context) {
  platforms::chain_config& config = settings_.config;
  config.model = read_described_model("model.config", settings_.model_file);
  config.load.acceptance = acceptance_of(settings_.speculation);
  if (!settings_.draft_file.empty()) {
    config.draft_model = read_described_model("workload.speculation.draft_config", settings_.draft_file);
  }
  config.load.seed = static_cast<std::uint64_t>(context.settings.seed);
  config.link.credit_latency_ns = config.link.latency_ns;
  show_notes(config.model, context);

  // Stages are placed by closed form at any fidelity, so that runs of different fidelity time the same mapping.
  const platforms::chain_plan plan = platforms::plan_chain(config);
  std::optional<kernels::simulated_kernels> kernels;
  if (context.settings.fidelity != harness::fidelity::formula) {
    kernels.emplace(config.wafer, context.settings.fidelity == harness::fidelity::burst ? fabric::engine_kind::burst
                                                                                        : fabric::engine_kind::wavelet);
    config.wafer.kernels = &*kernels;
  }
  check_links(config, plan);
  platforms::wafer_chain chain("chain", config, plan);
  std::unique_ptr<platforms::chain_waves> waves;
  if (context.settings.waves != harness::waves::off) {
    waves = std::make_unique<platforms::chain_waves>(
        chain, config, context.results.stream("waves.vcd").string(), context.results.stream("waves.gtkw").string(),
        context.results.stream("timeline.json").string(), harness::wave_options(context.settings));
  }
  const double total = static_cast<double>(config.load.requests * config.load.output_tokens);
  try {
    chain.run(slice, [&] {
      context.bar.update(static_cast<double>(chain.host.tokens_emitted()), total, "tokens");
      return context.interrupted();
    });
  } catch (...) {
    if (waves) waves->close();  // a run that stands still is when waves are wanted most
    throw;
  }
  if (waves) waves->close();
  report(config, chain, context);
  if (kernels) report_fidelity(*kernels, context);
}

}  // namespace scribeline::scenarios
