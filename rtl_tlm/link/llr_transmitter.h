// The sending end of link-layer retry.
#pragma once

#include <cstdint>

#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/llr_config.h"
#include "rtl_tlm/link/llr_sequence.h"
#include "rtl_tlm/link/ring_queue.h"

namespace scribeline::link {

// Numbers frames, keeps them until they are acknowledged and sends them again on demand. Knows no time: whoever owns it
// runs the replay timer, restarted whenever one of the calls returns true.
//
// `first` is the oldest frame that is not acknowledged, `next` the number of the next new frame; first == next when the
// replay buffer is empty. An acknowledgement is valid when it is of a frame in the buffer, a NACK when it asks for one
// or for `next`.
//
//   state   event                   action                                           next state
//   normal  new frame, room for it  number it `next`, keep it                        normal
//   normal  valid ACK n             drop first..n, replays = 0                       normal
//   normal  valid NACK n            drop first..n-1 (replays = 0 if any), begin at n replay; n == next: normal
//   normal  timeout, not empty      begin at first                                   replay
//   replay  frame sent again        go on to the one after it                        replay; last one: normal
//   replay  valid ACK n             drop first..n, replays = 0, skip those not sent  replay; none left: normal
//   replay  valid NACK n            drop first..n-1 (replays = 0 if any), begin at n replay; n == next: normal
//   replay  timeout                 begin at first                                   replay
//   any     ACK, NACK not valid     none: old news                                   same
//   any     begin, replays == limit give up                                          down
//   down    ACK, NACK, timeout      none                                             down
//   any     end, peer expects n     drop first..n-1                                  down
// "begin" counts one replay. New frames wait while a replay is on.
class llr_transmitter {
 public:
  enum class state { normal, replay, down };

  explicit llr_transmitter(const llr_config& config) : config_(config) {}

  state current() const { return state_; }
  bool empty() const { return kept_.empty(); }
  std::int64_t frames() const { return static_cast<std::int64_t>(kept_.size()); }
  std::int64_t bytes() const { return bytes_; }
  int replays() const { return replays_; }
  llr_sequence first() const { return first_; }
  llr_sequence next() const { return first_.plus(static_cast<std::uint32_t>(kept_.size())); }
  frame& at(std::int64_t i) { return *kept_.at(static_cast<std::size_t>(i)).what; }

  // Whether a new frame of `wire_bytes` may be sent.
  bool accepts(std::int64_t wire_bytes) const {
    return state_ == state::normal && bytes_ + wire_bytes <= config_.replay_buffer_bytes &&
           kept_.size() < llr_sequence::count / 4;
  }
  // Numbers a new frame and keeps a reference. True when it is the only one.
  bool add(frame& f, std::int64_t wire_bytes);

  // The frame to send now in state replay, and its wire bytes. The reference is the buffer's: an owner that sends a
  // copy puts it there, with the count of references moved along.
  struct kept_frame {
    frame* what = nullptr;
    std::int64_t wire_bytes = 0;
  };
  kept_frame& replay_front() { return kept_.at(cursor_); }
  void replay_front_sent();

  // Each returns whether the timer is to be restarted.
  bool ack(llr_sequence n);
  bool nack(llr_sequence n);
  bool timeout();

  // Numbers the next frame `sequence`; only while empty: initialisation.
  void start_at(llr_sequence sequence) { first_ = sequence; }
  // The end of the link. The peer expects `n` next, so all before it arrived.
  void end(llr_sequence n);
  // Drops what is kept.
  void clear() { drop(kept_.size()); }

 private:
  void drop(std::size_t n);
  bool begin();

  const llr_config& config_;
  state state_ = state::normal;
  llr_sequence first_;
  ring_queue<kept_frame> kept_;
  std::int64_t bytes_ = 0;
  std::size_t cursor_ = 0;  // of the replay, in kept_
  int replays_ = 0;         // since the last progress
};

}  // namespace scribeline::link
