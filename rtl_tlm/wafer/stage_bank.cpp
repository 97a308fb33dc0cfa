#include "rtl_tlm/wafer/stage_bank.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace scribeline::wafer {

namespace {
std::uint64_t now_ps() {
  return sc_core::sc_time_stamp().value();
}
}  // namespace

stage_bank::stage_bank(const sc_core::sc_module_name& name, const wafer_config& config, std::uint64_t stage,
                       const std::vector<descriptor>& descriptors, std::function<void(const pass&)> forward)
    : sc_module(name),
      config_(config),
      clock_(config.clock_ghz),
      registers_(register_map(), bank_bytes),
      descriptors_(descriptors),
      forward_(std::move(forward)),
      timing_(config),
      unit_("launch_unit", registers_, irq, *this, {irq::launch_done, irq::error}) {
  registers_.set(reg::capability,
                 static_cast<std::uint64_t>(config.columns) << 32 | static_cast<std::uint64_t>(config.rows));
  registers_.set(reg::stage, stage);

  SC_HAS_PROCESS(stage_bank);
  SC_METHOD(send);
  sensitive << send_due_;
  dont_initialize();
}

void stage_bank::receive(pass p, bool from_link) {
  const std::uint64_t leg = now_ps() - p.mark_ps;
  (from_link ? statistics_of(p).link_ps : statistics_of(p).handoff_ps) += leg;
  if (from_link) p.link_ps += leg;
  p.mark_ps = now_ps();
  received_.push_back(p);
  received_at_ps_.push_back(now_ps());
  statistics_.queue_peak = std::max(statistics_.queue_peak, received_.size());
  show_head();
  unit_.raise(irq::message_arrived);
  if (observer_) observer_->message_arrived(p, received_.size());
}

void stage_bank::access(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when,
                        bool debug) {
  registers_.access(payload, offset, when, debug ? nullptr : this);
}

void stage_bank::register_changed(std::uint32_t offset, std::uint64_t, const sc_core::sc_time& when) {
  switch (offset) {
    case reg::irq_claim:
    case reg::irq_mask:
      unit_.interrupt_registers_changed();
      break;
    case reg::launch_doorbell:
      start_launch(when);
      break;
    case reg::tx_doorbell:
      take_head(when);
      break;
    default:
      break;
  }
}

void stage_bank::start_launch(const sc_core::sc_time& delay) {
  const std::uint64_t first = registers_.value(reg::launch_descriptor);
  const std::uint64_t count = registers_.value(reg::launch_count);
  if (unit_.running()) return unit_.refuse(status_code::launch_while_running);
  const launch_arguments arguments{registers_.value(reg::launch_tokens), registers_.value(reg::launch_context),
                                   registers_.value(reg::launch_expert_load),
                                   registers_.value(reg::launch_expert_matrices)};
  if (received_.empty() || !prepare_launch(first, count, arguments)) return unit_.refuse(status_code::bad_descriptor);
  unit_.start(delay);
}

bool stage_bank::prepare_launch(std::uint64_t first, std::uint64_t count, const launch_arguments& arguments) {
  const std::uint64_t stored = descriptors_.size();
  if (count == 0 || first >= stored || count > stored - first) return false;
  unit_.segments.clear();
  work_ = {};
  double cycles = 0;
  const bool by_operation = observer_ && observer_->watches_operations();
  const std::uint64_t end = first + count;
  std::uint64_t kernel_end = first;
  for (std::uint64_t i = first; i < end; ++i) {
    if (i == kernel_end) {
      const std::size_t length = kernel_length(&descriptors_[i], end - i);
      if (!remember_kernel(i, length, arguments)) return false;
      kernel_end += length;
    }
    const descriptor_cost& cost = costs_[i];
    work_.cycles[static_cast<std::size_t>(cost.binds)] += cost.cycles;
    work_.macs += cost.macs;
    work_.sram_bytes += cost.sram_bytes;
    work_.word_hops += cost.word_hops;
    cycles += cost.cycles;
    const std::uint32_t operation = descriptors_[i].operation;
    if (i + 1 == end || (by_operation && descriptors_[i + 1].operation != operation))
      unit_.segments.add(operation, cycles * 1000.0 / config_.clock_ghz);
  }
  return true;
}

bool stage_bank::remember_kernel(std::size_t first, std::size_t count, const launch_arguments& arguments) {
  if (remembered_.size() < descriptors_.size()) {
    remembered_.resize(descriptors_.size());
    costs_.resize(descriptors_.size());
  }
  bool known = true;
  for (std::size_t i = first; i < first + count; ++i) {
    remembered_cost& last = remembered_[i];
    const descriptor& d = descriptors_[i];
    const scaled_extents scaled = extents_of(d, arguments);
    const bool same_kernel = last.valid && last.kernel_first == first && last.kernel_count == count;
    if (same_kernel && last.scaled == scaled && std::memcmp(&last.what, &d, sizeof d) == 0) continue;
    if (!can_run(d, config_)) return false;
    last = {d, scaled, first, count, true};
    known = false;
  }
  if (!known) timing_.costs_of_kernel(&descriptors_[first], count, arguments, &costs_[first]);
  return true;
}

