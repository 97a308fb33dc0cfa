// One end of a full-duplex Ethernet link.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/frame_handler.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/message.h"
#include "rtl_tlm/link/port_observer.h"
#include "rtl_tlm/link/port_statistics.h"
#include "rtl_tlm/link/receiver.h"
#include "rtl_tlm/link/transmitter.h"
#include "rtl_tlm/link/wire.h"

namespace scribeline::link {

// Sends messages as frames, without loss as configured, and puts arriving ones together again.
//
//     port a{"a", config}, b{"b", config};
//     connect(a, b);
//     b.on_message([&](delivery& d) { ...; b.release(d); });
//     a.send(m);
//
// Striping: all lanes are equal, so one representative lane is simulated. It carries ceil(size / lanes) bytes of
// each message in frames of at most frame_payload_bytes, none of which mixes messages. A message too small to fill
// every lane still puts one (padded) frame on each.
//
// Timing, to the picosecond, per frame:
//   serialisation = (max(payload, min_frame_payload) + frame_overhead) x 8 / lane_gbps, rounded to 1 ps
//   arrival (last bit) = start + latency (+ error correction) + serialisation
//   start = when all of these hold: the message was sent and its delay is over, the frames before it on its virtual
//           channel have left, the transmitter is free, no replay is on, there is room in the replay buffer, credit for
//           the payload bytes is there (or the channel is not paused), its channel's turn
// Virtual channels take turns frame by frame (round robin over those that can send).
//
// Credits (flow_config): each virtual channel may have receive_buffer_bytes / lanes (rounded down) per lane in the
// peer's buffer or under way to it; they come back credit_latency after the peer frees bytes and its update leaves. The
// peer announces its buffer at time 0. Or pause: the peer stops a channel, which has effect credit_latency later at the
// next frame.
//
// Retry (llr_config, llr_transmitter.h, llr_receiver.h): a bad frame is noticed at its last bit; its NACK is acted upon
// ack_latency later, when the frame being sent is cut off and everything from the bad frame on is sent again, before
// anything new. Replays need no credit and are not paused. An acknowledgement leaves after ack_frames frames or
// ack_delay.
//
// Errors (error_config): whether a frame is bad is drawn when it is sent. Without retry it is lost with its message.
//
// Not modelled: the bandwidth that credits and acknowledgements take on the return path; a frame cut through that turns
// out bad at its end (it is not announced at all); errors that go unnoticed; training of a link, also after it was
// down; clock tolerance; unequal lanes.
//
// Errors, reported by SC_REPORT_ERROR:
//   /scribeline/link/config           a parameter that cannot be (see link_config::problem)
//   /scribeline/link/message          a message without bytes, with data of another size, or on a virtual channel that
//                                     does not exist
//   /scribeline/link/buffer           a frame or message that the peer's buffer can never hold
//   /scribeline/link/release          a message released twice, or by a port that did not deliver it
//   /scribeline/link/protocol         a peer that breaks the rules of frame.h
//   /scribeline/link/headroom         (a warning, once) pause flow control with too little headroom loses frames
//   /scribeline/link/unsupported      blocking, debug or direct memory transport: a link has no memory
class port : public sc_core::sc_module, public link_fw_if, public link_bw_if {
 public:
  wire::socket tx{"tx"};
  receiver::socket rx{"rx"};

  port(const sc_core::sc_module_name& name, const link_config& config);

  const link_config& config() const { return config_; }

  // Queues a message, to be sent no earlier than `delay` from now. Never blocks; the queue is unbounded. Messages of
  // one virtual channel leave in the order of their ready times, and of the calls where these are equal.
  void send(const message& m, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME);

  // Who gets arriving messages: called from a method process at their arrival, so it must not wait. Without a handler
  // messages stay in the port until pop() takes them.
  void on_message(std::function<void(delivery&)> handler) { receiver_.on_message(std::move(handler)); }

