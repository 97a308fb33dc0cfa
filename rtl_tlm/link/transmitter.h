// The sending half of a port: message queues, striping into frames, arbitration between virtual channels, credits.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/frame_handler.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/message.h"
#include "rtl_tlm/link/port_observer.h"
#include "rtl_tlm/link/port_statistics.h"
#include "rtl_tlm/link/ring_queue.h"

namespace scribeline::link {

// Part of `port`, which documents the timing. run() does all that is due now, and asks through `wake` to be called when
// next something may be: a frame ends, a delayed message becomes ready, a credit arrives. Credits that nobody waits for
// are taken in when the next frame needs them and cost no event; an observer has them reported at their time.
class transmitter {
 public:
  using socket = tlm::tlm_initiator_socket<64, link_protocol_types>;

  transmitter(const link_config& config, socket& to_peer, sc_core::sc_event& wake, port_statistics& statistics);

  void send(const message& m, const sc_core::sc_time& delay);
  // The peer's buffer has had room for `granted` bytes per lane so far; usable from `when` on.
  void credit(int virtual_channel, std::int64_t granted, const sc_core::sc_time& when);
  void run();

  // Queues a copy of a frame that arrived elsewhere.
  void forward(const frame& f, int virtual_channel, const sc_core::sc_time& delay);
  void attach(frame_handler* handler, int port) {
    handler_ = handler;
    port_ = port;
  }

  std::int64_t queued_messages() const { return queued_messages_; }
  // Parts of the statistics that are still growing.
  sc_core::sc_time ongoing_stall() const;
  sc_core::sc_time unfinished_busy() const;
  // One sentence per virtual channel that waits for credit.
  std::string why_blocked(const std::string& own_name, const std::string& peer_name) const;

  void observe(port_observer* observer) { observer_ = observer; }

 private:
  // A message of this port, or one frame that is passed on.
  struct queued_message {
    message content;
    sc_core::sc_time sent_at;
    std::int64_t bytes = 0;  // all lanes
    std::int64_t lane_bytes_left = 0;
    std::int64_t offset = 0;  // of the next frame in its message, per lane
    bool forwarded = false;
    bool completes = true;  // its last frame is the last of the message
  };
  // Byte counts are of one lane. Both sums only grow; their difference is the credit left.
  struct channel {
    ring_queue<queued_message> queue;
    std::int64_t queued_bytes = 0;  // sizes of the queued messages
    std::int64_t granted = 0;
    std::int64_t consumed = 0;
    std::int64_t peer_buffer = 0;  // the first grant
  };
  struct grant {
    int virtual_channel = 0;
    std::int64_t granted = 0;
  };

  void admit_ready_messages(const sc_core::sc_time& now);
  void enqueue(const queued_message& m, const sc_core::sc_time& ready);
  void queue(const queued_message& m);
  void take_in_credits(const sc_core::sc_time& now);
  std::int64_t next_frame_bytes(const channel& c) const;
  bool may_send(const channel& c) const;
  int choose_channel() const;
  void start_frame(int virtual_channel, const sc_core::sc_time& now);
  void finish_message(int virtual_channel);
  void note_idle(const sc_core::sc_time& now);
  void wake_at_next(const sc_core::sc_time& now);

  const link_config& config_;
  socket& to_peer_;
  sc_core::sc_event& wake_;
  port_statistics& statistics_;
  port_observer* observer_ = nullptr;
  frame_handler* handler_ = nullptr;
  int port_ = 0;
  const sc_core::sc_time latency_;

  frame_pool frames_;
  std::vector<channel> channels_;
  timed_queue<queued_message> delayed_;
  timed_queue<grant> credits_;
  std::int64_t queued_messages_ = 0;  // delayed ones included
  std::int64_t queued_bytes_ = 0;
  std::int64_t ready_messages_ = 0;  // in a channel's queue
  int last_channel_ = 0;
  sc_core::sc_time free_at_;  // end of the frame being sent, or of the last one
  bool running_ = false;      // run() is on the stack
  bool stalled_ = false;
  sc_core::sc_time stalled_since_;
  bool shown_busy_ = false;  // what the observer knows
};

}  // namespace scribeline::link
