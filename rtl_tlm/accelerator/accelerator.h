// An accelerator as firmware sees it: control window, descriptor memory, launches and their completion interrupt.
//
// What it models: one rank. It executes launch descriptors one after the other in the time operation_timing.h says;
// exchanges with the other ranks of its group take what `network` says, so one module stands for every rank that does
// the same at the same time.
//
// Ports
//   mmio  base protocol target for any number of initiators: the registers of register_map.h and, behind them,
//         descriptor memory. Never waits; annotates register_access_ns. Non-blocking transactions complete at once.
//         No DMI.
//   irq   level, high while (IRQ_CLAIM & IRQ_MASK) != 0
//
// One launch runs at a time. Refused, with the error interrupt and the reason in STATUS until the next launch starts: a
// doorbell during a launch, without descriptors, or with one that is out of range or that this chip cannot run
// (operation_timing.h). A refusal changes nothing else.
//
// Timing: doorbells take effect at the time annotated on their transaction. Durations come from the running sum of
// costs, so rounding to picoseconds never accumulates.
// Not modelled: the contents of HBM and L1, and data on the network.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <systemc>
#include <tlm>
#include <vector>

#include "rtl_tlm/accelerator/accelerator_config.h"
#include "rtl_tlm/accelerator/operation_timing.h"
#include "rtl_tlm/accelerator/register_map.h"
#include "rtl_tlm/base/descriptor_memory.h"
#include "rtl_tlm/base/register_file.h"

namespace scribeline::accelerator {

// The costs of one operation of the stage's list, summed over launches.
struct operation_time {
  opcode op = opcode::product;
  operation_cost sum;
};

// Sees launches, for waves. All times are simulation time, now.
class launch_observer {
 public:
  virtual void launch_started(const launch_arguments& arguments) = 0;
  // Asked when a launch is prepared: whether its operations shall be reported, which costs an event each.
  virtual bool watches_operations() const { return true; }
  // The launch enters the descriptors of `operation`.
  virtual void operation_started(std::uint32_t operation) = 0;
  virtual void launch_finished() = 0;

 protected:
  ~launch_observer() = default;
};

class accelerator : public sc_core::sc_module, private base::register_listener {
 public:
  tlm_utils::multi_passthrough_target_socket<accelerator, 64> mmio{"mmio"};
  sc_core::sc_out<bool> irq{"irq"};

  // `network` outlives the chip.
  accelerator(const sc_core::sc_module_name& name, std::uint64_t rank, const accelerator_config& config,
              network_timing& network);

  const accelerator_config& config() const { return config_; }
  bool running() const { return running_; }
  void observe(launch_observer& observer) { observer_ = &observer; }

  // Of the last launch, by the operations its descriptors name; the caller reads them when the launch is done.
  const std::vector<operation_time>& last_launch() const { return by_operation_; }
  std::uint64_t last_launch_ps() const { return launch_ps_; }
  // Sum over all launches.
  const operation_cost& totals() const { return totals_; }

 private:
  struct segment {
    std::uint32_t operation;
    sc_core::sc_time duration;
  };

  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  unsigned int transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void access(tlm::tlm_generic_payload& payload, const sc_core::sc_time& when, bool debug);
  void register_changed(std::uint32_t offset, std::uint64_t value, const sc_core::sc_time& when) override;

  launch_arguments arguments() const;
  void start_launch(const sc_core::sc_time& delay);
  bool prepare_launch(std::uint64_t first, std::uint64_t count);
  void advance_launch();
  void finish_launch();
  void publish_counters();
  void refuse(std::uint64_t status);
  void raise(std::uint64_t cause);
  void drive_irq();

  accelerator_config config_;
  sc_core::sc_time register_access_;
  base::register_file registers_;
  base::descriptor_memory<descriptor> descriptors_{descriptor_memory_bytes};
  operation_timing timing_;

  bool running_ = false;
  std::vector<segment> segments_;  // of the running launch; one unless observed
  std::size_t next_segment_ = 0;
  std::vector<operation_time> by_operation_;
  std::uint64_t launch_ps_ = 0;
  operation_cost totals_;
  launch_observer* observer_ = nullptr;
  sc_core::sc_event launch_step_{"launch_step"};
  sc_core::sc_event irq_changed_{"irq_changed"};
};

}  // namespace scribeline::accelerator
