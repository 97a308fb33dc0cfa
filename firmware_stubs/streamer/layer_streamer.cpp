#include "firmware_stubs/streamer/layer_streamer.h"

#include <fmt/format.h>

#include "rtl_tlm/base/units.h"

namespace scribeline::streamer {

layer_streamer::layer_streamer(const sc_core::sc_module_name& name, const streamer_config& config)
    : sc_module(name),
      config_(config),
      driver_(mmio, keeper_, config.bank),
      interrupt_(driver_, keeper_, irq,
                 {fmt::format("bank {} of the wafer", config.bank), wafer::chip_id, wafer::register_map_version,
                  wafer::irq::error},
                 base::picoseconds(config.interrupt_latency_ns * 1000)) {
  SC_HAS_PROCESS(layer_streamer);
  SC_THREAD(run);
}

void layer_streamer::run() {
  boot();
  for (;;) {
    interrupt_.wait_for(wafer::irq::message_arrived);
    for (auto head = driver_.read_head(); head.waiting > 0; head = driver_.read_head())
      handle(head.pass);
  }
}

void layer_streamer::boot() {
  keeper_.reset();
  interrupt_.check_chip();
  if (!config_.descriptors.empty()) driver_.write_descriptors(config_.first_descriptor, config_.descriptors);
  driver_.write(wafer::reg::irq_mask, wafer::irq::message_arrived | wafer::irq::launch_done | wafer::irq::error);
}

void layer_streamer::handle(const wafer::pass& p) {
  const bool emits = (p.flags & wafer::message_flag::emits) != 0;
  const bool prefill = (p.flags & wafer::message_flag::prefill) != 0;
  wafer::pass work = p;
  if (config_.role == stage_role::head && prefill) work.tokens = 1;
  if (config_.role == stage_role::draft) {
    draft(p);
  } else if (!config_.descriptors.empty() && (config_.role == stage_role::layer || emits)) {
    launch(0, config_.descriptors.size(), work);
  }
  driver_.send_on(p.tokens * config_.output_bytes_per_token, p.flags);
}

void layer_streamer::draft(const wafer::pass& p) {
  const std::uint64_t all = config_.descriptors.size();
  launch(0, config_.first_logit_descriptor, p);
  if ((p.flags & wafer::message_flag::emits) == 0) return;
  wafer::pass one = p;
  one.tokens = 1;
  if (config_.first_logit_descriptor < all) {
    launch(config_.first_logit_descriptor, all - config_.first_logit_descriptor, one);
  }
  one.context = p.context + p.tokens;
  for (std::uint64_t guess = 1; guess < config_.draft_tokens; ++guess, ++one.context)
    launch(0, all, one);
}

void layer_streamer::launch(std::uint64_t first, std::uint64_t count, const wafer::pass& p) {
  wafer::launch_arguments arguments;
  arguments.tokens = p.tokens;
  arguments.context = p.context;
  if (config_.expert_load) config_.expert_load(p, arguments);
  driver_.launch(config_.first_descriptor + first, count, arguments);
  interrupt_.wait_for(wafer::irq::launch_done);
}

}  // namespace scribeline::streamer
