// The launch unit of a control window: runs one launch at a time and drives STATUS and the interrupt.
//
// The chip says how long each part of a launch takes; the unit lets the time pass, tells the chip where the launch is,
// and ends it with STATUS idle and the cause `done`. A refused doorbell sets STATUS to the reason and raises the cause
// `error`; it changes nothing else, and the reason stays until the next launch starts.
//
// The interrupt line is a level, high while (IRQ_CLAIM & IRQ_MASK) != 0. It follows both at once, so that an initiator
// that has waited for its annotated time sees it settled.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "rtl_tlm/base/register_file.h"

namespace scribeline::control {

// The parts of a launch with their times. Ends are given as the running sum, so that rounding to picoseconds never
// accumulates.
class launch_segments {
 public:
  struct segment {
    std::uint32_t operation;
    sc_core::sc_time duration;
  };

  void clear();
  // The part that ends `end_ps` after the start of the launch, in descriptors of `operation`.
  void add(std::uint32_t operation, double end_ps);

  std::size_t size() const { return segments_.size(); }
  const segment& operator[](std::size_t i) const { return segments_[i]; }
  // Of all parts.
  std::uint64_t duration_ps() const { return duration_ps_; }

 private:
  std::vector<segment> segments_;
  std::uint64_t duration_ps_ = 0;
};

// Told by the unit where the launch is. All times are simulation time, now.
class launch_listener {
 public:
  virtual void launch_begins() = 0;
  // The launch enters the segment of `operation`.
  virtual void operation_begins(std::uint32_t operation) = 0;
  // Time is up; STATUS and interrupt are not changed yet.
  virtual void launch_is_over() = 0;
  // They are.
  virtual void launch_is_told() = 0;

 protected:
  ~launch_listener() = default;
};

class launch_unit : public sc_core::sc_module {
 public:
  // Bits of IRQ_CLAIM.
  struct causes {
    std::uint64_t done;
    std::uint64_t error;
  };

  // Of the launch that runs, or is being prepared.
  launch_segments segments;

  // All but `name` belong to the chip and outlive the unit.
  launch_unit(const sc_core::sc_module_name& name, base::register_file& registers, sc_core::sc_out<bool>& irq,
              launch_listener& listener, const causes& bits);

  bool running() const { return running_; }
  // Begins the launch whose segments are filled in, `delay` from now.
  void start(const sc_core::sc_time& delay);
  void refuse(std::uint64_t status);
  void raise(std::uint64_t cause);
  // Firmware has touched IRQ_CLAIM or IRQ_MASK.
  void interrupt_registers_changed() { irq_changed_.notify(); }

 private:
  void advance();
  void finish();
  void drive_irq();

  base::register_file& registers_;
  sc_core::sc_out<bool>& irq_;
  launch_listener& listener_;
  const causes bits_;
  bool running_ = false;
  std::size_t next_ = 0;
  sc_core::sc_event step_{"step"};
  sc_core::sc_event irq_changed_{"irq_changed"};
};

}  // namespace scribeline::control
