#include "rtl_tlm/accelerator/accelerator.h"

#include "rtl_tlm/base/units.h"

namespace scribeline::accelerator {

accelerator::accelerator(const sc_core::sc_module_name& name, std::uint64_t rank, const accelerator_config& config,
                         network_timing& network)
    : sc_module(name),
      control_target(base::picoseconds(config.register_access_ns * 1000)),
      config_(config),
      registers_(register_map(), control_bytes),
      timing_(config, network),
      unit_("launch_unit", registers_, irq, *this, {irq::launch_done, irq::error}) {
  registers_.set(reg::capability, static_cast<std::uint64_t>(config.slices) << 32 |
                                      static_cast<std::uint64_t>(config.network.domain_ranks));
  registers_.set(reg::rank, rank);
}

void accelerator::access_control(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when,
                                 bool debug) {
  constexpr std::uint64_t descriptors_at = descriptor_memory_base - control_base;
  if (offset >= descriptors_at) return descriptors_.access(payload, offset - descriptors_at);
  registers_.access(payload, offset, when, debug ? nullptr : this);
}

void accelerator::register_changed(std::uint32_t offset, std::uint64_t, const sc_core::sc_time& when) {
  if (offset == reg::irq_claim || offset == reg::irq_mask) unit_.interrupt_registers_changed();
  if (offset == reg::launch_doorbell) start_launch(when);
}

launch_arguments accelerator::arguments() const {
  launch_arguments a;
  a.tokens = registers_.value(reg::launch_tokens);
  a.sequences = registers_.value(reg::launch_sequences);
  a.context = registers_.value(reg::launch_context);
  a.milli_experts = registers_.value(reg::launch_experts);
  a.milli_pairs = registers_.value(reg::launch_pairs);
  a.mean_milli_experts = registers_.value(reg::launch_mean_experts);
  a.mean_milli_pairs = registers_.value(reg::launch_mean_pairs);
  a.milli_copies = registers_.value(reg::launch_copies);
  return a;
}

void accelerator::start_launch(const sc_core::sc_time& delay) {
  if (unit_.running()) return unit_.refuse(status_code::launch_while_running);
  if (!prepare_launch(registers_.value(reg::launch_descriptor), registers_.value(reg::launch_count))) {
    return unit_.refuse(status_code::bad_descriptor);
  }
  unit_.start(delay);
}

bool accelerator::prepare_launch(std::uint64_t first, std::uint64_t count) {
  const auto& list = descriptors_.list();
  if (count == 0 || first >= list.size() || count > list.size() - first) return false;
  for (std::uint64_t i = first; i < first + count; ++i) {
    if (!can_run(list[i], config_)) return false;
  }
  const launch_arguments given = arguments();
  const bool by_operation = observer_ != nullptr && observer_->watches_operations();
  unit_.segments.clear();
  by_operation_.clear();
  timing_.begin();
  double ns = 0;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const descriptor& d = list[i];
    const operation_cost cost = timing_.next(d, given);
    ns += cost.total_ns();
    if (by_operation_.size() <= d.operation) by_operation_.resize(d.operation + 1);
    by_operation_[d.operation].op = d.op;
    by_operation_[d.operation].sum += cost;
    by_operation_[d.operation].sum.binds = cost.binds;
    totals_ += cost;
    const bool last = i + 1 == first + count;
    if (last || (by_operation && list[i + 1].operation != d.operation)) unit_.segments.add(d.operation, ns * 1000);
  }
  return true;
}

void accelerator::launch_begins() {
  if (observer_) observer_->launch_started(arguments());
}

void accelerator::operation_begins(std::uint32_t operation) {
  if (observer_) observer_->operation_started(operation);
}

void accelerator::launch_is_over() {
  const auto publish = [&](std::uint32_t offset, double value) {
    registers_.set(offset, static_cast<std::uint64_t>(value));
  };
  publish(reg::count_start_ps, totals_.start_ns * 1000);
  publish(reg::count_network_ps, totals_.network_ns * 1000);
  publish(reg::count_wait_ps, totals_.wait_ns * 1000);
  publish(reg::count_macs, totals_.macs);
  publish(reg::count_hbm_bytes, totals_.hbm_bytes);
  publish(reg::count_network_bytes, totals_.network_bytes);
}

void accelerator::launch_is_told() {
  if (observer_) observer_->launch_finished();
}

}  // namespace scribeline::accelerator
