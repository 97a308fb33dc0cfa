#include "platforms/wafer_chain/wafer_chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "firmware_stubs/kernels/expert_load.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/random.h"

namespace scribeline::platforms {

namespace {

wafer::wafer_config with_stages(wafer::wafer_config config, const chain_plan& plan,
                                const std::vector<std::size_t>& stages) {
  config.stages = static_cast<int>(stages.size());
  config.handoff_hops.clear();
  for (std::size_t i = 0; i + 1 < stages.size(); ++i)
    config.handoff_hops.push_back(plan.stages[stages[i]].hops_to_next);
  return config;
}

streamer::stage_role role_of(const plan::layer_plan& layer) {
  if (layer.what == plan::layer_plan::stage::head) return streamer::stage_role::head;
  if (layer.what == plan::layer_plan::stage::draft) return streamer::stage_role::draft;
  return streamer::stage_role::layer;
}

streamer::streamer_config firmware_for(const chain_config& config, const chain_plan& plan, std::size_t stage,
                                       std::uint64_t first_descriptor) {
  const stage_site& site = plan.stages[stage];
  const auto& program = site.placed.program;
  streamer::streamer_config firmware;
  firmware.bank = site.bank;
  firmware.first_descriptor = first_descriptor;
  firmware.descriptors = program.descriptors;
  firmware.role = role_of(site.layer);
  firmware.draft_tokens = config.load.acceptance.size();
  firmware.first_logit_descriptor = program.first_logit_descriptor;
  firmware.output_bytes_per_token = output_bytes_per_token(plan, stage);
  firmware.interrupt_latency_ns = config.interrupt_latency_ns;
  if (const auto& experts = program.experts) {
    const auto groups = static_cast<std::uint32_t>(site.placed.map.groups());
    const std::uint64_t seed = base::random_stream::of(config.load.seed, stage).next();
    const auto tile = static_cast<std::uint32_t>(site.placed.map.token_tile);
    auto load = std::make_shared<kernels::expert_load>(experts.routed, experts.top_k, groups, tile, seed);
    firmware.expert_load = [load](const wafer::pass& p, wafer::launch_arguments& arguments) {
      const auto busiest = load->busiest_group(p.request, p.context, p.tokens);
      arguments.expert_load = busiest.pairs;
      arguments.expert_matrices = busiest.matrices;
    };
  }
  return firmware;
}

}  // namespace

wafer_chain::wafer_chain(const sc_core::sc_module_name& name, const chain_config& config, const chain_plan& plan)
    : sc_module(name),
      memory(config, plan),
      host("host", config.load, config.link, memory),
      wafers("wafer", plan.wafers,
             [&](const char* wafer_name, std::size_t w) {
               const auto stages = plan.stages_of(w);
               return new wafer::wafer(wafer_name, static_cast<std::uint32_t>(w), stages.front(),
                                       with_stages(config.wafer, plan, stages), config.link);
             }),
      streamers("firmware", plan.stages.size(),
                [&](const char* streamer_name, std::size_t s) {
                  std::uint64_t first = 0;
                  for (const std::size_t other : plan.stages_of(plan.stages[s].wafer)) {
                    if (other < s) first += plan.stages[other].placed.program.descriptors.size();
                  }
                  return new streamer::layer_streamer(streamer_name, firmware_for(config, plan, s, first));
                }),
      plan_(plan),
      irq_("irq", plan.stages.size()) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    streamers[s].mmio.bind(wafers[plan.stages[s].wafer].mmio);
    streamers[s].irq.bind(irq_[s]);
    bank(s).irq.bind(irq_[s]);
  }
  link::connect(host.to_chain, wafers[0].upstream);
  for (std::size_t w = 1; w < plan.wafers; ++w)
    link::connect(wafers[w - 1].downstream, wafers[w].upstream);
  link::connect(wafers[plan.wafers - 1].downstream, host.from_chain);
}

wafer::stage_bank& wafer_chain::bank(std::size_t s) {
  return wafers[plan_.stages[s].wafer].stages[plan_.stages[s].bank];
}

const wafer::stage_bank& wafer_chain::bank(std::size_t s) const {
  return wafers[plan_.stages[s].wafer].stages[plan_.stages[s].bank];
}

void wafer_chain::run(const sc_core::sc_time& slice, const std::function<bool()>& stop) {
  while (!host.done() && !stop()) {
    // A pause between requests may be longer than a slice.
    const sc_core::sc_time idle =
        sc_core::sc_pending_activity() ? sc_core::sc_time_to_pending_activity() : sc_core::SC_ZERO_TIME;
    sc_core::sc_start(std::max(slice, idle), sc_core::SC_RUN_TO_TIME);
    if (!host.done() && !sc_core::sc_pending_activity()) {
      throw base::no_progress(fmt::format("nothing moves any more at {} with {} of {} requests answered:\n{}",
                                          sc_core::sc_time_stamp().to_string(), host.finished(), host.records().size(),
                                          who_waits()));
    }
  }
}

std::string wafer_chain::who_waits() const {
  std::string text = host.why_blocked();
  for (const auto& w : wafers)
    text += w.why_blocked();
  return text;
}

}  // namespace scribeline::platforms
