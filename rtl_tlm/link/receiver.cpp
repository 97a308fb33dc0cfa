#include "rtl_tlm/link/receiver.h"

#include <fmt/format.h>

#include <algorithm>

namespace scribeline::link {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

receiver::receiver(const link_config& config, socket& to_peer, sc_core::sc_event& wake, port_statistics& statistics)
    : config_(config),
      to_peer_(to_peer),
      wake_(wake),
      statistics_(statistics),
      credit_latency_(base::picoseconds(config.credit_latency_ns * 1000)),
      channels_(static_cast<std::size_t>(config.virtual_channels)) {}

void receiver::announce_buffers() {
  for (int v = 0; v < config_.virtual_channels; ++v) {
    channels_[v].granted = config_.lane_buffer_bytes();
    grant(v, sc_core::SC_ZERO_TIME);
  }
}

void receiver::accept(frame& f, const sc_time& first_bit) {
  f.acquire();
  const sc_time due = handler_of_frames_ != nullptr ? first_bit : first_bit + f.wire_time;
  const bool next_to_arrive = arriving_.empty() || due < arriving_.front().when;
  arriving_.insert(due, &f);
  // An event keeps the earliest of its pending notifications.
  if (next_to_arrive) wake_.notify(due - sc_time_stamp());
}

void receiver::run() {
  const sc_time now = sc_time_stamp();
  while (ending_.due(now)) {
    frame* const f = ending_.take();
    handler_of_frames_->frame_is_in(port_, *f);
    f->release();
  }
  while (arriving_.due(now)) {
    frame* const f = arriving_.take();
    if (handler_of_frames_ != nullptr) {
      announce(f, now);
    } else {
      handle(*f);
      f->release();
    }
  }
  if (!arriving_.empty()) wake_.notify(arriving_.front().when - now);
  if (!ending_.empty()) wake_.notify(ending_.front().when - now);
}

void receiver::announce(frame* f, const sc_time& first_bit) {
  occupy(*f);
  const sc_time last_bit = first_bit + f->wire_time;
  handler_of_frames_->frame_arrives(port_, *f, last_bit);
  if (tell_last_bit_)
    ending_.insert(last_bit, f);
  else
    f->release();
}

void receiver::occupy(const frame& f) {
  channel& c = channels_[f.virtual_channel];
  statistics_.frames_received += config_.lanes;
  c.occupied += f.payload_bytes;
  statistics_.peak_buffer_bytes = std::max(statistics_.peak_buffer_bytes, c.occupied * config_.lanes);
  show_buffer(f.virtual_channel);
}

void receiver::handle(const frame& f) {
  occupy(f);
  channels_[f.virtual_channel].assembled += f.payload_bytes;
  if (config_.policy == buffer_policy::drain_on_arrival)
    free_bytes(f.virtual_channel, f.payload_bytes, sc_core::SC_ZERO_TIME);
  if (f.last) deliver(f);
}

void receiver::deliver(const frame& f) {
  channel& c = channels_[f.virtual_channel];
  delivery d;
  d.content = f.content;
  d.sent_at = f.sent_at;
  d.arrived_at = sc_time_stamp();
  if (config_.policy == buffer_policy::hold_until_release) {
    d.held_bytes = c.assembled;
    ++c.unreleased;
  }
  c.assembled = 0;
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
  free_bytes(v, d.held_bytes, sc_core::SC_ZERO_TIME);
  d.held_bytes = 0;
}

void receiver::free_bytes(int virtual_channel, std::int64_t lane_bytes, const sc_time& delay) {
  channel& c = channels_[virtual_channel];
  c.occupied -= lane_bytes;
  c.granted += lane_bytes;
  show_buffer(virtual_channel);
  grant(virtual_channel, delay + credit_latency_);
}

void receiver::grant(int virtual_channel, const sc_time& delay) {
  frame* const f = credits_.allocate();
  f->virtual_channel = virtual_channel;
  f->granted_bytes = channels_[virtual_channel].granted;
  link_phase phase = link_phase::credit;
  sc_time until_usable = delay;
  to_peer_->nb_transport_bw(*f, phase, until_usable);
  f->release();
}

void receiver::show_buffer(int virtual_channel) const {
  if (observer_ != nullptr)
    observer_->receive_buffer(virtual_channel, channels_[virtual_channel].occupied * config_.lanes);
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
  return reasons;
}

}  // namespace scribeline::link
