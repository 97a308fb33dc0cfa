#include "rtl_tlm/link/receiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace scribeline::link {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

receiver::receiver(const link_config& config, const std::string& owner, socket& to_peer,
                   const error_process& control_errors, sc_core::sc_event& wake, port_statistics& statistics)
    : config_(config),
      owner_(owner),
      wake_(wake),
      statistics_(statistics),
      resync_(base::picoseconds(config.flow.resync_ns * 1000)),
      control_(to_peer, control_errors),
      credits_(config, control_, statistics),
      pauses_(config, control_, statistics),
      acks_(config, control_, statistics),
      channels_(static_cast<std::size_t>(config.virtual_channels)) {}

void receiver::announce_buffers() {
  if (config_.flow.kind == flow_control::credits) credits_.announce_buffers();
}

void receiver::attach(frame_handler* handler, int port, announce announced) {
  handler_of_frames_ = handler;
  port_ = port;
  announces_first_bit_ = announced != announce::last_bit;
  tell_last_bit_ = announced != announce::first_bit;
}

void receiver::accept(frame& f, const sc_time& first_bit) {
  if (down_) return;
  f.acquire();
  const sc_time due = announces_first_bit_ ? first_bit : first_bit + f.wire_time;
  const bool next_to_arrive = arriving_.empty() || due < arriving_.front().when;
  arriving_.insert(due, &f);
  // An event keeps the earliest of its pending notifications.
  if (next_to_arrive) wake_.notify(due - sc_time_stamp());
}

void receiver::run() {
  const sc_time now = sc_time_stamp();
  free_due(now);
  while (ending_.due(now))
    last_bit(ending_.take(), now);
  while (arriving_.due(now)) {
    frame* const f = arriving_.take();
    if (announces_first_bit_)
      first_bit(f, now);
    else
      last_bit(f, now);
  }
  acks_.run(now);
  credits_.run(now);
  pauses_.run(now);
  wake_at_next(now);
}

void receiver::wake_at_next(const sc_time& now) {
  sc_time next = std::min({acks_.next(), credits_.next(), pauses_.next()});
  if (!arriving_.empty()) next = std::min(next, arriving_.front().when);
  if (!ending_.empty()) next = std::min(next, ending_.front().when);
  // What is freed is of interest when an update takes it in, except to an observer.
  if (!freeing_.empty())
    next = std::min(next, observer_ != nullptr ? freeing_.front().when : credits_.update_time(freeing_.front().when));
  if (next != never_) wake_.notify(std::max(next, now) - now);
}

// With a handler: passes the frame on if it will be good, so that only the others need a look at their end.
void receiver::first_bit(frame* f, const sc_time& now) {
  const sc_time end = now + f->wire_time;
  const bool good = !f->corrupt && !f->cut && (!config_.llr.on || f->sequence == llr_.expected());
  if (!good) {
    ending_.insert(end, f);
    return;
  }
  f->accepted = true;
  if (config_.llr.on) {
    llr_.good(f->sequence);
    acks_.frame(llr_.expected(), end, now);
    show_retry();
  }
  const bool room = take_in(*f, now);
  if (room) handler_of_frames_->frame_arrives(port_, *f, end);
  if (room && tell_last_bit_)
    ending_.insert(end, f);
  else
    f->release();
}

void receiver::last_bit(frame* f, const sc_time& now) {
  if (f->accepted || (judge(*f, now) && take_in(*f, now))) {
    if (handler_of_frames_ != nullptr)
      handler_of_frames_->frame_is_in(port_, *f);
    else
      assemble(*f, now);
  }
  f->release();
}

