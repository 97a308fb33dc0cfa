// Acknowledgements of link-layer retry, gathered.
#pragma once

#include <systemc>

#include "rtl_tlm/link/control_sender.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/port_statistics.h"

namespace scribeline::link {

// Part of `port`: one acknowledgement for llr.ack_frames frames, or llr.ack_delay_ns after the last bit of the first of
// them. Nobody repeats one that is lost: the next covers it, or the sender's timer.
class ack_sender {
 public:
  ack_sender(const link_config& config, control_sender& control, port_statistics& statistics)
      : control_(control),
        statistics_(statistics),
        latency_(base::picoseconds(config.ack_path_ns() * 1000)),
        delay_(base::picoseconds(config.llr.ack_delay_ns * 1000)),
        most_frames_(config.llr.ack_frames) {}

  // One more frame is to be acknowledged, with all before `expected`; its last bit comes at `last_bit`.
  void frame(llr_sequence expected, const sc_core::sc_time& last_bit, const sc_core::sc_time& now) {
    expected_ = expected;
    if (++frames_ == 1) next_ = last_bit + delay_;
    if (frames_ >= most_frames_) send(last_bit - now);
  }
  void nack(llr_sequence expected) {
    ++statistics_.nacks_sent;
    settle();
    control_.acknowledge(link_phase::nack, expected, latency_);
  }
  void run(const sc_core::sc_time& now) {
    if (next_ <= now) send(sc_core::SC_ZERO_TIME);
  }
  // When run() is due next.
  const sc_core::sc_time& next() const { return next_; }

 private:
  void send(const sc_core::sc_time& from_now) {
    ++statistics_.acks_sent;
    settle();
    control_.acknowledge(link_phase::ack, expected_.previous(), from_now + latency_);
  }
  void settle() {
    frames_ = 0;
    next_ = never_;
  }

  control_sender& control_;
  port_statistics& statistics_;
  const sc_core::sc_time latency_;
  const sc_core::sc_time delay_;
  const int most_frames_;
  llr_sequence expected_;
  int frames_ = 0;  // that wait for an acknowledgement
  const sc_core::sc_time never_ = sc_core::sc_max_time();
  sc_core::sc_time next_ = never_;
};

}  // namespace scribeline::link
