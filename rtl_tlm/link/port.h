// One end of a full-duplex Ethernet link.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>

#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/message.h"
#include "rtl_tlm/link/port_observer.h"
#include "rtl_tlm/link/port_statistics.h"
#include "rtl_tlm/link/receiver.h"
#include "rtl_tlm/link/transmitter.h"

namespace scribeline::link {

// Sends messages as frames under credit-based flow control and puts arriving ones together again.
//
//     port a{"a", config}, b{"b", config};
//     connect(a, b);
//     b.on_message([&](delivery& d) { ...; b.release(d); });
//     a.send(m);
//
// Striping: all lanes are equal, so one representative lane is simulated. It carries ceil(size / lanes) bytes of
// each message in frames of at most frame_payload_bytes, none of which mixes messages. A message of size 0 is one
// frame of padding.
//
// Timing, to the picosecond, per frame:
//   serialisation = (max(payload, min_frame_payload) + frame_overhead) x 8 / lane_gbps, rounded to 1 ps
//   arrival (last bit) = start + latency + serialisation
//   start = when all of these hold: the message was sent and its delay is over, the frames before it on its virtual
//           channel have left, the transmitter is free, credit for the payload bytes is there, its channel's turn
// Virtual channels take turns frame by frame (round robin over those that can send).
// Credits: each virtual channel may have receive_buffer_bytes / lanes (rounded down) per lane in the peer's buffer or
// under way to it; they come back credit_latency after the peer frees bytes. The peer announces its buffer at time 0.
//
// Not modelled: the bandwidth credits take on the return path; clock tolerance; unequal lanes; errors and retry.
//
// Errors (SC_REPORT_ERROR): /scribeline/link/config, /scribeline/link/virtual_channel, /scribeline/link/size,
// /scribeline/link/release, /scribeline/link/unsupported, /scribeline/link/protocol.
class port : public sc_core::sc_module, private link_fw_if, private link_bw_if {
 public:
  tlm::tlm_initiator_socket<64, link_protocol_types> tx{"tx"};
  tlm::tlm_target_socket<64, link_protocol_types> rx{"rx"};

  port(const sc_core::sc_module_name& name, const link_config& config);

  const link_config& config() const { return config_; }

  // Queues a message, to be sent no earlier than `delay` from now. Never blocks; the queue is unbounded. Messages of
  // one virtual channel leave in the order of their ready times, and of the calls where these are equal.
  void send(const message& m, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME);

  // Who gets arriving messages, called from a method process at their arrival. Without it they wait for pop().
  void on_message(std::function<void(delivery&)> handler) { handler_ = std::move(handler); }

  // The oldest message that arrived and was not taken yet, and the event that tells there is one.
  std::optional<delivery> pop();
  const sc_core::sc_event& arrived() const { return arrived_; }

  // Frees the buffer space of a delivered message. Under drain_on_arrival there is nothing to free and the call may
  // be left out.
  void release(delivery& d);

  // Messages accepted by send() whose last frame has not left.
  std::int64_t queued_messages() const { return transmitter_.queued_messages(); }
  bool idle() const { return transmitter_.queued_messages() == 0; }

  // Why messages wait here, and on whom, for a report of a run that makes no progress; empty when none does.
  std::string why_blocked() const;

  const port_statistics& statistics() const;

  void observe(port_observer* observer);

 private:
  // to be written with the implementation
  const link_config config_;
};

// Binds both directions.
void connect(port& a, port& b);

}  // namespace scribeline::link