// Whether a frame is to be delivered, and what its sender is to be told.
bool receiver::judge(const frame& f, const sc_time& now) {
  if (f.cut) return false;
  if (f.corrupt) ++statistics_.frames_bad;
  if (!config_.llr.on) {
    if (f.corrupt) lost(f, now);
    return !f.corrupt;
  }
  const llr_verdict verdict = f.corrupt ? llr_.bad() : llr_.good(f.sequence);
  switch (verdict) {
    case llr_verdict::deliver:
      acks_.frame(llr_.expected(), now, now);
      break;
    case llr_verdict::duplicate:
      ++statistics_.frames_repeated;
      acks_.frame(llr_.expected(), now, now);
      break;
    case llr_verdict::nack:
      acks_.nack(llr_.expected());
      [[fallthrough]];
    case llr_verdict::discard:
      if (!f.corrupt) ++statistics_.frames_skipped;
  }
  show_retry();
  return verdict == llr_verdict::deliver;
}

// Without retry: the room kept for the frame is of no use to anyone until the next comparison of what was sent and what
// arrived.
void receiver::lost(const frame& f, const sc_time& now) {
  channels_[f.virtual_channel].occupied += f.payload_bytes;
  if (config_.flow.kind == flow_control::pause)
    free_now(f.virtual_channel, f.payload_bytes, now);
  else if (resync_ > sc_core::SC_ZERO_TIME)
    freeing_.insert(next_multiple(now, resync_), {f.virtual_channel, f.payload_bytes});
}

// Puts a good frame into the buffer. Credits promise that there is room; pause flow control hopes for it.
bool receiver::take_in(const frame& f, const sc_time& now) {
  free_due(now);
  channel& c = channels_[f.virtual_channel];
  statistics_.frames_received += config_.lanes;
  if (config_.flow.kind == flow_control::pause && c.occupied + f.payload_bytes > config_.lane_buffer_bytes()) {
    if (++statistics_.frames_overflowed == 1)
      SC_REPORT_WARNING(
          "/scribeline/link/headroom",
          fmt::format("{}: the receive buffer of virtual channel {} ({} B) overflows, frames are lost: "
                      "pause at {} B leaves a headroom of {} B, {} are enough; {} pause messages were lost",
                      owner_, f.virtual_channel, config_.receive_buffer_bytes, config_.pause_above(),
                      config_.receive_buffer_bytes - config_.pause_above(), pause_headroom(config_),
                      statistics_.pauses_lost)
              .c_str());
    return false;
  }
  c.occupied += f.payload_bytes;
  statistics_.peak_buffer_bytes = std::max(statistics_.peak_buffer_bytes, c.occupied * config_.lanes);
  show_buffer(f.virtual_channel, now);
  return true;
}

void receiver::assemble(const frame& f, const sc_time& now) {
  channel& c = channels_[f.virtual_channel];
  // Of two messages the first may lack its end and the second as much of its beginning.
  const bool follows = f.offset == c.assembled && (f.offset == 0 || f.origin_number == c.assembling);
  if (!follows) drop_assembly(f.virtual_channel, now);
  if (!follows && f.offset > 0) {
    // The rest of a message whose beginning is lost.
    free_now(f.virtual_channel, f.payload_bytes, now);
    note_broken(c, f.origin_number);
    return;
  }
  c.assembled += f.payload_bytes;
  c.assembling = f.origin_number;
  if (f.content.data) copy_data(f);
  if (config_.policy == buffer_policy::drain_on_arrival)
    free_now(f.virtual_channel, f.payload_bytes, now);
  else
    c.held += f.payload_bytes;
  if (f.last) deliver(f);
}

void receiver::drop_assembly(int virtual_channel, const sc_time& now) {
  channel& c = channels_[virtual_channel];
  if (c.assembled == 0) return;
  if (c.held > 0) free_now(virtual_channel, c.held, now);
  c.assembled = c.held = 0;
  c.data.clear();
  note_broken(c, c.assembling);
}

void receiver::note_broken(channel& c, std::uint64_t message_number) {
  if (c.broken != message_number) ++statistics_.messages_broken;
  c.broken = message_number;
}

// Lanes are equal: what the frames side by side carry lies together in the message.
void receiver::copy_data(const frame& f) {
  const message_data& sent = *f.content.data;
  const std::int64_t from = f.offset * config_.lanes;
  const std::int64_t to = std::min<std::int64_t>((f.offset + f.payload_bytes) * config_.lanes, f.content.size.value());
  channels_[f.virtual_channel].data.insert(channels_[f.virtual_channel].data.end(), sent.begin() + from,
                                           sent.begin() + to);
}

