// Sends what a receiver has to say to its peer's transmitter.
#pragma once

#include <systemc>

#include "rtl_tlm/link/error_process.h"
#include "rtl_tlm/link/frame.h"

namespace scribeline::link {

// Part of `port`: the backward path of frame.h. Messages may be lost on the wire, which the caller is told, so that
// only messages that change something need simulating: repeating one that arrived would change nothing.
class control_sender {
 public:
  using socket = tlm::tlm_target_socket<64, link_protocol_types>;

  control_sender(socket& to_peer, const error_process& errors) : to_peer_(to_peer), errors_(errors) {}

  // Acted upon by the peer after `delay`. Returns false when it is lost.
  bool credit(int virtual_channel, std::int64_t granted_bytes, const sc_core::sc_time& delay) {
    if (errors_.hits(1)) return false;
    send(link_phase::credit, virtual_channel, granted_bytes, {}, delay);
    return true;
  }
  bool pause(int virtual_channel, bool stop, const sc_core::sc_time& delay) {
    if (errors_.hits(1)) return false;
    send(stop ? link_phase::pause : link_phase::resume, virtual_channel, 0, {}, delay);
    return true;
  }
  bool acknowledge(link_phase kind, llr_sequence sequence, const sc_core::sc_time& delay) {
    if (errors_.hits(1)) return false;
    send(kind, 0, 0, sequence, delay);
    return true;
  }
  // Part of bringing the link up, which is repeated until it succeeds.
  void first_credit(int virtual_channel, std::int64_t granted_bytes) {
    send(link_phase::credit, virtual_channel, granted_bytes, {}, sc_core::SC_ZERO_TIME);
  }

 private:
  void send(link_phase kind, int virtual_channel, std::int64_t granted_bytes, llr_sequence sequence,
            sc_core::sc_time delay) {
    frame* const f = messages_.allocate();
    f->virtual_channel = virtual_channel;
    f->granted_bytes = granted_bytes;
    f->sequence = sequence;
    to_peer_->nb_transport_bw(*f, kind, delay);
    f->release();
  }

  socket& to_peer_;
  error_process errors_;
  frame_pool messages_;
};

// The first multiple of `period` after `now`: when something periodic happens next. Never for a period of zero.
inline sc_core::sc_time next_multiple(const sc_core::sc_time& now, const sc_core::sc_time& period) {
  if (period == sc_core::SC_ZERO_TIME) return sc_core::sc_max_time();
  return sc_core::sc_time::from_value((now.value() / period.value() + 1) * period.value());
}

}  // namespace scribeline::link
