// Credit-based flow control, receiving end: counts what was freed and tells the sender.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/control_sender.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/port_statistics.h"

namespace scribeline::link {

// Part of `port`. Credits are cumulative: all bytes the channel ever had room for, so that an update that is lost is
// made good by the next. Updates that are not made at once leave at multiples of flow.credit_update_ns, lost ones again
// at multiples of flow.resync_ns. Bytes are of one lane.
class credit_sender {
 public:
  credit_sender(const link_config& config, control_sender& control, port_statistics& statistics);

  void announce_buffers();
  void freed(int virtual_channel, std::int64_t bytes, const sc_core::sc_time& now);
  // When an update tells of what is freed at `when`.
  sc_core::sc_time update_time(const sc_core::sc_time& when) const {
    return period_ > sc_core::SC_ZERO_TIME ? next_multiple(when, period_) : when;
  }
  // Sends the updates that are due.
  void run(const sc_core::sc_time& now);
  // When run() is due next.
  const sc_core::sc_time& next() const { return next_; }

  // A fault: updates of this channel are not sent from now on; or are again, beginning with one at once.
  void stick(int virtual_channel, bool stuck, const sc_core::sc_time& now);
  std::string why_blocked(const std::string& own_name) const;

 private:
  struct channel {
    std::int64_t granted = 0;
    std::int64_t told = 0;  // by an update that arrived
    bool stuck = false;
    sc_core::sc_time stuck_since;
  };

  void update(int virtual_channel, const sc_core::sc_time& now);

  const link_config& config_;
  control_sender& control_;
  port_statistics& statistics_;
  const sc_core::sc_time latency_;
  const sc_core::sc_time period_;
  const sc_core::sc_time resync_;
  std::vector<channel> channels_;
  sc_core::sc_time next_ = sc_core::sc_max_time();
};

}  // namespace scribeline::link
