// The receiving half of a port: puts frames together again, keeps the receive buffer and grants credits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

// Part of `port`. Frames are handled when their last bit is in: run() does all that is due now and asks through `wake`
// to be called for the next.
class receiver {
 public:
  using socket = tlm::tlm_target_socket<64, link_protocol_types>;

  receiver(const link_config& config, socket& to_peer, sc_core::sc_event& wake, port_statistics& statistics);

  // Grants the whole buffer of every virtual channel.
  void announce_buffers();
  // Takes a frame whose first bit arrives at `first_bit`.
  void accept(frame& f, const sc_core::sc_time& first_bit);
  void run();

  // Frames go to the handler from now on, at their first bit, and none is put together here.
  void attach(frame_handler* handler, int port, bool tell_last_bit) {
    handler_of_frames_ = handler;
    port_ = port;
    tell_last_bit_ = tell_last_bit;
  }
  bool frames_are_handled() const { return handler_of_frames_ != nullptr; }
  void free_bytes(int virtual_channel, std::int64_t lane_bytes, const sc_core::sc_time& delay);
  std::int64_t occupied(int virtual_channel) const { return channels_[virtual_channel].occupied; }

  void on_message(std::function<void(delivery&)> handler) { handler_ = std::move(handler); }
  std::optional<delivery> pop();
  const sc_core::sc_event& arrived() const { return arrived_; }
  // Of a message this receiver delivered and still holds.
  void release(delivery& d);
  std::int64_t unreleased(int virtual_channel) const { return channels_[virtual_channel].unreleased; }

  // One sentence per virtual channel whose buffer holds messages that were delivered and not released.
  std::string why_blocked(const std::string& own_name) const;

  void observe(port_observer* observer) { observer_ = observer; }

 private:
  // Byte counts are of one lane.
  struct channel {
    std::int64_t occupied = 0;
    std::int64_t granted = 0;     // buffer size + all bytes ever freed
    std::int64_t unreleased = 0;  // messages delivered and held
    std::int64_t assembled = 0;   // bytes of the message whose frames are arriving
  };

  void handle(const frame& f);
  void announce(frame* f, const sc_core::sc_time& first_bit);
  void occupy(const frame& f);
  void deliver(const frame& f);
  void grant(int virtual_channel, const sc_core::sc_time& delay);
  void show_buffer(int virtual_channel) const;

  const link_config& config_;
  socket& to_peer_;
  sc_core::sc_event& wake_;
  port_statistics& statistics_;
  port_observer* observer_ = nullptr;
  const sc_core::sc_time credit_latency_;

  frame_pool credits_;
  std::vector<channel> channels_;
  timed_queue<frame*> arriving_;  // by last bit; by first bit when a handler of frames is attached
  timed_queue<frame*> ending_;    // announced to the handler, by last bit
  frame_handler* handler_of_frames_ = nullptr;
  int port_ = 0;
  bool tell_last_bit_ = false;
  std::function<void(delivery&)> handler_;
  ring_queue<delivery> inbox_;
  sc_core::sc_event arrived_;
};

}  // namespace scribeline::link
