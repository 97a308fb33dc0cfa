// Parameters of link-layer retry.
#pragma once

#include <cstdint>
#include <string>

namespace scribeline::link {

struct llr_config {
  bool on = false;
  // Wire bytes of frames that were sent and not acknowledged, per lane; a port waits when the next does not fit. Full
  // rate needs rate x (round trip + ack_delay). Assumption: 2.5 us at 800 Gb/s.
  std::int64_t replay_buffer_bytes = 256 * 1024;
  // Without any acknowledgement for this long, everything is sent again. Assumption: several round trips.
  double replay_timeout_ns = 10'000;
  // Replays in a row without an acknowledgement of anything new, after which the link is given up.
  int replay_limit = 16;
  // Acknowledgements are cumulative: one for so many frames, or this long after the first that waits for it.
  int ack_frames = 16;
  double ack_delay_ns = 500;
  // From the last bit of a frame to its acknowledgement (positive or negative) acted upon at the sender; negative: the
  // latency of the frames.
  double ack_latency_ns = -1;
  // A frame being sent when a NACK comes is cut off: its receiver would discard it. Otherwise it is sent to its end,
  // and a replay begins at the next frame.
  bool cut_frame_on_nack = true;

  // `round_trip_ns`: last bit sent to acknowledgement back, ack_delay excluded; `frame_bytes`: the largest on the wire.
  std::string problem(double round_trip_ns, std::int64_t frame_bytes) const;
};

}  // namespace scribeline::link
