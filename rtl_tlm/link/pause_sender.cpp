#include "rtl_tlm/link/pause_sender.h"

#include <algorithm>

namespace scribeline::link {

using sc_core::sc_time;

pause_sender::pause_sender(const link_config& config, control_sender& control, port_statistics& statistics)
    : control_(control),
      statistics_(statistics),
      latency_(base::picoseconds(config.credit_path_ns() * 1000)),
      resync_(base::picoseconds(config.flow.resync_ns * 1000)),
      stop_above_(config.pause_above() / config.lanes),
      go_at_(config.resume_at() / config.lanes),
      channels_(static_cast<std::size_t>(config.virtual_channels)) {}

void pause_sender::occupied(int virtual_channel, std::int64_t bytes, const sc_time& now) {
  channel& c = channels_[virtual_channel];
  if (c.stopped ? bytes > go_at_ : bytes <= stop_above_) return;
  c.stopped = !c.stopped;
  tell(virtual_channel, now);
}

void pause_sender::run(const sc_time& now) {
  if (now < next_) return;
  next_ = sc_core::sc_max_time();
  for (std::size_t v = 0; v < channels_.size(); ++v)
    if (channels_[v].told_stopped != channels_[v].stopped) tell(static_cast<int>(v), now);
}

void pause_sender::tell(int virtual_channel, const sc_time& now) {
  channel& c = channels_[virtual_channel];
  ++statistics_.pauses_sent;
  if (control_.pause(virtual_channel, c.stopped, latency_)) {
    c.told_stopped = c.stopped;
  } else {
    ++statistics_.pauses_lost;
    next_ = std::min(next_, next_multiple(now, resync_));
  }
}

}  // namespace scribeline::link
