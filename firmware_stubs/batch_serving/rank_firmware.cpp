#include "firmware_stubs/batch_serving/rank_firmware.h"

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
      driver_(mmio, keeper_),
      interrupt_(driver_, keeper_, irq,
                 {"the accelerator", accelerator::chip_id, accelerator::register_map_version, accelerator::irq::error},
                 base::picoseconds(config.interrupt_latency_ns * 1000)) {
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
  interrupt_.check_chip();
  driver_.write_descriptors(0, config_.descriptors);
  driver_.write(accelerator::reg::irq_mask, accelerator::irq::launch_done | accelerator::irq::error);
}

void rank_firmware::handle(batch_pass p) {
  busy_ = true;
  const std::uint64_t waited_ps = now_ps() - p.mark_ps;
  driver_.launch(0, config_.descriptors.size(), launch_arguments_for(config_, p));
  interrupt_.wait_for(accelerator::irq::launch_done);
  keeper_.sync();
  const std::uint64_t residence_ps = now_ps() - p.mark_ps;
  p.last_stage_ps = residence_ps;
  busy_ = false;
  if (observer_) observer_->pass_done(p, waited_ps, residence_ps);
  out_.send(p, config_.hop(p));
}

}  // namespace scribeline::batch_serving
