// The receiving half of a port: judges frames, puts them together to messages, keeps the receive buffer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/ack_sender.h"
#include "rtl_tlm/link/credit_sender.h"
#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/frame_handler.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/llr_receiver.h"
#include "rtl_tlm/link/message.h"
#include "rtl_tlm/link/pause_sender.h"
#include "rtl_tlm/link/port_observer.h"
#include "rtl_tlm/link/port_statistics.h"
#include "rtl_tlm/link/ring_queue.h"

namespace scribeline::link {

// Part of `port`. Frames are handled when their last bit is in, those for a frame_handler when their first is: run()
// does all that is due now and asks through `wake` to be called for the next.
class receiver {
 public:
  using socket = control_sender::socket;

  receiver(const link_config& config, const std::string& owner, socket& to_peer, const error_process& control_errors,
           sc_core::sc_event& wake, port_statistics& statistics);

  // Grants the whole buffer of every virtual channel.
  void announce_buffers();
  // Takes a frame whose first bit arrives at `first_bit`.
  void accept(frame& f, const sc_core::sc_time& first_bit);
  void run();

  // Frames go to the handler from now on, and none is put together here.
  void attach(frame_handler* handler, int port, announce announced);
  bool frames_are_handled() const { return handler_of_frames_ != nullptr; }
  std::int64_t occupied(int virtual_channel) const { return channels_[virtual_channel].occupied; }
  // Room of one lane that becomes free at `when`.
  void free_bytes(int virtual_channel, std::int64_t lane_bytes, const sc_core::sc_time& when);

  void on_message(std::function<void(delivery&)> handler) { handler_ = std::move(handler); }
  std::optional<delivery> pop();
  const sc_core::sc_event& arrived() const { return arrived_; }
  // Of a message this receiver delivered and still holds.
  void release(delivery& d);
  std::int64_t unreleased(int virtual_channel) const { return channels_[virtual_channel].unreleased; }

  // Fault: see credit_sender::stick.
  void stick_credits(int virtual_channel, bool stuck);
  // The link is down: what is on the wire is lost, and so are the messages it belongs to.
  void take_down();
  llr_sequence expected() const { return llr_.expected(); }

  // One sentence per virtual channel whose buffer holds messages that were delivered and not released, or whose credits
  // do not get through.
  std::string why_blocked(const std::string& own_name) const;

  void observe(port_observer* observer) { observer_ = observer; }

 private:
  // Byte counts are of one lane.
  struct channel {
    std::int64_t occupied = 0;
    std::int64_t unreleased = 0;   // messages delivered and held
    std::int64_t assembled = 0;    // bytes of the message whose frames are arriving
    std::int64_t held = 0;         // of those, in the buffer
    std::uint64_t assembling = 0;  // the message they belong to
    std::uint64_t broken = 0;      // the last one that lost a frame
    message_data data;             // of all lanes, when the message carries some
  };
  struct freed {
    int virtual_channel = 0;
    std::int64_t lane_bytes = 0;
  };

  void first_bit(frame* f, const sc_core::sc_time& now);
  void last_bit(frame* f, const sc_core::sc_time& now);
  bool judge(const frame& f, const sc_core::sc_time& now);
  void lost(const frame& f, const sc_core::sc_time& now);
  bool take_in(const frame& f, const sc_core::sc_time& now);
  void assemble(const frame& f, const sc_core::sc_time& now);
  void drop_assembly(int virtual_channel, const sc_core::sc_time& now);
  void note_broken(channel& c, std::uint64_t message_number);
  void copy_data(const frame& f);
  void deliver(const frame& f);
  void free_now(int virtual_channel, std::int64_t lane_bytes, const sc_core::sc_time& now);
  void free_due(const sc_core::sc_time& now);
  void wake_at_next(const sc_core::sc_time& now);
  void show_buffer(int virtual_channel, const sc_core::sc_time& now);
  void show_retry();

  const link_config& config_;
  const std::string owner_;
  sc_core::sc_event& wake_;
  port_statistics& statistics_;
  port_observer* observer_ = nullptr;
  const sc_core::sc_time never_ = sc_core::sc_max_time();
  const sc_core::sc_time resync_;

  control_sender control_;
  credit_sender credits_;
  pause_sender pauses_;
  ack_sender acks_;
  llr_receiver llr_;

  std::vector<channel> channels_;
  timed_queue<frame*> arriving_;  // by last bit; by first bit when those are announced
  timed_queue<frame*> ending_;    // by last bit: begun at their first and not finished
  timed_queue<freed> freeing_;
  frame_handler* handler_of_frames_ = nullptr;
  int port_ = 0;
  bool announces_first_bit_ = false;
  bool tell_last_bit_ = false;
  bool down_ = false;
  bool shown_discarding_ = false;  // what the observer knows
  std::function<void(delivery&)> handler_;
  ring_queue<delivery> inbox_;
  sc_core::sc_event arrived_;
};

}  // namespace scribeline::link
