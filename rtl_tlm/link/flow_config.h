// Parameters of flow control.
#pragma once

#include <cstdint>

namespace scribeline::link {

enum class flow_control {
  credits,  // CBFC: a frame is sent when the receiver has promised room for it
  pause     // PFC (IEEE 802.1Qbb): frames are sent until the receiver says stop, per virtual channel
};

struct flow_config {
  flow_control kind = flow_control::credits;

  // Credits: cumulative updates leave at multiples of this time, for channels that freed something; 0: each time
  // something is freed.
  double credit_update_ns = 0;
  // What was lost on the wire is made good at multiples of this time: an update, a pause message, and without retry the
  // credit of a frame that never arrived. 0: never.
  double resync_ns = 1000;

  // Pause: a channel is stopped when more than the first, and let go when no more than the second lies in the receive
  // buffer (bytes of the channel, over all lanes). Negative: the buffer less the headroom that is enough (see
  // pause_headroom), and half of it.
  std::int64_t pause_above_bytes = -1;
  std::int64_t resume_at_bytes = -1;
};

}  // namespace scribeline::link