  // The oldest message that arrived and was not popped yet, and the event that tells of an arrival.
  std::optional<delivery> pop() { return receiver_.pop(); }
  const sc_core::sc_event& arrived() const { return receiver_.arrived(); }

  // Gives the buffer space of a delivered message back; needed under hold_until_release, harmless under
  // drain_on_arrival.
  void release(delivery& d);

  // Frame by frame, for switches: from now on every arriving frame is handed to `handler`, at its first bit or as
  // `announced` says, and none is put together to messages here. To be called before the simulation starts; the handler
  // outlives it.
  void attach(frame_handler& handler, int port_number, announce announced = announce::first_bit);

  // Queues a copy of a frame that arrived on another port, to start no earlier than `delay` from now. Header, time of
  // sending and place in its message are kept; it travels on `virtual_channel`.
  void forward(const frame& f, int virtual_channel, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME);

  // Gives room in the receive buffer back, `lane_bytes` of it, at `delay` from now: for frames handed to a handler,
  // when they have left the switch.
  void free_buffer(int virtual_channel, std::int64_t lane_bytes, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME);

  // Messages accepted by send(), and frames by forward(), whose last frame has not left.
  std::int64_t queued_messages() const { return transmitter_.queued_messages(); }

  // Why messages wait here and on whom, one line each, for the report of a run that makes no progress; empty when
  // no message waits for credit here and none was left unreleased.
  std::string why_blocked() const;

  // Lanes that failed in the sending direction, of lanes x serdes_lanes: frames take longer from the next on. With none
  // left the link goes down. 0: all work again.
  void fail_lanes(int failed);
  // The link goes down, in both directions and for both ports. Frames on the wire are lost; nothing is sent any more.
  void take_down();
  bool is_down() const { return down_; }
  // Called on both ports, from a method process, when the link has gone down: by take_down(), by its lanes, or because
  // the limit of replays was passed.
  void on_down(std::function<void()> handler) { down_handler_ = std::move(handler); }
  // After the link went down: the messages that did not arrive at the peer, in order within their virtual channel. They
  // leave this port. With retry these are exactly those the peer did not deliver, or all that were not acknowledged
  // when the peer does not answer the phase `down`; without, what was on the wire is lost.
  std::vector<message> take_back();
  // Fault: this receiver's credit updates of the channel do not leave any more, or do again.
  void stick_credits(int virtual_channel, bool stuck = true);

  // Everything up to now.
  port_statistics statistics() const;

  // At most one observer, nullptr for none; it outlives the simulation.
  void observe(port_observer* observer);

 private:
  void start_of_simulation() override;
  tlm::tlm_sync_enum nb_transport_fw(frame& f, link_phase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(frame& f, link_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(frame& f, sc_core::sc_time& delay) override;
  unsigned int transport_dbg(frame& f) override;
  bool get_direct_mem_ptr(frame& f, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  void start() { receiver_.announce_buffers(); }
  void transmit() { transmitter_.run(); }
  void receive() { receiver_.run(); }
  void report_down();
  void go_down(llr_sequence peer_expects);
  bool has_channel(int virtual_channel) const {
    return virtual_channel >= 0 && virtual_channel < config_.virtual_channels;
  }
  std::string peer_name() const;
  void error(const char* id, const std::string& problem) const;

  const link_config config_;
  port_statistics statistics_;
  sc_core::sc_event transmit_due_{"transmit_due"};
  sc_core::sc_event receive_due_{"receive_due"};
  sc_core::sc_event went_down_{"went_down"};
  wire wire_;
  transmitter transmitter_;
  receiver receiver_;
  frame_pool farewell_;
  bool down_ = false;
  std::function<void()> down_handler_;
  frame_handler* frame_handler_ = nullptr;
  int port_number_ = 0;
};

// Binds both directions.
void connect(port& a, port& b);

}  // namespace scribeline::link
