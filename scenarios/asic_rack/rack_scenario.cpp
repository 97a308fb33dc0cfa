#include "scenarios/asic_rack/rack_scenario.h"

#include <fmt/format.h>

#include <memory>

#include "firmware_stubs/network_collectives/closed_form_network.h"
#include "platforms/asic_rack/asic_rack.h"
#include "platforms/asic_rack/packet_network.h"
#include "platforms/asic_rack/rack_waves.h"
#include "scenarios/asic_rack/rack_results.h"
#include "scenarios/model_serving/described_model.h"

namespace scribeline::scenarios {

namespace {

// How often Ctrl-C and the progress line are looked at, in simulated time.
const sc_core::sc_time slice(1, sc_core::SC_MS);

void simulate_exchanges(platforms::packet_network& network, const std::vector<accelerator::exchange>& exchanges,
                        harness::run_context& context) {
  double done = 0;
  for (const auto& one : exchanges) {
    network.measure(one, [&] { return context.interrupted(); });
    if (context.interrupted()) return;
    context.bar.update(++done, static_cast<double>(exchanges.size()), "exchanges");
  }
}

}  // namespace

std::string rack_scenario::summary() const {
  return "Serves a language model on a rack of accelerators (inference ASICs or GPUs) and tells tokens per second and "
         "user, where the time goes, and what binds.";
}

void rack_scenario::run(harness::run_context& context) {
  platforms::rack_config& config = settings_.config;
  config.model = read_described_model("model.config", settings_.model_file);
  config.seed = static_cast<std::uint64_t>(context.settings.seed);
  show_notes(config.model, context);

  const platforms::rack_plan plan = platforms::plan_rack(config);
  network_collectives::closed_form_network forms(config.accelerator.network);
  std::unique_ptr<platforms::packet_network> packets;
  if (context.settings.fidelity == harness::fidelity::packet) {
    packets =
        std::make_unique<platforms::packet_network>("network", config.accelerator.network, config.spread.group_ranks());
  }
  accelerator::network_timing& network = packets ? static_cast<accelerator::network_timing&>(*packets) : forms;
  platforms::asic_rack rack("rack", config, plan, network);
  if (packets) simulate_exchanges(*packets, platforms::asic_rack::exchanges_of(config, plan), context);
  if (context.interrupted()) return;
  const double total = static_cast<double>(config.load.users * config.load.output_tokens);
  std::unique_ptr<platforms::rack_waves> waves;
  if (context.settings.waves != harness::waves::off) {
    waves = std::make_unique<platforms::rack_waves>(
        rack, context.results.stream("waves.vcd").string(), context.results.stream("waves.gtkw").string(),
        context.results.stream("timeline.json").string(), harness::wave_options(context.settings));
  }
  try {
    rack.run(slice, [&] {
      context.bar.update(static_cast<double>(rack.host.tokens_emitted()), total, "tokens");
      return context.interrupted();
    });
  } catch (...) {
    if (waves) waves->close();  // a run that stands still is when waves are wanted most
    throw;
  }
  if (waves) waves->close();
  report(config, rack, context);
  if (packets) report_fidelity(packets->comparisons(), context);
}

}  // namespace scribeline::scenarios
