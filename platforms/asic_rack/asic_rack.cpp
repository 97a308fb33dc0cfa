#include "platforms/asic_rack/asic_rack.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "firmware_stubs/network_collectives/dense_collectives.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::platforms {

namespace {

std::deque<batch_serving::pass_channel> make_channels(std::size_t stages) {
  std::deque<batch_serving::pass_channel> channels;
  for (std::size_t i = 0; i <= stages; ++i)
    channels.emplace_back(fmt::format("pass_arrived_{}", i).c_str());
  return channels;
}

// Activations of one replica's pass from rank to rank; every tensor rank sends its share of them.
sc_core::sc_time hop_after(const rack_config& config, const rack_plan& plan, std::size_t stage,
                           const batch_serving::batch_pass& p) {
  const bool last = stage + 1 == plan.stages.size();
  if (last) return sc_core::SC_ZERO_TIME;  // token numbers are in host memory when the launch ends
  const auto elements = static_cast<double>(plan.stages[stage].layers.back().output_elements);
  const double bytes = static_cast<double>(p.tokens) * elements * 2 / static_cast<double>(config.spread.tensor);
  return base::picoseconds(network_collectives::transfer_ns(config.accelerator.network, bytes) * 1000);
}

batch_serving::firmware_config firmware_for(const rack_config& config, const rack_plan& plan, std::size_t stage) {
  batch_serving::firmware_config firmware;
  const auto& program = plan.stages[stage].program;
  firmware.descriptors = program.descriptors;
  firmware.interrupt_latency_ns = config.interrupt_latency_ns;
  firmware.hop = [&config, &plan, stage](const batch_serving::batch_pass& p) {
    return hop_after(config, plan, stage, p);
  };
  if (program.experts) {
    firmware.routing.emplace(program.experts->experts, program.experts->top_k,
                             static_cast<std::uint32_t>(config.spread.expert), config.expert_skew, config.seed);
    firmware.routed_replicas = static_cast<std::uint64_t>(config.spread.tokens_travel() ? config.spread.data : 1);
  }
  return firmware;
}

batch_serving::host_config host_for(const rack_config& config) {
  batch_serving::host_config host;
  host.load = config.load;
  host.replicas = static_cast<std::uint64_t>(config.spread.data);
  host.stages = static_cast<std::uint64_t>(config.spread.pipeline);
  host.step_ns = config.host_step_ns;
  host.hop = [](const batch_serving::batch_pass&) { return sc_core::SC_ZERO_TIME; };
  return host;
}

void add(stage_times& times, std::uint64_t waited_ps, std::uint64_t residence_ps,
         const accelerator::accelerator& chip) {
  ++times.passes;
  times.waiting_ps += waited_ps;
  times.launch_ps += chip.last_launch_ps();
  times.firmware_ps += residence_ps - waited_ps - chip.last_launch_ps();
  const auto& costs = chip.last_launch();
  if (times.operations.size() < costs.size()) times.operations.resize(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    times.operations[i] += costs[i].sum;
    times.operations[i].binds = costs[i].sum.binds;
  }
}

}  // namespace

void stage_meter::pass_done(const batch_serving::batch_pass& p, std::uint64_t waited_ps, std::uint64_t residence_ps) {
  add(p.prefill ? prefill : decode, waited_ps, residence_ps, chip_);
}

asic_rack::asic_rack(const sc_core::sc_module_name& name, const rack_config& config, const rack_plan& plan,
                     accelerator::network_timing& network)
    : sc_module(name),
      plan_(plan),
      channels_(make_channels(plan.stages.size())),
      host("host", host_for(config), channels_.front(), channels_.back()),
      ranks("rank", plan.stages.size(),
            [&](const char* rank_name, std::size_t s) {
              return new accelerator::accelerator(rank_name, s * static_cast<std::size_t>(config.spread.group_ranks()),
                                                  config.accelerator, network);
            }),
      firmware("firmware", plan.stages.size(),
               [&](const char* firmware_name, std::size_t s) {
                 return new batch_serving::rank_firmware(firmware_name, firmware_for(config, plan, s), channels_[s],
                                                         channels_[s + 1]);
               }),
      irq_("irq", plan.stages.size()) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    firmware[s].mmio.bind(ranks[s].mmio);
    firmware[s].irq.bind(irq_[s]);
    ranks[s].irq.bind(irq_[s]);
    meters_.emplace_back(ranks[s]);
    firmware[s].observe(meters_.back());
  }
}

// Only tokens and sequences of a pass matter to exchanges; passes that share them are looked at once.
std::vector<accelerator::exchange> asic_rack::exchanges_of(const rack_config& config, const rack_plan& plan) {
  const auto host = host_for(config);
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  std::vector<batch_serving::batch_pass> passes;
  for (const auto& all : {batch_serving::plan_decode(host), batch_serving::plan_prefill(host)})
    for (const auto& p : all) {
      if (seen.emplace(p.tokens, p.sequences).second) passes.push_back(p);
    }
  std::vector<accelerator::exchange> exchanges;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    auto firmware = firmware_for(config, plan, s);
    for (const auto& p : passes) {
      const auto arguments = batch_serving::launch_arguments_for(firmware, p);
      for (const auto& d : firmware.descriptors) {
        if (accelerator::is_exchange(d.op))
          exchanges.push_back(accelerator::operation_timing::exchange_of(d, arguments));
      }
    }
  }
  return exchanges;
}

void asic_rack::run(const sc_core::sc_time& slice, const std::function<bool()>& stop) {
  host.begin();
  while (!host.done() && !stop()) {
    const sc_core::sc_time idle =
        sc_core::sc_pending_activity() ? sc_core::sc_time_to_pending_activity() : sc_core::SC_ZERO_TIME;
    sc_core::sc_start(std::max(slice, idle), sc_core::SC_RUN_TO_TIME);
    if (!host.done() && !sc_core::sc_pending_activity()) {
      throw base::no_progress(fmt::format("nothing moves any more at {} with {} tokens out:\n{}",
                                          sc_core::sc_time_stamp().to_string(), host.tokens_emitted(), who_waits()));
    }
  }
}

std::string asic_rack::who_waits() const {
  std::string text = fmt::format("host: waits for {} passes\n", host.passes_out());
  for (std::size_t s = 0; s < plan_.stages.size(); ++s)
    text += fmt::format("stage {}: {} passes wait, firmware {}, rank {}\n", s, channels_[s].waiting(),
                        firmware[s].busy() ? "has one" : "idle", ranks[s].running() ? "in a launch" : "idle");
  return text;
}

}  // namespace scribeline::platforms
