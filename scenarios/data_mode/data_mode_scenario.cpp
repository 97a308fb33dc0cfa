#include "scenarios/data_mode/data_mode_scenario.h"

#include <memory>

#include "platforms/data_pipeline/data_waves.h"
#include "scenarios/data_mode/data_results.h"
#include "scenarios/data_mode/host_check.h"

namespace scribeline::scenarios {

namespace {

// How often Ctrl-C and the progress line are looked at, in simulated time.
const sc_core::sc_time slice(1, sc_core::SC_US);

std::unique_ptr<platforms::data_waves> connect_waves(platforms::data_pipeline& pipeline,
                                                     harness::run_context& context) {
  if (context.settings.waves == harness::waves::off) return nullptr;
  return std::make_unique<platforms::data_waves>(
      pipeline, context.results.stream("waves.vcd").string(), context.results.stream("waves.gtkw").string(),
      context.results.stream("timeline.json").string(), harness::wave_options(context.settings));
}

}  // namespace

std::string data_mode_scenario::summary() const {
  return "Decodes tokens of a tiny model with values over one or more wafers, activations as bytes in link payloads, "
         "and compares every token's logits with the host's.";
}

void data_mode_scenario::run(harness::run_context& context) {
  const auto seed = static_cast<std::uint64_t>(context.settings.seed);
  const tiny_model::tiny_decoder decoder(settings_.model(seed), settings_.wafers, settings_.data_bytes_per_core);
  platforms::data_pipeline_config config = settings_.machine(seed);
  config.host.pick = greedy;
  std::vector<kernels::mesh_stage> stages;
  for (int w = 0; w < settings_.wafers; ++w)
    stages.push_back(decoder.stage(w));
  platforms::data_pipeline pipeline("pipeline", config, stages);
  const std::unique_ptr<platforms::data_waves> waves = connect_waves(pipeline, context);
  try {
    pipeline.run(slice, [&] {
      context.bar.update(static_cast<double>(pipeline.host.steps().size()), pipeline.host.steps_in_all(), "tokens");
      return context.interrupted();
    });
  } catch (...) {
    if (waves) waves->close();  // a run that stands still is when waves are wanted most
    throw;
  }
  if (waves) waves->close();
  report(settings_, decoder, pipeline, context);
}

}  // namespace scribeline::scenarios
