#include "rtl_tlm/link/link_config.h"

#include <fmt/format.h>

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
  return {};
}

sc_core::sc_time serialisation_time(const link_config& c, base::bytes size) {
  const std::int64_t share = lane_share(size, c.lanes);
  const std::int64_t full_frames = (share - 1) / c.frame_payload_bytes;
  const std::int64_t last = share - full_frames * c.frame_payload_bytes;
  return static_cast<double>(full_frames) * frame_time(c, c.frame_payload_bytes) + frame_time(c, last);
}

sc_core::sc_time zero_load_latency(const link_config& c, base::bytes size) {
  return serialisation_time(c, size) + base::picoseconds(c.latency_ns * 1000);
}

}  // namespace scribeline::link
