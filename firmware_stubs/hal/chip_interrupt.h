// A firmware thread and the interrupt line of its chip: is it the right chip, and waiting until it has done something.
//
// Time: an interrupt takes `latency` before the firmware reacts. The firmware has caught up with simulated time when it
// looks at the line and when it claims, so that neither misses a cause.
//
// Errors, reported by SC_REPORT_ERROR:
//   /scribeline/hal/wrong_chip        ID or VERSION is not what this firmware drives
//   /scribeline/hal/refused_doorbell  the chip refused a doorbell, with its reason
#pragma once

#include <fmt/format.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <utility>

#include "rtl_tlm/control/common_registers.h"

namespace scribeline::hal {

// The chip that a firmware is written for.
struct driven_chip {
  std::string name;  // for messages: "the accelerator"
  std::uint64_t id = 0;
  std::uint64_t version = 0;      // of the register map
  std::uint64_t error_cause = 0;  // bit of IRQ_CLAIM that a refused doorbell raises
};

// `Driver` reads registers: a driver of this folder.
template <class Driver>
class chip_interrupt {
 public:
  // All but `chip` and `latency` belong to the firmware and outlive this.
  chip_interrupt(Driver& driver, tlm_utils::tlm_quantumkeeper& keeper, const sc_core::sc_in<bool>& irq,
                 driven_chip chip, const sc_core::sc_time& latency)
      : driver_(driver), keeper_(keeper), irq_(irq), chip_(std::move(chip)), latency_(latency) {}

  void check_chip() {
    const std::uint64_t id = driver_.read(control::reg::id);
    const std::uint64_t version = driver_.read(control::reg::version);
    if (id == chip_.id && version == chip_.version) return;
    report("wrong_chip", fmt::format("{} reads ID {:#x} version {}; this firmware drives {:#x} version {}", chip_.name,
                                     id, version, chip_.id, chip_.version));
  }

  // Returns once `cause` was claimed. Other causes claimed on the way get no answer here, but for an error, which ends
  // the run.
  void wait_for(std::uint64_t cause) {
    for (;;) {
      keeper_.sync();
      while (!irq_.read())
        sc_core::wait(irq_.posedge_event());
      keeper_.inc(latency_);
      // Into the present: the claim must see every cause raised until now.
      keeper_.sync();
      const std::uint64_t causes = driver_.claim_interrupts();
      if (causes & chip_.error_cause) {
        const std::uint64_t status = driver_.read(control::reg::status);
        report("refused_doorbell", fmt::format("{} refused a doorbell: STATUS reads {}, {}", chip_.name, status,
                                               control::status_text(status)));
      }
      if (causes & cause) return;
    }
  }

 private:
  void report(const char* what, const std::string& text) const {
    SC_REPORT_ERROR(fmt::format("/scribeline/hal/{}", what).c_str(),
                    fmt::format("{}: {}", irq_.get_parent_object()->name(), text).c_str());
  }

  Driver& driver_;
  tlm_utils::tlm_quantumkeeper& keeper_;
  const sc_core::sc_in<bool>& irq_;
  driven_chip chip_;
  sc_core::sc_time latency_;
};

}  // namespace scribeline::hal
