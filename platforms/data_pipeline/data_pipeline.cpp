#include "platforms/data_pipeline/data_pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/base/error.h"

namespace scribeline::platforms {

namespace {

// What is not on its way from one port to the other any more, and what either of them waits for.
std::string lost_on(const link::port& from, const link::port& to) {
  const std::int64_t sent = from.statistics().messages_sent;
  const std::int64_t arrived = to.statistics().messages_received;
  std::string text;
  if (arrived < sent)
    text = fmt::format("{}: {} of {} messages did not arrive, {} of {} frames were bad{}\n", from.name(),
                       sent - arrived, sent, from.statistics().frames_corrupted, from.statistics().frames_sent,
                       from.config().llr.on ? "" : " and retry is off");
  return text + from.why_blocked() + to.why_blocked();
}

}  // namespace

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
  std::string text = lost_on(host.to_wafers, wafers[0].upstream);
  for (std::size_t w = 0; w < wafers.size(); ++w) {
    text += fmt::format("{}: {} tokens have left\n", wafers[w].name(), wafers[w].steps().size());
    text += lost_on(wafers[w].downstream, w + 1 < wafers.size() ? wafers[w + 1].upstream : host.from_wafers);
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace scribeline::platforms
