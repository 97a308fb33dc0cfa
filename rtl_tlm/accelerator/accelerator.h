// An accelerator as firmware sees it: control window, descriptor memory, launches and their completion interrupt.
//
// What it models: one rank. It executes launch descriptors one after the other in the time operation_timing.h says;
// exchanges with the other ranks of its group take what `network` says, so one module stands for every rank that does
// the same at the same time.
//
// Ports
//   mmio  see control/control_target.h: the registers of register_map.h and, behind them, descriptor memory; a
//         transaction takes register_access_ns
//   irq   see control/launch_unit.h
//
// Refused by the launch unit: a doorbell during a launch, without descriptors, or with one that is out of range or that
// this chip cannot run (operation_timing.h).
//
// Timing: doorbells take effect at the time annotated on their transaction.
// Not modelled: the contents of HBM and L1, and data on the network.
#pragma once

#include <systemc>
#include <tlm>
#include <vector>

#include "rtl_tlm/accelerator/accelerator_config.h"
#include "rtl_tlm/accelerator/operation_timing.h"
#include "rtl_tlm/accelerator/register_map.h"
#include "rtl_tlm/base/descriptor_memory.h"
#include "rtl_tlm/base/register_file.h"
#include "rtl_tlm/control/control_target.h"
#include "rtl_tlm/control/launch_unit.h"

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

class accelerator : public sc_core::sc_module,
                    public control::control_target,
                    private base::register_listener,
                    private control::launch_listener {
 public:
  sc_core::sc_out<bool> irq{"irq"};

  // `network` outlives the chip.
  accelerator(const sc_core::sc_module_name& name, std::uint64_t rank, const accelerator_config& config,
              network_timing& network);

  const accelerator_config& config() const { return config_; }
  bool running() const { return unit_.running(); }
  void observe(launch_observer& observer) { observer_ = &observer; }

  // Of the last launch, by the operations its descriptors name; the caller reads them when the launch is done.
  const std::vector<operation_time>& last_launch() const { return by_operation_; }
  std::uint64_t last_launch_ps() const { return unit_.segments.duration_ps(); }
  // Sum over all launches.
  const operation_cost& totals() const { return totals_; }

 private:
  void access_control(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when,
                      bool debug) override;
  void register_changed(std::uint32_t offset, std::uint64_t value, const sc_core::sc_time& when) override;

  launch_arguments arguments() const;
  void start_launch(const sc_core::sc_time& delay);
  bool prepare_launch(std::uint64_t first, std::uint64_t count);
  void launch_begins() override;
  void operation_begins(std::uint32_t operation) override;
  void launch_is_over() override;
  void launch_is_told() override;

  accelerator_config config_;
  base::register_file registers_;
  base::descriptor_memory<descriptor> descriptors_{descriptor_memory_bytes};
  operation_timing timing_;

  control::launch_unit unit_;
  std::vector<operation_time> by_operation_;
  operation_cost totals_;
  launch_observer* observer_ = nullptr;
};

}  // namespace scribeline::accelerator