void stage_bank::launch_begins() {
  if (observer_) observer_->launch_started(received_.front());
}

void stage_bank::operation_begins(std::uint32_t operation) {
  if (observer_) observer_->operation_started(operation);
}

void stage_bank::launch_is_over() {
  pass_launch_ps_ += unit_.segments.duration_ps();
  attribute_launch();
  publish_counters();
}

void stage_bank::launch_is_told() {
  if (observer_) observer_->launch_finished(received_.front());
}

// The parts add up to the launch to the picosecond: the vector units get what rounding leaves.
void stage_bank::attribute_launch() {
  const auto ps = [&](bound_by what) {
    const auto i = static_cast<std::size_t>(what);
    busy_cycles_[i] += work_.cycles[i];
    return static_cast<std::uint64_t>(std::floor(work_.cycles[i] * 1000.0 / config_.clock_ghz));
  };
  pass_statistics& statistics = statistics_of(received_.front());
  const std::uint64_t fabric_ps = ps(bound_by::fabric);
  const std::uint64_t sram_ps = ps(bound_by::sram);
  ps(bound_by::compute);
  statistics.fabric_ps += fabric_ps;
  statistics.sram_ps += sram_ps;
  statistics.compute_ps += unit_.segments.duration_ps() - fabric_ps - sram_ps;
  statistics_.macs += work_.macs;
  statistics_.sram_bytes += work_.sram_bytes;
  statistics_.word_hops += work_.word_hops;
}

void stage_bank::publish_counters() {
  const auto publish = [&](std::uint32_t offset, double value) {
    registers_.set(offset, static_cast<std::uint64_t>(value));
  };
  publish(reg::count_fabric_cycles, busy_cycles_[static_cast<std::size_t>(bound_by::fabric)]);
  publish(reg::count_compute_cycles, busy_cycles_[static_cast<std::size_t>(bound_by::compute)]);
  publish(reg::count_sram_cycles, busy_cycles_[static_cast<std::size_t>(bound_by::sram)]);
  publish(reg::count_macs, statistics_.macs);
  publish(reg::count_sram_bytes, statistics_.sram_bytes);
  publish(reg::count_word_hops, statistics_.word_hops);
}

// Firmware runs ahead of the kernel by `delay`: the registers change now, the message leaves then.
void stage_bank::take_head(const sc_core::sc_time& delay) {
  if (unit_.running()) return unit_.refuse(status_code::launch_while_running);
  if (received_.empty() || registers_.value(reg::tx_bytes) == 0) return unit_.refuse(status_code::nothing_to_send);
  const std::uint64_t leaves_ps = now_ps() + delay.value();
  pass p = received_.front();
  const std::uint64_t arrived = received_at_ps_.front();
  received_.pop_front();
  received_at_ps_.pop_front();

  const std::uint64_t waited = free_since_ps_ > arrived ? free_since_ps_ - arrived : 0;
  const std::uint64_t residence = leaves_ps - arrived;
  pass_statistics& statistics = statistics_of(p);
  statistics.passes += 1;
  statistics.tokens += p.tokens;
  statistics.waiting_ps += waited;
  statistics.firmware_ps += residence - waited - pass_launch_ps_;
  pass_launch_ps_ = 0;
  free_since_ps_ = leaves_ps;

  p.stages_ps += residence;
  p.last_stage_ps = residence;
  p.mark_ps = leaves_ps;
  p.bytes = registers_.value(reg::tx_bytes);
  p.flags = registers_.value(reg::tx_flags);
  show_head();
  leaving_.push_back(p);
  if (leaving_.size() == 1) send_due_.notify(delay);
}

void stage_bank::send() {
  while (!leaving_.empty() && leaving_.front().mark_ps <= now_ps()) {
    const pass p = leaving_.front();
    leaving_.pop_front();
    if (observer_) observer_->message_sent(p, received_.size());
    forward_(p);
  }
  if (!leaving_.empty()) send_due_.notify(sc_core::sc_time::from_value(leaving_.front().mark_ps - now_ps()));
}

void stage_bank::show_head() {
  registers_.set(reg::rx_count, received_.size());
  const pass head = received_.empty() ? pass{0, 0, 0, 0, 0, 0, 0, 0, 0} : received_.front();
  registers_.set(reg::rx_request, head.request);
  registers_.set(reg::rx_tokens, head.tokens);
  registers_.set(reg::rx_context, head.context);
  registers_.set(reg::rx_flags, head.flags);
  registers_.set(reg::rx_bytes, head.bytes);
}

}  // namespace scribeline::wafer
