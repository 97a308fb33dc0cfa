// What a wave tracer or recorder may watch on a port.
#pragma once

#include <cstdint>
#include <systemc>

#include "rtl_tlm/link/message.h"

namespace scribeline::link {

class frame;
class port;

// Called when the value changes, at the simulated time of the change. A port without an observer pays one
// comparison. Byte counts are of the whole port, all lanes together.
class port_observer {
 public:
  // A frame occupies the transmitter until `until`; idle follows unless another frame does.
  virtual void transmit_started(const port&, const frame&, const sc_core::sc_time& until) {}
  virtual void transmit_idle(const port&) {}
  // Messages accepted by send() whose last frame has not left.
  virtual void queue_depth(const port&, int virtual_channel, std::int64_t messages) {}
  // Bytes the peer's receive buffer still has room for, as the sender knows it.
  virtual void credits(const port&, int virtual_channel, std::int64_t bytes) {}
  // Bytes in this port's own receive buffer.
  virtual void receive_buffer(const port&, int virtual_channel, std::int64_t bytes) {}
  virtual void message_arrived(const port&, const delivery&) {}

 protected:
  ~port_observer() = default;
};

}  // namespace scribeline::link
