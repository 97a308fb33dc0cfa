#include "rtl_tlm/link/credit_sender.h"

#include <fmt/format.h>

#include <algorithm>

namespace scribeline::link {

using sc_core::sc_time;

credit_sender::credit_sender(const link_config& config, control_sender& control, port_statistics& statistics)
    : config_(config),
      control_(control),
      statistics_(statistics),
      latency_(base::picoseconds(config.credit_path_ns() * 1000)),
      period_(base::picoseconds(config.flow.credit_update_ns * 1000)),
      resync_(base::picoseconds(config.flow.resync_ns * 1000)),
      channels_(static_cast<std::size_t>(config.virtual_channels)) {}

void credit_sender::announce_buffers() {
  for (int v = 0; v < config_.virtual_channels; ++v) {
    channel& c = channels_[v];
    c.granted = c.told = config_.lane_buffer_bytes();
    control_.first_credit(v, c.granted);
  }
}

void credit_sender::freed(int virtual_channel, std::int64_t bytes, const sc_time& now) {
  channel& c = channels_[virtual_channel];
  c.granted += bytes;
  if (c.stuck) return;
  if (period_ == sc_core::SC_ZERO_TIME)
    update(virtual_channel, now);
  else
    next_ = std::min(next_, update_time(now));
}

void credit_sender::run(const sc_time& now) {
  if (now < next_) return;
  next_ = sc_core::sc_max_time();
  for (int v = 0; v < config_.virtual_channels; ++v)
    if (channels_[v].told != channels_[v].granted && !channels_[v].stuck) update(v, now);
}

void credit_sender::update(int virtual_channel, const sc_time& now) {
  channel& c = channels_[virtual_channel];
  ++statistics_.credit_updates_sent;
  if (control_.credit(virtual_channel, c.granted, latency_)) {
    c.told = c.granted;
  } else {
    ++statistics_.credit_updates_lost;
    next_ = std::min(next_, next_multiple(now, period_ > sc_core::SC_ZERO_TIME ? period_ : resync_));
  }
}

void credit_sender::stick(int virtual_channel, bool stuck, const sc_time& now) {
  channel& c = channels_[virtual_channel];
  c.stuck = stuck;
  c.stuck_since = now;
  if (!stuck && c.told != c.granted) update(virtual_channel, now);
}

std::string credit_sender::why_blocked(const std::string& own_name) const {
  std::string reasons;
  for (int v = 0; v < config_.virtual_channels; ++v) {
    const channel& c = channels_[v];
    if (c.told == c.granted) continue;
    if (c.stuck)
      reasons += fmt::format(
          "{}: credits of virtual channel {} are stuck since {}: {} B per lane were freed, the sender "
          "was not told\n",
          own_name, v, c.stuck_since.to_string(), c.granted - c.told);
    else if (next_ == sc_core::sc_max_time())
      reasons += fmt::format(
          "{}: a credit update of virtual channel {} was lost, and none repeats it (flow.resync_ns = "
          "0): {} B per lane were freed, the sender does not know\n",
          own_name, v, c.granted - c.told);
  }
  return reasons;
}

}  // namespace scribeline::link
