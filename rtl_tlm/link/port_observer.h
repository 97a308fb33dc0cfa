// What a wave tracer or recorder may watch on a port.
#pragma once

#include <cstdint>
#include <systemc>

#include "rtl_tlm/link/message.h"

namespace scribeline::link {

class frame;

// Watches one port. Called when a value changes, at the simulated time of the change; a port without an observer pays
// one comparison for it. Byte counts are of the whole port, all lanes together.
class port_observer {
 public:
  virtual ~port_observer() = default;

  // A frame occupies the transmitter from now until `until`.
  virtual void transmit_started(const frame& /*f*/, const sc_core::sc_time& /*until*/) {}
  // The transmitter has nothing to send, or may not.
  virtual void transmit_idle() {}
  // Messages that may leave and whose last frame has not.
  virtual void queue_depth(int /*virtual_channel*/, std::int64_t /*messages*/) {}
  // Bytes the sender may still put into the peer's receive buffer.
  virtual void credits(int /*virtual_channel*/, std::int64_t /*bytes*/) {}
  // Bytes in this port's own receive buffer.
  virtual void receive_buffer(int /*virtual_channel*/, std::int64_t /*bytes*/) {}
  virtual void message_arrived(const delivery& /*d*/) {}
  // Link-layer retry: the sender replays or not, what its replay buffer holds, the receiver drops until the frame it
  // asked for comes or not.
  virtual void replaying(bool /*on*/) {}
  virtual void replay_buffer(std::int64_t /*frames*/, std::int64_t /*bytes*/) {}
  virtual void discarding(bool /*on*/) {}
  // The peer stops a virtual channel or lets it go.
  virtual void paused(int /*virtual_channel*/, bool /*on*/) {}
  virtual void link_down() {}
};

}  // namespace scribeline::link
