#include "platforms/data_pipeline/data_pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/base/error.h"

namespace scribeline::platforms {

data_pipeline::data_pipeline(const sc_core::sc_module_name& name, const data_pipeline_config& config,
                             const std::vector<kernels::mesh_stage>& stages)
    : sc_module(name),
      host("host", config.host, config.link),
      wafers("wafer", stages.size(), [&](const char* wafer_name, std::size_t w) {
        return new data_wafer(wafer_name, config.wafer, stages[w], config.link);
      }) {
  link::connect(host.to_wafers, wafers[0].upstream);
  for (std::size_t w = 1; w < wafers.size(); ++w)
    link::connect(wafers[w - 1].downstream, wafers[w].upstream);
  link::connect(wafers[wafers.size() - 1].downstream, host.from_wafers);
}

void data_pipeline::run(const sc_core::sc_time& slice, const std::function<bool()>& stop) {
  while (!host.done() && !(stop && stop())) {
    const sc_core::sc_time idle =
        sc_core::sc_pending_activity() ? sc_core::sc_time_to_pending_activity() : sc_core::SC_ZERO_TIME;
    sc_core::sc_start(std::max(slice, idle), sc_core::SC_RUN_TO_TIME);
    if (!host.done() && !sc_core::sc_pending_activity())
      throw base::no_progress(fmt::format("nothing moves any more at {} with {} of {} tokens back:\n{}",
                                          sc_core::sc_time_stamp().to_string(), host.steps().size(),
                                          host.steps_in_all(), who_waits()));
  }
}

step_times data_pipeline::times_of(std::size_t position) const {
  const host_step& back = host.steps().at(position);
  step_times t;
  t.links = back.came_back - back.left;
  for (const data_wafer& w : wafers) {
    const wafer_step& s = w.steps().at(position);
    t.links += s.arrived - s.sent;
    t.waiting += s.begun - s.arrived;
    t.firmware += w.interrupt_latency();
    t.fabric += s.left - s.begun - w.interrupt_latency();
  }
  return t;
}

std::string data_pipeline::who_waits() const {
  std::string text = host.to_wafers.why_blocked() + host.from_wafers.why_blocked();
  for (const data_wafer& w : wafers) {
    text += fmt::format("{}: {} tokens have left\n", w.name(), w.steps().size());
    text += w.upstream.why_blocked() + w.downstream.why_blocked();
  }
  return text;
}

}  // namespace scribeline::platforms
