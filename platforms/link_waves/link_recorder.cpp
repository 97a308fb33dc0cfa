#include "platforms/link_waves/link_recorder.h"

namespace scribeline::platforms {

link_recorder::link_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, const std::string& scope,
                             const std::string& track, const link::link_config& link)
    : buffer_bytes_(static_cast<double>(link.receive_buffer_bytes)),
      out_(vcd.add_text(scope, "out", "idle")),
      credit_(vcd.add_real(scope, "credit_percent", 100)),
      queued_(vcd.add_unsigned(scope, "queued", 16)),
      track_(timeline.add_track(track, "link out")) {}

void link_recorder::show(trace::gtkw_view& view) const {
  view.show(out_).show(credit_, trace::display::analog).show(queued_);
}

void link_recorder::transmit_started(const link::frame&, const sc_core::sc_time& until) {
  sending_ = true;
  update();
  track_.span("frame", sc_core::sc_time_stamp(), until);
}

void link_recorder::transmit_idle() {
  sending_ = false;
  update();
}

void link_recorder::queue_depth(int, std::int64_t messages) {
  waiting_ = messages;
  queued_.set(static_cast<std::uint64_t>(messages));
  update();
}

void link_recorder::credits(int, std::int64_t bytes) {
  credit_.set(100 * static_cast<double>(bytes) / buffer_bytes_);
}

void link_recorder::update() {
  out_.set(sending_ ? "sending" : waiting_ > 0 ? "no_credit" : "idle");
}

}  // namespace scribeline::platforms
