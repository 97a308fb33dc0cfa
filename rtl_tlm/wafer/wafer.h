// A wafer-scale engine as firmware and its neighbours see it.
//
// What it models: a control window with one register bank per pipeline stage (register_map.h), descriptor memory,
// the SRAM of every core (memory/core_sram.h), an Ethernet port bundle towards the previous and one towards the
// next machine, and the execution of launch descriptors (launch_timing.h).
//
// Ports
//   mmio        see control/control_target.h: control window and descriptor memory at register_map.h's addresses, where
//               a transaction takes register_access_ns; everything else is per-core SRAM
//   irq[stage]  see control/launch_unit.h
//   upstream    link port: passes for the first stage arrive here. A pass occupies the receive buffer until its
//               stage sends it on, so a slow stage exhausts its neighbour's credits.
//   downstream  link port: the last stage's results leave here
//
// Passes move between stages of one wafer over the fabric: wafer_config::handoff_hops later they are in the next
// stage's receive queue. Those queues are not limited here; the host bounds what is in flight.
//
// A configuration that cannot be is an SC_ERROR ("/scribeline/wafer/config").
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "rtl_tlm/base/descriptor_memory.h"
#include "rtl_tlm/control/control_target.h"
#include "rtl_tlm/link/port.h"
#include "rtl_tlm/memory/core_sram.h"
#include "rtl_tlm/wafer/descriptor.h"
#include "rtl_tlm/wafer/stage_bank.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::wafer {

// Descriptor memory of one wafer. Assumption: no published figure; a stage of the largest plans needs under 10 KiB.
inline constexpr std::uint64_t descriptor_memory_bytes = 1 << 20;

class wafer : public sc_core::sc_module, public control::control_target {
  base::descriptor_memory<descriptor> descriptors_{descriptor_memory_bytes};  // before the stages, which refer to it

 public:
  link::port upstream;
  link::port downstream;
  sc_core::sc_vector<stage_bank> stages;

  // `index` is the wafer field of SRAM addresses and the base of the stage numbers: stage s of this wafer is
  // pipeline stage first_stage + s.
  wafer(const sc_core::sc_module_name& name, std::uint32_t index, std::uint64_t first_stage, const wafer_config& config,
        const link::link_config& link);

  const wafer_config& config() const { return config_; }
  memory::core_sram& sram() { return sram_; }

  // Who waits for whom in this wafer and at its ports; empty when nothing waits.
  std::string why_blocked() const;

 private:
  struct handoff {
    pass content;
    sc_core::sc_time due;
  };

  void access_control(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when,
                      bool debug) override;
  tlm::tlm_fw_transport_if<>* memory() override { return to_sram_.operator->(); }
  void forward(std::size_t stage, const pass& p);
  void deliver_handoffs();
  void set_handoff_times();

  wafer_config config_;
  base::frequency clock_;
  memory::core_sram sram_;
  tlm_utils::simple_initiator_socket<wafer, 64> to_sram_{"to_sram"};
  std::vector<sc_core::sc_time> handoff_time_;  // from each stage to the next
  std::vector<std::deque<handoff>> handoffs_;   // by the stage that sent
  sc_core::sc_event handoff_due_{"handoff_due"};
  std::deque<link::delivery> held_;  // deliveries whose buffer is not released yet, oldest first
};

}  // namespace scribeline::wafer
