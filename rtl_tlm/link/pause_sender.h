// Priority flow control, receiving end: stops and lets go virtual channels by the filling of their buffers.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/control_sender.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/port_statistics.h"

namespace scribeline::link {

// Part of `port`. A pause message lost on the wire is repeated at the next multiple of flow.resync_ns, as pause frames
// are refreshed before their time runs out. Bytes are of one lane.
class pause_sender {
 public:
  pause_sender(const link_config& config, control_sender& control, port_statistics& statistics);

  void occupied(int virtual_channel, std::int64_t bytes, const sc_core::sc_time& now);
  // Sends the messages that are due.
  void run(const sc_core::sc_time& now);
  // When run() is due next.
  const sc_core::sc_time& next() const { return next_; }

 private:
  struct channel {
    bool stopped = false;
    bool told_stopped = false;
  };

  void tell(int virtual_channel, const sc_core::sc_time& now);

  control_sender& control_;
  port_statistics& statistics_;
  const sc_core::sc_time latency_;
  const sc_core::sc_time resync_;
  const std::int64_t stop_above_;
  const std::int64_t go_at_;
  std::vector<channel> channels_;
  sc_core::sc_time next_ = sc_core::sc_max_time();
};

}  // namespace scribeline::link
