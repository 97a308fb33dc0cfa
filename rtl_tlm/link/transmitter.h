// The sending half of a port: message queues, striping into frames, arbitration between virtual channels, flow control,
// retry.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/frame_handler.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/llr_transmitter.h"
#include "rtl_tlm/link/message.h"
#include "rtl_tlm/link/port_observer.h"
#include "rtl_tlm/link/port_statistics.h"
#include "rtl_tlm/link/ring_queue.h"
#include "rtl_tlm/link/wire.h"

namespace scribeline::link {

// Part of `port`, which documents the timing. run() does all that is due now, and asks through `wake` to be called when
// next something may be: a frame ends, a delayed message becomes ready, a credit arrives. Credits and acknowledgements
// that nobody waits for are taken in when the next frame needs them and cost no event; an observer has them reported at
// their time.
class transmitter {
 public:
  transmitter(const link_config& config, wire& to_peer, sc_core::sc_event& wake, port_statistics& statistics);

  void send(const message& m, const sc_core::sc_time& delay);
  // Queues a copy of a frame that arrived elsewhere.
  void forward(const frame& f, int virtual_channel, const sc_core::sc_time& delay);
  void attach(frame_handler* handler, int port) {
    handler_ = handler;
    port_ = port;
  }

  // A message of the backward path, to be acted upon from `when` on.
  void control(const frame& f, link_phase kind, const sc_core::sc_time& when);
  void run();

  // Called when the limit of replays is passed.
  void on_give_up(std::function<void()> action) { give_up_ = std::move(action); }
  llr_sequence oldest_unacknowledged() const { return llr_.first(); }
  // The link is down: sends nothing more. The peer expects `expected` next, so all frames before it arrived.
  void take_down(llr_sequence expected);
  // All messages of which not every frame is known to have arrived, in order within their channel; they leave the port.
  std::vector<message> take_back();

  std::int64_t queued_messages() const { return queued_messages_; }
  // Adds what is still growing.
  void add_unfinished(port_statistics& s) const;
  // One sentence per virtual channel that waits.
  std::string why_blocked(const std::string& own_name, const std::string& peer_name) const;

  void observe(port_observer* observer) { observer_ = observer; }

 private:
  // A message of this port, or one frame that is passed on.
  struct queued_message {
    message content;
    sc_core::sc_time sent_at;
    std::uint64_t number = 0;
    std::uint64_t origin = 0;  // number at the port that sent it first
    std::int64_t bytes = 0;    // all lanes
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
    bool paused = false;
  };
  struct control_message {
    link_phase kind = link_phase::credit;
    int virtual_channel = 0;
    std::int64_t granted = 0;
    llr_sequence sequence;
  };
  enum class stall { none, credit, replay_buffer };

  void enqueue(queued_message& m, const sc_core::sc_time& ready);
  void admit_ready_messages(const sc_core::sc_time& now);
  void queue(const queued_message& m);

  void take_in_control(const sc_core::sc_time& now);
  void take_in_credit(const control_message& m);
  void take_in_ack(const control_message& m, const sc_core::sc_time& when, const sc_core::sc_time& now);
  void check_replay_timer(const sc_core::sc_time& now);
  void settle_retry(bool restart_timer, const sc_core::sc_time& when);
  void show_retry();

  std::int64_t next_frame_bytes(const channel& c) const;
  bool has_credit(const channel& c) const {
    return !c.queue.empty() && !c.paused && next_frame_bytes(c) <= c.granted - c.consumed;
  }
  bool has_replay_room(const channel& c) const {
    return !config_.llr.on || llr_.accepts(wire_bytes(config_, next_frame_bytes(c)));
  }
  int choose_channel() const;
  bool send_next(const sc_core::sc_time& now);
  void start_frame(int virtual_channel, const sc_core::sc_time& now);
  void replay_frame(const sc_core::sc_time& now);
  void finish_message(int virtual_channel);

  stall why_idle() const;
  void note_idle(const sc_core::sc_time& now);
  void end_stall(const sc_core::sc_time& now);
  void add_stall(port_statistics& s, const sc_core::sc_time& now) const;
  void wake_at_next(const sc_core::sc_time& now);

  const link_config& config_;
  wire& wire_;
  sc_core::sc_event& wake_;
  port_statistics& statistics_;
  port_observer* observer_ = nullptr;
  frame_handler* handler_ = nullptr;
  int port_ = 0;
  std::function<void()> give_up_;

  frame_pool frames_;
  std::vector<channel> channels_;
  timed_queue<queued_message> delayed_;
  timed_queue<control_message> control_;
  std::int64_t nacks_waiting_ = 0;  // in control_
  std::uint64_t messages_ = 0;
  std::int64_t queued_messages_ = 0;  // delayed ones included
  std::int64_t queued_bytes_ = 0;
  std::int64_t ready_messages_ = 0;  // in a channel's queue
  int last_channel_ = 0;

  llr_transmitter llr_;
  const sc_core::sc_time never_ = sc_core::sc_max_time();
  const sc_core::sc_time replay_timeout_;
  sc_core::sc_time replay_deadline_ = never_;

  bool running_ = false;  // run() is on the stack
  bool down_ = false;
  stall stall_ = stall::none;
  sc_core::sc_time stalled_since_;
  bool shown_busy_ = false;  // what the observer knows
  bool shown_replaying_ = false;
  std::int64_t shown_kept_ = 0;
};

}  // namespace scribeline::link
