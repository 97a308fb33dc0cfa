#include "rtl_tlm/wafer/wafer.h"

#include <fmt/format.h>

namespace scribeline::wafer {

namespace {

memory::core_sram_config sram_config(std::uint32_t index, const wafer_config& config) {
  memory::core_sram_config sram;
  sram.wafer = index;
  sram.columns = static_cast<std::uint32_t>(config.columns);
  sram.rows = static_cast<std::uint32_t>(config.rows);
  sram.bytes_per_core = config.sram_bytes_per_core;
  sram.clock_ghz = config.clock_ghz;
  return sram;
}

std::size_t checked_stages(const char* name, const wafer_config& config) {
  if (config.stages < 1) {
    SC_REPORT_ERROR("/scribeline/wafer/config",
                    fmt::format("{}: stages = {}: must be 1 or more", name, config.stages).c_str());
  }
  return static_cast<std::size_t>(config.stages);
}

}  // namespace

wafer::wafer(const sc_core::sc_module_name& name, std::uint32_t index, std::uint64_t first_stage,
             const wafer_config& config, const link::link_config& link)
    : sc_module(name),
      control_target(base::picoseconds(config.register_access_ns * 1000)),
      upstream("upstream", link),
      downstream("downstream", link),
      stages("stage", checked_stages(this->name(), config),
             [&](const char* stage_name, std::size_t s) {
               return new stage_bank(stage_name, config, first_stage + s, descriptors_.list(),
                                     [this, s](const pass& p) { forward(s, p); });
             }),
      config_(config),
      clock_(config.clock_ghz),
      sram_("sram", sram_config(index, config)) {
  to_sram_.bind(sram_.target);

  set_handoff_times();
  upstream.on_message([this](link::delivery& d) {
    held_.push_back(d);
    pass p = pass::from_words(d.content.header, static_cast<std::uint64_t>(d.content.size.value()));
    p.mark_ps = d.sent_at.value();
    stages[0].receive(p, true);
  });

  SC_HAS_PROCESS(wafer);
  SC_METHOD(deliver_handoffs);
  sensitive << handoff_due_;
  dont_initialize();
}

// Where the blocks of the stages lie is the firmware's choice; without it, an assumption: the stages share the sides.
void wafer::set_handoff_times() {
  const std::size_t count = stages.size() - 1;
  std::vector<std::int64_t> hops = config_.handoff_hops;
  if (hops.empty()) hops.assign(count, (config_.columns + config_.rows) / (2 * config_.stages));
  if (hops.size() != count) {
    SC_REPORT_ERROR("/scribeline/wafer/config", fmt::format("{}: handoff_hops has {} entries; {} stages need {}",
                                                            name(), hops.size(), stages.size(), count)
                                                    .c_str());
  }
  for (const std::int64_t h : hops) {
    handoff_time_.push_back(
        base::picoseconds(static_cast<double>(h) * config_.fabric.hop_cycles * 1000 / config_.clock_ghz));
  }
  handoffs_.resize(count);
}

void wafer::access_control(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when,
                           bool debug) {
  constexpr std::uint64_t descriptors_at = descriptor_memory_base - control_base;
  if (offset >= descriptors_at) return descriptors_.access(payload, offset - descriptors_at);
  const std::uint64_t bank = offset / bank_bytes;
  if (bank >= stages.size()) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  stages[bank].access(payload, offset % bank_bytes, when, debug);
}

void wafer::forward(std::size_t stage, const pass& p) {
  if (stage == 0 && !held_.empty()) {
    upstream.release(held_.front());
    held_.pop_front();
  }
  if (stage + 1 < stages.size()) {
    handoffs_[stage].push_back({p, sc_core::sc_time_stamp() + handoff_time_[stage]});
    handoff_due_.notify(handoff_time_[stage]);  // the earliest of all that are due counts
    return;
  }
  link::message m;
  m.size = base::bytes{static_cast<std::int64_t>(p.bytes)};
  m.request = p.request;
  m.header = p.to_words();
  downstream.send(m);
}

void wafer::deliver_handoffs() {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  for (std::size_t from = 0; from < handoffs_.size(); ++from) {
    auto& under_way = handoffs_[from];
    while (!under_way.empty() && under_way.front().due <= now) {
      const handoff h = under_way.front();
      under_way.pop_front();
      stages[from + 1].receive(h.content, false);
    }
    if (!under_way.empty()) handoff_due_.notify(under_way.front().due - now);
  }
}

std::string wafer::why_blocked() const {
  std::string text;
  for (const auto& bank : stages) {
    if (bank.queued() == 0) continue;
    text += fmt::format("{}: request {} {}, {} more waiting\n", bank.name(), bank.head().request,
                        bank.running() ? "in a launch" : "waits for the firmware", bank.queued() - 1);
  }
  for (const auto* p : {&upstream, &downstream}) {
    const std::string reason = p->why_blocked();
    if (!reason.empty()) text += reason + "\n";
  }
  return text;
}

}  // namespace scribeline::wafer
