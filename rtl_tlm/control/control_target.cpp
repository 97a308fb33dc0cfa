#include "rtl_tlm/control/control_target.h"

#include <limits>

#include "rtl_tlm/control/common_registers.h"

namespace scribeline::control {

control_target::control_target(const sc_core::sc_time& access_time) : access_time_(access_time) {
  mmio.register_b_transport(this, &control_target::b_transport);
  mmio.register_nb_transport_fw(this, &control_target::nb_transport_fw);
  mmio.register_transport_dbg(this, &control_target::transport_dbg);
  mmio.register_get_direct_mem_ptr(this, &control_target::get_direct_mem_ptr);
}

tlm::tlm_fw_transport_if<>* control_target::memory_of(const tlm::tlm_generic_payload& payload) {
  return payload.get_address() < control_base ? memory() : nullptr;
}

void control_target::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (auto* below = memory_of(payload)) return below->b_transport(payload, delay);
  delay += access_time_;
  access(payload, delay, false);
}

// The base protocol's early completion: no later phase follows.
tlm::tlm_sync_enum control_target::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  b_transport(initiator, payload, delay);
  return tlm::TLM_COMPLETED;
}

// A debug transaction has a command, an address and data; its other attributes mean nothing and may hold anything.
unsigned int control_target::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  if (auto* below = memory_of(payload)) return below->transport_dbg(payload);
  tlm::tlm_generic_payload plain;
  plain.set_command(payload.get_command());
  plain.set_address(payload.get_address());
  plain.set_data_ptr(payload.get_data_ptr());
  plain.set_data_length(payload.get_data_length());
  plain.set_streaming_width(payload.get_data_length());
  access(plain, sc_core::SC_ZERO_TIME, true);
  return plain.is_response_ok() ? plain.get_data_length() : 0;
}

bool control_target::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (auto* below = memory_of(payload)) return below->get_direct_mem_ptr(payload, dmi);
  dmi.init();
  if (memory() != nullptr) dmi.set_start_address(control_base);
  dmi.set_end_address(std::numeric_limits<sc_dt::uint64>::max());
  return false;
}

void control_target::access(tlm::tlm_generic_payload& payload, const sc_core::sc_time& when, bool debug) {
  if (payload.get_data_ptr() == nullptr) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (payload.get_address() < control_base) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  access_control(payload, payload.get_address() - control_base, when, debug);
}

}  // namespace scribeline::control
