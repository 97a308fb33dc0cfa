// A cut-through switch with virtual output queues, multicast and reduction.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/port.h"
#include "rtl_tlm/switch/frame_store.h"
#include "rtl_tlm/switch/input_set.h"
#include "rtl_tlm/switch/network_header.h"
#include "rtl_tlm/switch/reducer.h"
#include "rtl_tlm/switch/switch_config.h"
#include "rtl_tlm/switch/switch_statistics.h"

namespace scribeline::switching {

// Passes frames from port to port by their network header (network_header.h).
//
//     switching::cut_through_switch s{"switch", config, link};
//     connect(accelerator.ports[0], s.ports[3]);
//     s.set_route(7, 3);  // rank 7 is behind port 3
//
// Timing: the first bit of a frame leaves latency_ns after it came, or when its output has sent what is before it. A
// frame that came slower than it leaves starts as much later as its last bit needs. An output is never idle while a
// frame for it is ready and its virtual channel has credit: N inputs that send B bytes each to one output are through
// at latency + N x B / rate.
//
// Queues: one for each input, output and virtual channel (virtual output queues), so that a frame waits for its own
// output and channel only. Each output takes the inputs of a channel in turn, frame by frame, and its port the channels
// that have credit. The crossbar is as fast as all ports together.
//
// Buffers: a frame occupies the receive buffer of its input and channel, the credits of the sender, from its first bit
// to the last bit of its last copy. Receive buffers are parts of one packet memory, which they cannot overfill
// (switch_config::buffer_bytes is checked); its occupation is counted.
//
// Multicast: every member but the sender's port gets a copy, each when its own output is free.
//
// Reduction: contributions of one sequence number are combined when those of all members of the group are completely
// here; the result leaves latency_ns + reduce_ns later to all members. Members must send their contributions in
// the same order. Contributions wait in the receive buffers, so a member that is late holds back the others by credit;
// give reductions a virtual channel of their own.
//
// A link that goes down: frames for it are dropped; endpoints send them again by another way.
//
// Not modelled: the finite speed-up of a real crossbar, bad frames that a cut-through switch passes on and marks (they
// cost bandwidth of the output only when errors are frequent), power.
//
// Errors, reported by SC_REPORT_ERROR:
//   /scribeline/switch/config      a parameter that cannot be, ports or buffers that do not fit
//   /scribeline/switch/route       a destination or group that is not known; the frame is dropped
//   /scribeline/switch/reduction   contributions out of order, or by no member
class cut_through_switch : public sc_core::sc_module, private link::frame_handler {
 public:
  sc_core::sc_vector<link::port> ports;

  // All ports have the link's config.
  cut_through_switch(const sc_core::sc_module_name& name, const switch_config& config, const link::link_config& link);

  const switch_config& config() const { return config_; }

  // Unicast frames to a destination leave through a port.
  void set_route(int destination, int port);
  // Members of a group, by port.
  void set_group(int group, const std::vector<int>& member_ports);

  // Called from a method process when the link of a port has gone down.
  void on_link_down(std::function<void(int port)> handler) { link_down_handler_ = std::move(handler); }

  switch_statistics statistics() const;
  // Frames that wait for an output on a virtual channel, the one in the port's output stage not counted.
  std::int64_t queued_frames(int output, int virtual_channel) const { return lane(output, virtual_channel).queued; }
  // Which outputs hold frames and on whom they wait, one line each; empty when the switch is.
  std::string why_blocked() const;
  void observe(switch_observer* observer) { observer_ = observer; }

 private:
  // One output on one virtual channel.
  struct output_lane {
    input_set inputs;         // with a frame for it
    int last_input = -1;      // that had its turn
    frame_slot staged = -1;   // handed to the port, not begun
    std::int64_t queued = 0;  // frames, besides the one staged
  };

  void frame_arrives(int input, link::frame& f, const sc_core::sc_time& last_bit) override;
  void frame_departs(int output, const link::frame& f, const sc_core::sc_time& last_bit) override;
  void link_is_down(int port) override;
  void contribute(int input, frame_slot slot, const network_header& n);
  void send_result(const reduction& done, int group);
  void multicast(const std::vector<int>& members, int except, int queue_input, frame_slot slot);
  void enqueue(int output, int queue_input, frame_slot slot);
  void stage_next(int output, int virtual_channel);
  int choose_input(int output, int virtual_channel) const;
  frame_slot take_from(int output, int virtual_channel, int input);
  void copy_is_gone(frame_slot slot, const sc_core::sc_time& last_bit);
  void leave(frame_slot slot, const sc_core::sc_time& last_bit);
  void drop_copy(frame_slot slot);
  void refuse(frame_slot slot, const std::string& problem);
  sc_core::sc_time ready_time(const link::frame& f, const sc_core::sc_time& last_bit);

  std::size_t lane_index(int output, int virtual_channel) const {
    return static_cast<std::size_t>(output) * static_cast<std::size_t>(channels_) +
           static_cast<std::size_t>(virtual_channel);
  }
  output_lane& lane(int output, int virtual_channel) { return lanes_[lane_index(output, virtual_channel)]; }
  const output_lane& lane(int output, int virtual_channel) const { return lanes_[lane_index(output, virtual_channel)]; }
  link::ring_queue<frame_slot>& queue(int output, int virtual_channel, int input) {
    return queues_[lane_index(output, virtual_channel) * static_cast<std::size_t>(config_.ports) +
                   static_cast<std::size_t>(input)];
  }
  const link::ring_queue<frame_slot>& queue(int output, int virtual_channel, int input) const {
    return const_cast<cut_through_switch*>(this)->queue(output, virtual_channel, input);
  }
  void error(const char* id, const std::string& problem) const;

  const switch_config config_;
  const link::link_config link_;
  const int channels_;
  const sc_core::sc_time latency_;
  const sc_core::sc_time reduce_;
  switch_statistics statistics_;
  switch_observer* observer_ = nullptr;
  std::function<void(int)> link_down_handler_;

  std::vector<int> routes_;               // by destination, -1: unknown
  std::vector<std::vector<int>> groups_;  // member ports
  std::vector<reducer> reducers_;         // by group
  mutable frame_store store_;
  std::vector<output_lane> lanes_;                    // by output and virtual channel
  std::vector<link::ring_queue<frame_slot>> queues_;  // by output, virtual channel and input
  std::vector<sc_core::sc_time> free_at_;             // by output: end of the frame that left last
  link::frame_pool results_;
  std::int64_t timed_bytes_ = -1;  // the size whose time is timed_
  sc_core::sc_time timed_;
};

}  // namespace scribeline::switching
