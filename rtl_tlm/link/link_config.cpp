#include "rtl_tlm/link/link_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace scribeline::link {

std::string link_config::problem() const {
  if (lanes < 1) return fmt::format("lanes = {}: must be 1 or more", lanes);
  // Beyond these limits, far outside any hardware, times would no longer fit their 64 bits of picoseconds.
  if (!(lane_gbps >= 0.001 && lane_gbps <= 1e6)) return fmt::format("lane_gbps = {}: must be 0.001 to 1e6", lane_gbps);
  if (!(latency_ns >= 0 && latency_ns <= 1e12)) return fmt::format("latency_ns = {}: must be 0 to 1e12", latency_ns);
  if (!(credit_latency_ns >= 0 && credit_latency_ns <= 1e12))
    return fmt::format("credit_latency_ns = {}: must be 0 to 1e12", credit_latency_ns);
  if (frame_payload_bytes < 1) return fmt::format("frame_payload_bytes = {}: must be 1 or more", frame_payload_bytes);
  if (frame_overhead_bytes < 0)
    return fmt::format("frame_overhead_bytes = {}: must be 0 or more", frame_overhead_bytes);
  if (min_frame_payload_bytes < 0 || min_frame_payload_bytes > frame_payload_bytes)
    return fmt::format("min_frame_payload_bytes = {}: must be 0 to frame_payload_bytes = {}", min_frame_payload_bytes,
                       frame_payload_bytes);
  if (virtual_channels < 1 || virtual_channels > max_virtual_channels)
    return fmt::format("virtual_channels = {}: must be 1 to {}", virtual_channels, max_virtual_channels);
  if (lane_buffer_bytes() < frame_payload_bytes)
    return fmt::format(
        "receive_buffer_bytes = {}: a frame of {} B on each of {} lanes would never fit, it takes at least {}",
        receive_buffer_bytes, frame_payload_bytes, lanes, frame_payload_bytes * lanes);
  if (serdes_lanes < 1) return fmt::format("serdes_lanes = {}: must be 1 or more", serdes_lanes);
  if (!(flow.credit_update_ns >= 0 && flow.credit_update_ns <= 1e12))
    return fmt::format("flow.credit_update_ns = {}: must be 0 to 1e12", flow.credit_update_ns);
  if (!(flow.resync_ns >= 0 && flow.resync_ns <= 1e12))
    return fmt::format("flow.resync_ns = {}: must be 0 to 1e12", flow.resync_ns);
  if (flow.kind == flow_control::pause) {
    if (flow.credit_update_ns > 0)
      return fmt::format("flow.credit_update_ns = {}: pause flow control has no credits", flow.credit_update_ns);
    if (pause_above() < 0)
      return fmt::format(
          "receive_buffer_bytes = {}: the headroom for pause flow control alone takes {}, or give "
          "flow.pause_above_bytes",
          receive_buffer_bytes, pause_headroom(*this));
    if (pause_above() > receive_buffer_bytes || resume_at() > pause_above())
      return fmt::format(
          "flow.resume_at_bytes = {} and flow.pause_above_bytes = {}: must rise up to "
          "receive_buffer_bytes = {}",
          resume_at(), pause_above(), receive_buffer_bytes);
  }
  const std::string error_problem = errors.problem();
  if (!error_problem.empty()) return "errors." + error_problem;
  const double largest_ns = frame_time(*this, frame_payload_bytes).to_seconds() * 1e9;
  return llr.problem(frame_path_ns() + ack_path_ns() + 2 * largest_ns, wire_bytes(*this, frame_payload_bytes));
}

std::int64_t link_config::pause_above() const {
  return flow.pause_above_bytes < 0 ? receive_buffer_bytes - pause_headroom(*this) : flow.pause_above_bytes;
}

std::int64_t link_config::resume_at() const {
  return flow.resume_at_bytes < 0 ? pause_above() / 2 : flow.resume_at_bytes;
}

std::int64_t pause_headroom(const link_config& c) {
  const double bytes_per_ns = c.lane_gbps / 8;
  const auto sent_until_paused = static_cast<std::int64_t>(std::ceil(bytes_per_ns * c.credit_path_ns()));
  auto under_way = static_cast<std::int64_t>(std::ceil(bytes_per_ns * c.frame_path_ns()));
  if (c.llr.on && c.errors.any()) under_way = std::max(under_way, c.llr.replay_buffer_bytes);
  return (under_way + sent_until_paused + 2 * c.frame_payload_bytes) * c.lanes;
}

link_config scale_up_ethernet(double gbps, std::int64_t header_bytes) {
  link_config c;
  c.lane_gbps = gbps;
  c.frame_payload_bytes = 4096;
  c.frame_overhead_bytes = ethernet_gap_bytes + header_bytes;
  c.min_frame_payload_bytes = 0;
  c.receive_buffer_bytes = static_cast<std::int64_t>(gbps / 8 * 1000) + c.frame_payload_bytes;
  c.errors.fec = fec_code::rs544;
  c.llr.on = true;
  return c;
}

sc_core::sc_time serialisation_time(const link_config& c, base::bytes size) {
  const std::int64_t share = lane_share(size, c.lanes);
  const std::int64_t full_frames = (share - 1) / c.frame_payload_bytes;
  const std::int64_t last = share - full_frames * c.frame_payload_bytes;
  return static_cast<double>(full_frames) * frame_time(c, c.frame_payload_bytes) + frame_time(c, last);
}

sc_core::sc_time zero_load_latency(const link_config& c, base::bytes size) {
  return serialisation_time(c, size) + base::picoseconds(c.frame_path_ns() * 1000);
}

}  // namespace scribeline::link
