#include "rtl_tlm/link/llr_config.h"

#include <fmt/format.h>

namespace scribeline::link {

std::string llr_config::problem(double round_trip_ns, std::int64_t frame_bytes) const {
  if (!on) return {};
  if (replay_buffer_bytes < frame_bytes)
    return fmt::format("llr.replay_buffer_bytes = {}: a frame takes up to {}", replay_buffer_bytes, frame_bytes);
  if (replay_limit < 1) return fmt::format("llr.replay_limit = {}: must be 1 or more", replay_limit);
  // Beyond a quarter of the sequence numbers, new and old could be taken for each other.
  if (ack_frames < 1 || ack_frames > (1 << 18))
    return fmt::format("llr.ack_frames = {}: must be 1 to {}", ack_frames, 1 << 18);
  if (!(ack_delay_ns >= 0 && ack_delay_ns <= 1e12))
    return fmt::format("llr.ack_delay_ns = {}: must be 0 to 1e12", ack_delay_ns);
  if (!(ack_latency_ns <= 1e12)) return fmt::format("llr.ack_latency_ns = {}: must be at most 1e12", ack_latency_ns);
  const double least = round_trip_ns + ack_delay_ns;
  if (!(replay_timeout_ns > least && replay_timeout_ns <= 1e12))
    return fmt::format("llr.replay_timeout_ns = {}: must be more than the {} ns until an acknowledgement is back",
                       replay_timeout_ns, least);
  return {};
}

}  // namespace scribeline::link
