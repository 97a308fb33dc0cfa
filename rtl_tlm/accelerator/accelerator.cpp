#include "rtl_tlm/accelerator/accelerator.h"

#include <cmath>
#include <limits>

#include "rtl_tlm/base/units.h"

namespace scribeline::accelerator {

accelerator::accelerator(const sc_core::sc_module_name& name, std::uint64_t rank, const accelerator_config& config,
                         network_timing& network)
    : sc_module(name),
      config_(config),
      register_access_(base::picoseconds(config.register_access_ns * 1000)),
      registers_(register_map(), control_bytes),
      timing_(config, network) {
  registers_.set(reg::capability, static_cast<std::uint64_t>(config.slices) << 32 |
                                      static_cast<std::uint64_t>(config.network.domain_ranks));
  registers_.set(reg::rank, rank);
  mmio.register_b_transport(this, &accelerator::b_transport);
  mmio.register_nb_transport_fw(this, &accelerator::nb_transport_fw);
  mmio.register_transport_dbg(this, &accelerator::transport_dbg);
  mmio.register_get_direct_mem_ptr(this, &accelerator::get_direct_mem_ptr);

  SC_HAS_PROCESS(accelerator);
  SC_METHOD(advance_launch);
  sensitive << launch_step_;
  dont_initialize();
  SC_METHOD(drive_irq);
  sensitive << irq_changed_;
}

void accelerator::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += register_access_;
  access(payload, delay, false);
}

// The base protocol's early completion: no later phase follows.
tlm::tlm_sync_enum accelerator::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  b_transport(initiator, payload, delay);
  return tlm::TLM_COMPLETED;
}

// A debug transaction has a command, an address and data; its other attributes mean nothing and may hold anything.
unsigned int accelerator::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  tlm::tlm_generic_payload plain;
  plain.set_command(payload.get_command());
  plain.set_address(payload.get_address());
  plain.set_data_ptr(payload.get_data_ptr());
  plain.set_data_length(payload.get_data_length());
  plain.set_streaming_width(payload.get_data_length());
  access(plain, sc_core::SC_ZERO_TIME, true);
  return plain.is_response_ok() ? plain.get_data_length() : 0;
}

bool accelerator::get_direct_mem_ptr(int, tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_end_address(std::numeric_limits<sc_dt::uint64>::max());
  return false;
}

void accelerator::access(tlm::tlm_generic_payload& payload, const sc_core::sc_time& when, bool debug) {
  const std::uint64_t address = payload.get_address();
  if (payload.get_data_ptr() == nullptr) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (address < control_base) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (address >= descriptor_memory_base) return descriptors_.access(payload, address - descriptor_memory_base);
  registers_.access(payload, address - control_base, when, debug ? nullptr : this);
}

void accelerator::register_changed(std::uint32_t offset, std::uint64_t, const sc_core::sc_time& when) {
  if (offset == reg::irq_claim || offset == reg::irq_mask) irq_changed_.notify();
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
  if (running_) return refuse(status_code::launch_while_running);
  if (!prepare_launch(registers_.value(reg::launch_descriptor), registers_.value(reg::launch_count))) {
    return refuse(status_code::bad_descriptor);
  }
  running_ = true;
  registers_.set(reg::status, status_code::running);
  next_segment_ = 0;
  launch_step_.notify(delay);
}

bool accelerator::prepare_launch(std::uint64_t first, std::uint64_t count) {
  const auto& list = descriptors_.list();
  if (count == 0 || first >= list.size() || count > list.size() - first) return false;
  for (std::uint64_t i = first; i < first + count; ++i) {
    if (!can_run(list[i], config_)) return false;
  }
  const launch_arguments given = arguments();
  const bool by_operation = observer_ != nullptr && observer_->watches_operations();
  segments_.clear();
  by_operation_.clear();
  timing_.begin();
  double ns = 0;
  std::uint64_t rounded_ps = 0;
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
    if (!last && (!by_operation || list[i + 1].operation == d.operation)) continue;
    const auto end_ps = static_cast<std::uint64_t>(std::llround(ns * 1000));
    segments_.push_back({d.operation, sc_core::sc_time::from_value(end_ps - rounded_ps)});
    rounded_ps = end_ps;
  }
  launch_ps_ = rounded_ps;
  return true;
}

void accelerator::advance_launch() {
  if (observer_ && next_segment_ == 0) observer_->launch_started(arguments());
  if (next_segment_ == segments_.size()) return finish_launch();
  const segment& s = segments_[next_segment_++];
  if (observer_) observer_->operation_started(s.operation);
  launch_step_.notify(s.duration);
}

void accelerator::finish_launch() {
  running_ = false;
  publish_counters();
  if (registers_.value(reg::status) == status_code::running) registers_.set(reg::status, status_code::idle);
  raise(irq::launch_done);
  if (observer_) observer_->launch_finished();
}

void accelerator::publish_counters() {
  const auto publish = [&](std::uint32_t offset, double value) {
    registers_.set(offset, static_cast<std::uint64_t>(value));
  };
  registers_.set(reg::count_launches, registers_.value(reg::count_launches) + 1);
  registers_.set(reg::count_busy_ps, registers_.value(reg::count_busy_ps) + launch_ps_);
  publish(reg::count_start_ps, totals_.start_ns * 1000);
  publish(reg::count_network_ps, totals_.network_ns * 1000);
  publish(reg::count_wait_ps, totals_.wait_ns * 1000);
  publish(reg::count_macs, totals_.macs);
  publish(reg::count_hbm_bytes, totals_.hbm_bytes);
  publish(reg::count_network_bytes, totals_.network_bytes);
}

void accelerator::refuse(std::uint64_t status) {
  registers_.set(reg::status, status);
  raise(irq::error);
}

void accelerator::raise(std::uint64_t cause) {
  registers_.set(reg::irq_claim, registers_.value(reg::irq_claim) | cause);
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

void accelerator::drive_irq() {
  irq.write((registers_.value(reg::irq_claim) & registers_.value(reg::irq_mask)) != 0);
}

}  // namespace scribeline::accelerator
