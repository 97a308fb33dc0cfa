#include "rtl_tlm/wafer/wafer.h"

#include <fmt/format.h>

#include <limits>

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
      upstream("upstream", link),
      downstream("downstream", link),
      stages("stage", checked_stages(this->name(), config),
             [&](const char* stage_name, std::size_t s) {
               return new stage_bank(stage_name, config, first_stage + s, descriptors_.list(),
                                     [this, s](const pass& p) { forward(s, p); });
             }),
      config_(config),
      clock_(config.clock_ghz),
      sram_("sram", sram_config(index, config)),
      register_access_(base::picoseconds(config.register_access_ns * 1000)) {
  mmio.register_b_transport(this, &wafer::b_transport);
  mmio.register_nb_transport_fw(this, &wafer::nb_transport_fw);
  mmio.register_transport_dbg(this, &wafer::transport_dbg);
  mmio.register_get_direct_mem_ptr(this, &wafer::get_direct_mem_ptr);
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

void wafer::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_address() < control_base) return to_sram_->b_transport(payload, delay);
  delay += register_access_;
  access_control(payload, delay, false);
}

// The base protocol's early completion: no later phase follows.
tlm::tlm_sync_enum wafer::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  b_transport(initiator, payload, delay);
  return tlm::TLM_COMPLETED;
}

// A debug transaction has a command, an address and data; its other attributes mean nothing and may hold anything.
unsigned int wafer::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  if (payload.get_address() < control_base) return to_sram_->transport_dbg(payload);
  tlm::tlm_generic_payload plain;
  plain.set_command(payload.get_command());
  plain.set_address(payload.get_address());
  plain.set_data_ptr(payload.get_data_ptr());
  plain.set_data_length(payload.get_data_length());
  plain.set_streaming_width(payload.get_data_length());
  access_control(plain, sc_core::SC_ZERO_TIME, true);
  return plain.is_response_ok() ? plain.get_data_length() : 0;
}

bool wafer::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (payload.get_address() < control_base) return to_sram_->get_direct_mem_ptr(payload, dmi);
  dmi.init();
  dmi.set_start_address(control_base);
  dmi.set_end_address(std::numeric_limits<sc_dt::uint64>::max());
  return false;
}

void wafer::access_control(tlm::tlm_generic_payload& payload, const sc_core::sc_time& when, bool debug) {
  if (payload.get_data_ptr() == nullptr) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (payload.get_address() >= descriptor_memory_base) {
    return descriptors_.access(payload, payload.get_address() - descriptor_memory_base);
  }
  const std::uint64_t offset = payload.get_address() - control_base;
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
