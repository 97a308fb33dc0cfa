// What a module is told that works on frames, not on messages: a cut-through switch.
#pragma once

#include <systemc>

#include "rtl_tlm/link/frame.h"

namespace scribeline::link {

// What a handler is told of a frame that arrives. Each costs an event per frame; first bits are for those who pass
// frames on before they are complete, last bits for those who use them.
enum class announce { first_bit, last_bit, both };

// Attached to ports with port::attach; `port` is the number given there. Called from method processes of the port: must
// not wait. May call port::forward and port::free_buffer of any port.
//
//     void frame_arrives(int in, frame& f, const sc_time& last_bit) override {
//       const int out = route(f.content);
//       // The last bit cannot leave before it came; a faster output therefore starts later than cut-through would.
//       ports[out].forward(f, f.virtual_channel, latency);
//     }
class frame_handler {
 public:
  virtual ~frame_handler() = default;

  // The first bit of a frame is here now, its last bit comes at `last_bit`. From now on the frame occupies the receive
  // buffer of its virtual channel, until port::free_buffer. Only frames that will turn out good are announced, in
  // order, each once. The frame lives as long as this call, or until the reference taken with acquire() is released; it
  // must not be changed.
  virtual void frame_arrives(int /*port*/, frame& /*f*/, const sc_core::sc_time& /*last_bit*/) {}

  // The last bit of the frame is here. On ports that announce last bits only, this is when the frame begins to occupy
  // the receive buffer.
  virtual void frame_is_in(int /*port*/, frame& /*f*/) {}

  // The first bit of a frame given to port::forward leaves now, the last at `last_bit`; replays are not told. The frame
  // is the copy that travels.
  virtual void frame_departs(int /*port*/, const frame& /*f*/, const sc_core::sc_time& /*last_bit*/) {}

  // The link at this port has gone down. Frames announced before end as they were announced; what port::take_back gives
  // did not arrive.
  virtual void link_is_down(int /*port*/) {}
};

}  // namespace scribeline::link
