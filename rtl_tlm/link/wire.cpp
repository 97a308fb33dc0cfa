#include "rtl_tlm/link/wire.h"

namespace scribeline::link {

using sc_core::sc_time;

wire::wire(const link_config& config, socket& to_peer, const error_process& errors, port_statistics& statistics)
    : config_(config),
      to_peer_(to_peer),
      errors_(errors),
      statistics_(statistics),
      latency_(base::picoseconds(config.frame_path_ns() * 1000)),
      lane_gbps_(config.lane_gbps) {}

void wire::start(frame& f, const sc_time& now) {
  const std::int64_t bits = wire_bytes(config_, f.payload_bytes) * 8 * config_.lanes;
  f.wire_time = time_of(f.payload_bytes);
  f.cut = false;
  f.accepted = false;
  f.corrupt = errors_.hits(frame_units(config_.errors, bits));
  free_at_ = now + f.wire_time;
  statistics_.frames_sent += config_.lanes;
  statistics_.frames_corrupted += f.corrupt ? config_.lanes : 0;
  statistics_.wire_bits_sent += bits;
  statistics_.busy += f.wire_time;
  if (config_.llr.on) {
    if (current_ != nullptr) current_->release();
    current_ = &f;
    f.acquire();
  }
  if (observer_ != nullptr) observer_->transmit_started(f, free_at_);
}

void wire::transport(frame& f) {
  link_phase phase = link_phase::frame;
  sc_time delay = latency_;
  to_peer_->nb_transport_fw(f, phase, delay);
}

void wire::cut(const sc_time& now) {
  if (free_at_ <= now || current_->accepted) return;
  current_->cut = true;
  const sc_time rest = free_at_ - now;
  const auto bits = static_cast<double>(wire_bytes(config_, current_->payload_bytes) * 8 * config_.lanes);
  statistics_.wire_bits_sent -= static_cast<std::int64_t>(bits * (rest / current_->wire_time));
  statistics_.busy -= rest;
  free_at_ = now;
}

void wire::use_lanes(int up) {
  lane_gbps_ = config_.lane_gbps * up / (config_.lanes * config_.serdes_lanes);
  last_payload_ = -1;
}

sc_time wire::time_of(std::int64_t payload) {
  if (payload != last_payload_) {
    last_payload_ = payload;
    last_time_ = base::bandwidth{lane_gbps_}.duration(base::bytes{wire_bytes(config_, payload)});
  }
  return last_time_;
}

void wire::add_unfinished(port_statistics& s) const {
  const sc_time now = sc_core::sc_time_stamp();
  if (free_at_ > now) s.busy -= free_at_ - now;
}

}  // namespace scribeline::link
