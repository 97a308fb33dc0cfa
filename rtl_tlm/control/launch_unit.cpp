#include "rtl_tlm/control/launch_unit.h"

#include <cmath>

#include "rtl_tlm/control/common_registers.h"

namespace scribeline::control {

void launch_segments::clear() {
  segments_.clear();
  duration_ps_ = 0;
}

void launch_segments::add(std::uint32_t operation, double end_ps) {
  const auto rounded_ps = static_cast<std::uint64_t>(std::llround(end_ps));
  segments_.push_back({operation, sc_core::sc_time::from_value(rounded_ps - duration_ps_)});
  duration_ps_ = rounded_ps;
}

launch_unit::launch_unit(const sc_core::sc_module_name& name, base::register_file& registers,
                         sc_core::sc_out<bool>& irq, launch_listener& listener, const causes& bits)
    : sc_module(name), registers_(registers), irq_(irq), listener_(listener), bits_(bits) {
  SC_HAS_PROCESS(launch_unit);
  SC_METHOD(advance);
  sensitive << step_;
  dont_initialize();
  SC_METHOD(drive_irq);
  sensitive << irq_changed_;
}

void launch_unit::start(const sc_core::sc_time& delay) {
  running_ = true;
  registers_.set(reg::status, status_code::running);
  next_ = 0;
  step_.notify(delay);
}

void launch_unit::advance() {
  if (next_ == 0) listener_.launch_begins();
  if (next_ == segments.size()) return finish();
  const auto& s = segments[next_++];
  listener_.operation_begins(s.operation);
  step_.notify(s.duration);
}

void launch_unit::finish() {
  running_ = false;
  registers_.set(reg::count_launches, registers_.value(reg::count_launches) + 1);
  registers_.set(reg::count_busy_ps, registers_.value(reg::count_busy_ps) + segments.duration_ps());
  listener_.launch_is_over();
  if (registers_.value(reg::status) == status_code::running) registers_.set(reg::status, status_code::idle);
  raise(bits_.done);
  listener_.launch_is_told();
}

void launch_unit::refuse(std::uint64_t status) {
  registers_.set(reg::status, status);
  raise(bits_.error);
}

void launch_unit::raise(std::uint64_t cause) {
  registers_.set(reg::irq_claim, registers_.value(reg::irq_claim) | cause);
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

void launch_unit::drive_irq() {
  irq_.write((registers_.value(reg::irq_claim) & registers_.value(reg::irq_mask)) != 0);
}

}  // namespace scribeline::control
