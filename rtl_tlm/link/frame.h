// The transactions of the link protocol.
//
// Two ports talk through two socket pairs, one per direction. On each, data frames travel the forward path and
// what the receiver has to say about them (credits) the backward path:
//
//   phase   path      called                          annotated delay until
//   frame   forward   when the first bit is sent      the first bit reaches the receiver
//   credit  backward  when the receiver frees bytes   the sender may use them
//   pause,  backward  when the receiver's buffer      the sender stops or lets go the channel
//   resume            passes a threshold
//   ack,    backward  when the receiver acknowledges  the sender acts upon it
//   nack              or asks for a replay
//   down    forward   when a port gives the link up   no delay: the peer answers at once, TLM_COMPLETED
//
// The last bit of a frame follows its first by `wire_time`. Every call but `down` is answered with TLM_ACCEPTED and
// takes no simulated time. A callee that keeps the payload past the call acquires it and releases it when done.
// Calls on one path come in the order of their times on the wire.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "rtl_tlm/base/payload_pool.h"
#include "rtl_tlm/link/llr_sequence.h"
#include "rtl_tlm/link/message.h"

namespace scribeline::link {

enum class link_phase { frame, credit, pause, resume, ack, nack, down };

class frame;

class frame_memory {
 public:
  virtual void free(frame* f) = 0;

 protected:
  ~frame_memory() = default;
};

// Payload of both paths. With several lanes it stands for the frames that travel side by side, and its byte
// counts are those of one lane. Of a message with data it carries the bytes from `offset` to `offset + payload_bytes`,
// both times the lanes.
class frame {
 public:
  // phase frame
  message content;             // of the message it carries a piece of
  sc_core::sc_time sent_at;    // when the message was handed to the sending port
  sc_core::sc_time wire_time;  // first bit to last bit
  std::int64_t payload_bytes = 0;
  std::int64_t offset = 0;           // bytes of its message that travelled in frames before it
  bool last = false;                 // completes its message
  std::uint64_t message_number = 0;  // of the message among those of the sending port
  std::uint64_t origin_number = 0;   // the same at the port that sent it first, before switches forwarded it
  bool corrupt = false;              // does not survive the wire
  bool cut = false;                  // by the sender, on the way: not sent to its end, so no frame
  bool accepted = false;             // by the receiver: it has begun to pass the frame on

  // phase frame: number under link-layer retry. Phase ack: the last that arrived in sequence, all before it
  // included. Phase nack: the first that is missing. Phase down, caller's and answer: the next that is expected.
  llr_sequence sequence;

  // phase credit, and phase frame for the channel it travels on
  int virtual_channel = 0;
  // Bytes the receiver has ever made room for on this channel: buffer size + all that was freed. Cumulative, so
  // that a lost update is healed by the next one.
  std::int64_t granted_bytes = 0;

  void set_memory(frame_memory* memory) { memory_ = memory; }
  void acquire() { ++references_; }
  void release() {
    if (--references_ == 0) memory_->free(this);
  }
  int references() const { return references_; }
  void reset() {
    content.data.reset();
    offset = 0;
    last = false;
    corrupt = false;
    cut = false;
    accepted = false;
  }
  // Takes over what describes the frame, not what belongs to one transmission.
  void assign(const frame& f) {
    content = f.content;
    sent_at = f.sent_at;
    payload_bytes = f.payload_bytes;
    offset = f.offset;
    last = f.last;
    message_number = f.message_number;
    origin_number = f.origin_number;
    sequence = f.sequence;
    virtual_channel = f.virtual_channel;
  }

 private:
  frame_memory* memory_ = nullptr;
  int references_ = 0;
};

// Protocol traits: sockets of another protocol do not bind.
struct link_protocol_types {
  using tlm_payload_type = frame;
  using tlm_phase_type = link_phase;
};

using link_fw_if = tlm::tlm_fw_transport_if<link_protocol_types>;
using link_bw_if = tlm::tlm_bw_transport_if<link_protocol_types>;

// Recycles the frames of one port; outlives them as a member of that port.
class frame_pool final : public frame_memory {
 public:
  // A frame with reference count 1.
  frame* allocate() {
    frame* f = frames_.allocate();
    f->set_memory(this);
    f->acquire();
    return f;
  }
  void free(frame* f) override { frames_.free(f); }

  std::size_t capacity() const { return frames_.capacity(); }
  std::size_t in_flight() const { return frames_.in_flight(); }

 private:
  base::object_pool<frame> frames_;
};

}  // namespace scribeline::link
