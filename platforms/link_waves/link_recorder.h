// Records one direction of a link as waves and as a track of the timeline.
//
// Waves in its scope
//   out              idle, sending, or no_credit: messages wait for room in the receiver's buffer
//   credit_percent   of the receiver's buffer, free
//   queued           messages waiting to leave
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/link/port_observer.h"
#include "rtl_tlm/trace/gtkw_view.h"
#include "rtl_tlm/trace/timeline_writer.h"
#include "rtl_tlm/trace/vcd_writer.h"

namespace scribeline::platforms {

// Observes the sending port.
class link_recorder final : public link::port_observer {
 public:
  link_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, const std::string& scope,
                const std::string& track, const link::link_config& link);

  void show(trace::gtkw_view& view) const;

  void transmit_started(const link::frame& f, const sc_core::sc_time& until) override;
  void transmit_idle() override;
  void queue_depth(int virtual_channel, std::int64_t messages) override;
  void credits(int virtual_channel, std::int64_t bytes) override;

 private:
  void update();

  double buffer_bytes_;
  bool sending_ = false;
  std::int64_t waiting_ = 0;
  trace::text_signal out_;
  trace::real_signal credit_;
  trace::unsigned_signal queued_;
  trace::timeline_track track_;
};

}  // namespace scribeline::platforms
