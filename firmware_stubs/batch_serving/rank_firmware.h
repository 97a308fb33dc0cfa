// The firmware of one rank of a pipeline stage: waits for a pass, launches the stage's layers, sends the pass on.
//
// It knows its accelerator only through the register map: at boot it checks ID and VERSION, stores the launch
// descriptors and unmasks its interrupts; then, for every pass,
//
//     pass arrives -> doorbell -> interrupt -> claim -> pass leaves
//
// Ranks of a group do the same at the same time, so one representative of each group is simulated: the rank that the
// routing of experts gives most to do. Its launch includes the exchanges that keep the group in step.
//
// Time: loosely timed with a quantum keeper. Register accesses cost what the chip annotates, an interrupt
// `interrupt_latency_ns`. Errors and more: hal/chip_interrupt.h and hal/register_window.h.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <vector>

#include "firmware_stubs/batch_serving/pass_channel.h"
#include "firmware_stubs/hal/accelerator_driver.h"
#include "firmware_stubs/hal/chip_interrupt.h"
#include "firmware_stubs/network_collectives/expert_routing.h"
#include "rtl_tlm/accelerator/descriptor.h"

namespace scribeline::batch_serving {

struct firmware_config {
  std::vector<accelerator::descriptor> descriptors;
  double interrupt_latency_ns = 0;
  // Where the experts of the layers are and how tokens choose them; nothing for models without.
  std::optional<network_collectives::expert_routing> routing;
  std::uint64_t routed_replicas = 1;  // replicas whose tokens are routed together
  // Time a pass takes to the next stage or the host.
  std::function<sc_core::sc_time(const batch_pass&)> hop;
};

// What a pass is launched with.
accelerator::launch_arguments launch_arguments_for(firmware_config& config, const batch_pass& p);

// Sees passes come and go, for statistics. All times are simulation time, now.
class firmware_observer {
 public:
  // `residence_ps` is from arrival to departure, `waited_ps` the part before the firmware took the pass up.
  virtual void pass_done(const batch_pass& p, std::uint64_t waited_ps, std::uint64_t residence_ps) = 0;

 protected:
  ~firmware_observer() = default;
};

class rank_firmware : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<rank_firmware, 64> mmio{"mmio"};
  sc_core::sc_in<bool> irq{"irq"};

  // The channels outlive the firmware.
  rank_firmware(const sc_core::sc_module_name& name, const firmware_config& config, pass_channel& in,
                pass_channel& out);

  void observe(firmware_observer& observer) { observer_ = &observer; }
  bool busy() const { return busy_; }

 private:
  using driver = hal::accelerator_driver<tlm_utils::simple_initiator_socket<rank_firmware, 64>>;

  void run();
  void boot();
  void handle(batch_pass p);

  firmware_config config_;
  pass_channel& in_;
  pass_channel& out_;
  tlm_utils::tlm_quantumkeeper keeper_;
  driver driver_;
  hal::chip_interrupt<driver> interrupt_;
  bool busy_ = false;
  firmware_observer* observer_ = nullptr;
};

}  // namespace scribeline::batch_serving
