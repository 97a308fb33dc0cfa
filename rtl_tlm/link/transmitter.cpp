#include "rtl_tlm/link/transmitter.h"

#include <fmt/format.h>

#include <algorithm>

namespace scribeline::link {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

transmitter::transmitter(const link_config& config, socket& to_peer, sc_core::sc_event& wake,
                         port_statistics& statistics)
    : config_(config),
      to_peer_(to_peer),
      wake_(wake),
      statistics_(statistics),
      latency_(base::picoseconds(config.latency_ns * 1000)),
      channels_(static_cast<std::size_t>(config.virtual_channels)) {}

void transmitter::send(const message& m, const sc_time& delay) {
  queued_message queued;
  queued.content = m;
  queued.sent_at = sc_time_stamp() + delay;
  queued.bytes = m.size.value();
  queued.lane_bytes_left = lane_share(m.size, config_.lanes);
  enqueue(queued, queued.sent_at);
}

void transmitter::forward(const frame& f, int virtual_channel, const sc_time& delay) {
  queued_message queued;
  queued.content = f.content;
  queued.content.virtual_channel = virtual_channel;
  queued.sent_at = f.sent_at;
  queued.bytes = f.payload_bytes * config_.lanes;
  queued.lane_bytes_left = f.payload_bytes;
  queued.offset = f.offset;
  queued.forwarded = true;
  queued.completes = f.last;
  enqueue(queued, sc_time_stamp() + delay);
}

void transmitter::enqueue(const queued_message& m, const sc_time& ready) {
  const sc_time now = sc_time_stamp();
  ++queued_messages_;
  queued_bytes_ += m.bytes;
  statistics_.peak_queued_messages = std::max(statistics_.peak_queued_messages, queued_messages_);
  statistics_.peak_queued_bytes = std::max(statistics_.peak_queued_bytes, queued_bytes_);

  admit_ready_messages(now);
  if (ready > now)
    delayed_.insert(ready, m);
  else
    queue(m);
  if (!running_) run();
}

void transmitter::credit(int virtual_channel, std::int64_t granted, const sc_time& when) {
  credits_.insert(when, {virtual_channel, granted});
  if (stalled_ || observer_ != nullptr) wake_at_next(sc_time_stamp());
}

void transmitter::run() {
  const sc_time now = sc_time_stamp();
  running_ = true;
  admit_ready_messages(now);
  take_in_credits(now);
  while (free_at_ <= now) {
    const int chosen = choose_channel();
    if (chosen < 0) {
      note_idle(now);
      break;
    }
    start_frame(chosen, now);
  }
  running_ = false;
  wake_at_next(now);
}

void transmitter::admit_ready_messages(const sc_time& now) {
  while (delayed_.due(now))
    queue(delayed_.take());
}

void transmitter::queue(const queued_message& m) {
  channel& c = channels_[m.content.virtual_channel];
  c.queue.push_back(m);
  c.queued_bytes += m.bytes;
  ++ready_messages_;
  if (observer_ != nullptr)
    observer_->queue_depth(m.content.virtual_channel, static_cast<std::int64_t>(c.queue.size()));
}

void transmitter::take_in_credits(const sc_time& now) {
  while (credits_.due(now)) {
    const grant g = credits_.take();
    channel& c = channels_[g.virtual_channel];
    if (c.granted == 0) c.peer_buffer = g.granted;
    c.granted = std::max(c.granted, g.granted);
    if (observer_ != nullptr) observer_->credits(g.virtual_channel, (c.granted - c.consumed) * config_.lanes);
  }
}

std::int64_t transmitter::next_frame_bytes(const channel& c) const {
  return std::min(c.queue.front().lane_bytes_left, config_.frame_payload_bytes);
}

bool transmitter::may_send(const channel& c) const {
  return !c.queue.empty() && next_frame_bytes(c) <= c.granted - c.consumed;
}

// The next channel in turn that has a frame and the credit for it, or -1.
int transmitter::choose_channel() const {
  if (ready_messages_ == 0) return -1;
  for (int i = 1; i <= config_.virtual_channels; ++i) {
    const int candidate = (last_channel_ + i) % config_.virtual_channels;
    if (may_send(channels_[candidate])) return candidate;
  }
  return -1;
}

void transmitter::start_frame(int virtual_channel, const sc_time& now) {
  if (stalled_) {
    stalled_ = false;
    const sc_time stall = now - stalled_since_;
    statistics_.credit_stall += stall;
    if (stall > sc_core::SC_ZERO_TIME) ++statistics_.credit_stalls;
  }
  channel& c = channels_[virtual_channel];
  queued_message& m = c.queue.front();
  const std::int64_t payload = next_frame_bytes(c);

  frame* const f = frames_.allocate();
  f->content = m.content;
  f->sent_at = m.sent_at;
  f->virtual_channel = virtual_channel;
  f->payload_bytes = payload;
  f->wire_time = frame_time(config_, payload);
  f->offset = m.offset;
  const bool finishes = payload == m.lane_bytes_left;
  f->last = finishes && m.completes;
  const bool forwarded = m.forwarded;

  m.lane_bytes_left -= payload;
  m.offset += payload;
  c.consumed += payload;
  free_at_ = now + f->wire_time;
  last_channel_ = virtual_channel;
  statistics_.frames_sent += config_.lanes;
  statistics_.wire_bits_sent += wire_bytes(config_, payload) * 8 * config_.lanes;
  statistics_.busy += f->wire_time;
  if (observer_ != nullptr) {
    shown_busy_ = true;
    observer_->transmit_started(*f, free_at_);
    observer_->credits(virtual_channel, (c.granted - c.consumed) * config_.lanes);
  }
  if (finishes) finish_message(virtual_channel);

  link_phase phase = link_phase::frame;
  sc_time delay = latency_;
  to_peer_->nb_transport_fw(*f, phase, delay);
  if (forwarded && handler_ != nullptr) handler_->frame_departs(port_, *f, free_at_);
  f->release();
}

void transmitter::finish_message(int virtual_channel) {
  channel& c = channels_[virtual_channel];
  const std::int64_t size = c.queue.front().bytes;
  if (c.queue.front().completes) ++statistics_.messages_sent;
  c.queue.pop_front();
  c.queued_bytes -= size;
  queued_bytes_ -= size;
  --queued_messages_;
  --ready_messages_;
  statistics_.message_bytes_sent += size;
  if (observer_ != nullptr) observer_->queue_depth(virtual_channel, static_cast<std::int64_t>(c.queue.size()));
}

// Nothing can be sent though the transmitter is free.
void transmitter::note_idle(const sc_time& now) {
  if (ready_messages_ > 0 && !stalled_) {
    stalled_ = true;
    stalled_since_ = now;
  }
  if (shown_busy_) {
    shown_busy_ = false;
    if (observer_ != nullptr) observer_->transmit_idle();
  }
}

void transmitter::wake_at_next(const sc_time& now) {
  const sc_time never = sc_core::sc_max_time();
  sc_time next = delayed_.empty() ? never : delayed_.front().when;
  const bool wants_end_of_frame = free_at_ > now && (ready_messages_ > 0 || shown_busy_);
  if (wants_end_of_frame) next = std::min(next, free_at_);
  const bool wants_credit = !credits_.empty() && (stalled_ || observer_ != nullptr);
  if (wants_credit) next = std::min(next, credits_.front().when);
  // An event keeps the earliest of its pending notifications.
  if (next != never) wake_.notify(std::max(next, now) - now);
}

sc_time transmitter::ongoing_stall() const {
  return stalled_ ? sc_time_stamp() - stalled_since_ : sc_core::SC_ZERO_TIME;
}

sc_time transmitter::unfinished_busy() const {
  return free_at_ > sc_time_stamp() ? free_at_ - sc_time_stamp() : sc_core::SC_ZERO_TIME;
}

std::string transmitter::why_blocked(const std::string& own_name, const std::string& peer_name) const {
  std::string reasons;
  for (int v = 0; v < config_.virtual_channels; ++v) {
    const channel& c = channels_[v];
    if (c.queue.empty() || may_send(c)) continue;
    const std::int64_t left = c.granted - c.consumed;
    reasons += fmt::format(
        "{}: {} messages ({} B) wait on virtual channel {} for {} to free its receive buffer: the next frame takes {} "
        "B "
        "per lane, {} of {} B are free\n",
        own_name, c.queue.size(), c.queued_bytes, v, peer_name, next_frame_bytes(c), left, c.peer_buffer);
  }
  return reasons;
}

}  // namespace scribeline::link
