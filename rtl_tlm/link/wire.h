// The sending side of the wire: rate, errors, and the frame on it.
#pragma once

#include <cstdint>
#include <systemc>

#include "rtl_tlm/link/error_process.h"
#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/port_observer.h"
#include "rtl_tlm/link/port_statistics.h"

namespace scribeline::link {

// Part of `port`. Sends one frame after the other: start() occupies the wire and settles what becomes of the frame,
// transport() hands it to the peer.
class wire {
 public:
  using socket = tlm::tlm_initiator_socket<64, link_protocol_types>;

  wire(const link_config& config, socket& to_peer, const error_process& errors, port_statistics& statistics);

  // End of the frame being sent, or of the last one.
  const sc_core::sc_time& free_at() const { return free_at_; }
  void start(frame& f, const sc_core::sc_time& now);
  void transport(frame& f);
  // Ends the frame being sent now, unless its receiver has begun to pass it on.
  void cut(const sc_core::sc_time& now);

  // Of lanes x serdes_lanes; frames take longer from the next on.
  void use_lanes(int up);

  void add_unfinished(port_statistics& s) const;
  void observe(port_observer* observer) { observer_ = observer; }

 private:
  sc_core::sc_time time_of(std::int64_t payload);

  const link_config& config_;
  socket& to_peer_;
  error_process errors_;
  port_statistics& statistics_;
  port_observer* observer_ = nullptr;
  const sc_core::sc_time latency_;
  double lane_gbps_;
  sc_core::sc_time free_at_;
  frame* current_ = nullptr;  // kept with retry, to be cut
  // Most frames are as long as the one before.
  std::int64_t last_payload_ = -1;
  sc_core::sc_time last_time_;
};

}  // namespace scribeline::link