void receiver::deliver(const frame& f) {
  channel& c = channels_[f.virtual_channel];
  delivery d;
  d.content = f.content;
  if (f.content.data) {
    d.content.data = std::make_shared<const message_data>(std::move(c.data));
    c.data = {};
  }
  d.sent_at = f.sent_at;
  d.arrived_at = sc_time_stamp();
  if (config_.policy == buffer_policy::hold_until_release) {
    d.held_bytes = c.held;
    ++c.unreleased;
  }
  c.assembled = c.held = 0;
  ++statistics_.messages_received;
  statistics_.message_bytes_received += f.content.size.value();
  if (observer_ != nullptr) observer_->message_arrived(d);
  if (handler_) {
    handler_(d);
    return;
  }
  inbox_.push_back(d);
  arrived_.notify(sc_core::SC_ZERO_TIME);
}

std::optional<delivery> receiver::pop() {
  if (inbox_.empty()) return std::nullopt;
  const delivery d = inbox_.front();
  inbox_.pop_front();
  return d;
}

void receiver::release(delivery& d) {
  const int v = d.content.virtual_channel;
  --channels_[v].unreleased;
  free_bytes(v, d.held_bytes, sc_time_stamp());
  d.held_bytes = 0;
}

void receiver::free_bytes(int virtual_channel, std::int64_t lane_bytes, const sc_time& when) {
  const sc_time now = sc_time_stamp();
  if (when > now) {
    const bool first_of_all = freeing_.empty() || when < freeing_.front().when;
    freeing_.insert(when, {virtual_channel, lane_bytes});
    if (!first_of_all) return;
  } else {
    free_now(virtual_channel, lane_bytes, now);
  }
  wake_at_next(now);
}

void receiver::free_due(const sc_time& now) {
  while (freeing_.due(now)) {
    const sc_time when = freeing_.front().when;
    const freed f = freeing_.take();
    free_now(f.virtual_channel, f.lane_bytes, when);
  }
}

void receiver::free_now(int virtual_channel, std::int64_t lane_bytes, const sc_time& now) {
  channels_[virtual_channel].occupied -= lane_bytes;
  show_buffer(virtual_channel, now);
  if (config_.flow.kind == flow_control::credits && !down_) credits_.freed(virtual_channel, lane_bytes, now);
}

void receiver::show_buffer(int virtual_channel, const sc_time& now) {
  const std::int64_t occupied = channels_[virtual_channel].occupied;
  if (config_.flow.kind == flow_control::pause && !down_) pauses_.occupied(virtual_channel, occupied, now);
  if (observer_ != nullptr) observer_->receive_buffer(virtual_channel, occupied * config_.lanes);
}

void receiver::show_retry() {
  const bool discarding = llr_.current() == llr_receiver::state::discard;
  if (observer_ == nullptr || discarding == shown_discarding_) return;
  shown_discarding_ = discarding;
  observer_->discarding(discarding);
}

void receiver::stick_credits(int virtual_channel, bool stuck) {
  credits_.stick(virtual_channel, stuck, sc_time_stamp());
}

void receiver::take_down() {
  down_ = true;
  while (!arriving_.empty())
    arriving_.take()->release();
  // What a handler was told of ends as it was told.
  for (int v = 0; v < config_.virtual_channels; ++v)
    drop_assembly(v, sc_time_stamp());
}

std::string receiver::why_blocked(const std::string& own_name) const {
  std::string reasons;
  for (int v = 0; v < config_.virtual_channels; ++v) {
    const channel& c = channels_[v];
    if (c.unreleased == 0) continue;
    reasons += fmt::format(
        "{}: {} delivered messages hold the receive buffer of virtual channel {} ({} of {} B per "
        "lane) until they are released\n",
        own_name, c.unreleased, v, c.occupied, config_.lane_buffer_bytes());
  }
  return reasons + credits_.why_blocked(own_name);
}

}  // namespace scribeline::link
