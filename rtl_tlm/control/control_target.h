// The bus side of a chip: the target socket behind which its control window lies, and its memory if it has any.
//
// mmio is a base protocol target for any number of initiators. Addresses from control_base on are the control window;
// a transaction there never waits and annotates the access time. Lower addresses belong to the chip's memory; without
// one they get TLM_ADDRESS_ERROR_RESPONSE. Non-blocking transactions complete at once. The control window offers no
// DMI; a debug transaction there rings no bells. Without a data pointer: TLM_GENERIC_ERROR_RESPONSE.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace scribeline::control {

// A base of the chip's module, behind sc_module: the socket becomes a child of the module.
class control_target {
 public:
  tlm_utils::multi_passthrough_target_socket<control_target, 64> mmio{"mmio"};

 protected:
  explicit control_target(const sc_core::sc_time& access_time);
  ~control_target() = default;

  // Executes a transaction on the control window; `offset` counts from control_base. `debug` must have no effect but on
  // stored values.
  virtual void access_control(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when,
                              bool debug) = 0;
  // What lies below control_base; nullptr = nothing.
  virtual tlm::tlm_fw_transport_if<>* memory() { return nullptr; }

 private:
  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  unsigned int transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  // The memory that a transaction is for; nullptr if it is for the control window or nobody.
  tlm::tlm_fw_transport_if<>* memory_of(const tlm::tlm_generic_payload& payload);
  void access(tlm::tlm_generic_payload& payload, const sc_core::sc_time& when, bool debug);

  sc_core::sc_time access_time_;
};

}  // namespace scribeline::control
