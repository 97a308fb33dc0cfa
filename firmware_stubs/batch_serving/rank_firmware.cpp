#include "firmware_stubs/batch_serving/rank_firmware.h"

#include <fmt/format.h>

#include <cmath>

#include "rtl_tlm/base/units.h"

namespace scribeline::batch_serving {

namespace {

std::uint64_t now_ps() {
  return sc_core::sc_time_stamp().value();
}

std::uint64_t milli(double value) {
  return static_cast<std::uint64_t>(std::llround(value * 1000));
}

}  // namespace

accelerator::launch_arguments launch_arguments_for(firmware_config& config, const batch_pass& p) {
  accelerator::launch_arguments a;
  a.tokens = p.tokens;
  a.sequences = p.sequences;
  a.context = p.context;
  if (config.routing) {
    const auto& load = config.routing->load(p.tokens * config.routed_replicas);
    a.milli_experts = milli(load.busiest_experts);
    a.milli_pairs = milli(load.busiest_pairs);
    a.mean_milli_experts = milli(load.mean_experts);
    a.mean_milli_pairs = milli(load.mean_pairs);
    a.milli_copies = milli(load.busiest_copies);
  }
  return a;
}

rank_firmware::rank_firmware(const sc_core::sc_module_name& name, const firmware_config& config, pass_channel& in,
                             pass_channel& out)
    : sc_module(name),
      config_(config),
      in_(in),
      out_(out),
      interrupt_latency_(base::picoseconds(config.interrupt_latency_ns * 1000)),
      driver_(mmio, keeper_) {
  SC_HAS_PROCESS(rank_firmware);
  SC_THREAD(run);
}

void rank_firmware::run() {
  boot();
  keeper_.sync();
  for (;;) {
    while (!in_.ready())
      wait(in_.arrived());
    handle(in_.take());
  }
}

void rank_firmware::boot() {
  keeper_.reset();
  const std::uint64_t id = driver_.read(accelerator::reg::id);
  const std::uint64_t version = driver_.read(accelerator::reg::version);
  if (id != accelerator::chip_id || version != accelerator::register_map_version) {
    SC_REPORT_ERROR("/scribeline/rank_firmware/wrong_chip",
                    fmt::format("{} reads ID {:#x} version {}; this firmware drives {:#x} version {}", name(), id,
                                version, accelerator::chip_id, accelerator::register_map_version)
                        .c_str());
  }
  driver_.write_descriptors(0, config_.descriptors);
  driver_.write(accelerator::reg::irq_mask, accelerator::irq::launch_done | accelerator::irq::error);
}

void rank_firmware::handle(batch_pass p) {
  busy_ = true;
  const std::uint64_t waited_ps = now_ps() - p.mark_ps;
  driver_.launch(0, config_.descriptors.size(), launch_arguments_for(config_, p));
  wait_for_completion();
  keeper_.sync();
  const std::uint64_t residence_ps = now_ps() - p.mark_ps;
  p.last_stage_ps = residence_ps;
  busy_ = false;
  if (observer_) observer_->pass_done(p, waited_ps, residence_ps);
  out_.send(p, config_.hop(p));
}

void rank_firmware::wait_for_completion() {
  for (;;) {
    keeper_.sync();
    while (!irq.read())
      wait(irq.posedge_event());
    keeper_.inc(interrupt_latency_);
    // Into the present: the claim must see every cause raised until now.
    keeper_.sync();
    const std::uint64_t causes = driver_.claim_interrupts();
    if (causes & accelerator::irq::error) {
      const std::uint64_t status = driver_.read(accelerator::reg::status);
      SC_REPORT_ERROR("/scribeline/rank_firmware/refused",
                      fmt::format("{}: the accelerator refused a doorbell: STATUS reads {}, {}", name(), status,
                                  accelerator::status_text(status))
                          .c_str());
    }
    if (causes & accelerator::irq::launch_done) return;
  }
}

}  // namespace scribeline::batch_serving
