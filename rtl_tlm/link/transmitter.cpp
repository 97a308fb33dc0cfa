#include "rtl_tlm/link/transmitter.h"

#include <algorithm>
#include <limits>

namespace scribeline::link {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

transmitter::transmitter(const link_config& config, wire& to_peer, sc_core::sc_event& wake, port_statistics& statistics)
    : config_(config),
      wire_(to_peer),
      wake_(wake),
      statistics_(statistics),
      channels_(static_cast<std::size_t>(config.virtual_channels)),
      llr_(config.llr),
      replay_timeout_(base::picoseconds(config.llr.replay_timeout_ns * 1000)) {
  // Without credits nothing but a pause holds a channel back.
  if (config.flow.kind == flow_control::pause)
    for (channel& c : channels_)
      c.granted = std::numeric_limits<std::int64_t>::max();
}

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
  queued.origin = f.origin_number;
  queued.forwarded = true;
  queued.completes = f.last;
  enqueue(queued, sc_time_stamp() + delay);
}

void transmitter::enqueue(queued_message& m, const sc_time& ready) {
  const sc_time now = sc_time_stamp();
  m.number = ++messages_;
  if (!m.forwarded) m.origin = m.number;
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

void transmitter::run() {
  if (down_) return;
  const sc_time now = sc_time_stamp();
  running_ = true;
  admit_ready_messages(now);
  take_in_control(now);
  check_replay_timer(now);
  while (!down_ && wire_.free_at() <= now && send_next(now)) {
  }
  running_ = false;
  if (!down_) wake_at_next(now);
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

std::int64_t transmitter::next_frame_bytes(const channel& c) const {
  return std::min(c.queue.front().lane_bytes_left, config_.frame_payload_bytes);
}

// The next channel in turn that has a frame and may send it, or -1.
int transmitter::choose_channel() const {
  if (ready_messages_ == 0) return -1;
  for (int i = 1; i <= config_.virtual_channels; ++i) {
    const int candidate = (last_channel_ + i) % config_.virtual_channels;
    const channel& c = channels_[candidate];
    if (has_credit(c) && has_replay_room(c)) return candidate;
  }
  return -1;
}

// Puts one frame on the wire, unless there is none that may be.
bool transmitter::send_next(const sc_time& now) {
  if (llr_.current() == llr_transmitter::state::replay) {
    replay_frame(now);
    return true;
  }
  const int chosen = choose_channel();
  if (chosen < 0) {
    note_idle(now);
    return false;
  }
  start_frame(chosen, now);
  return true;
}

void transmitter::start_frame(int virtual_channel, const sc_time& now) {
  end_stall(now);
  channel& c = channels_[virtual_channel];
  queued_message& m = c.queue.front();
  const std::int64_t payload = next_frame_bytes(c);

  frame* const f = frames_.allocate();
  f->content = m.content;
  f->sent_at = m.sent_at;
  f->virtual_channel = virtual_channel;
  f->payload_bytes = payload;
  f->offset = m.offset;
  f->message_number = m.number;
  f->origin_number = m.origin;
  const bool finishes = payload == m.lane_bytes_left;
  const bool forwarded = m.forwarded;
  f->last = finishes && m.completes;

  m.lane_bytes_left -= payload;
  m.offset += payload;
  c.consumed += payload;
  last_channel_ = virtual_channel;
  wire_.start(*f, now);
  shown_busy_ = observer_ != nullptr;
  if (config_.llr.on) {
    if (llr_.add(*f, wire_bytes(config_, payload))) replay_deadline_ = now + replay_timeout_;
    statistics_.peak_replay_bytes = std::max(statistics_.peak_replay_bytes, llr_.bytes());
    show_retry();
  }
  if (observer_ != nullptr && config_.flow.kind == flow_control::credits)
    observer_->credits(virtual_channel, (c.granted - c.consumed) * config_.lanes);
  if (finishes) finish_message(virtual_channel);

  wire_.transport(*f);
  if (forwarded && handler_ != nullptr) handler_->frame_departs(port_, *f, wire_.free_at());
  f->release();
}

void transmitter::finish_message(int virtual_channel) {
  channel& c = channels_[virtual_channel];
  const queued_message& m = c.queue.front();
  c.queued_bytes -= m.bytes;
  queued_bytes_ -= m.bytes;
  --queued_messages_;
  --ready_messages_;
  if (m.completes) ++statistics_.messages_sent;
  statistics_.message_bytes_sent += m.bytes;
  c.queue.pop_front();
  if (observer_ != nullptr) observer_->queue_depth(virtual_channel, static_cast<std::int64_t>(c.queue.size()));
}

transmitter::stall transmitter::why_idle() const {
  if (ready_messages_ == 0) return stall::none;
  for (const channel& c : channels_)
    if (has_credit(c)) return stall::replay_buffer;
  return stall::credit;
}

// Nothing can be sent though the transmitter is free.
void transmitter::note_idle(const sc_time& now) {
  const stall why = why_idle();
  if (why != stall_) {
    end_stall(now);
    stall_ = why;
    stalled_since_ = now;
  }
  if (shown_busy_) {
    shown_busy_ = false;
    if (observer_ != nullptr) observer_->transmit_idle();
  }
}

void transmitter::end_stall(const sc_time& now) {
  if (stall_ == stall::none) return;
  add_stall(statistics_, now);
  if (stall_ == stall::credit && now > stalled_since_) ++statistics_.credit_stalls;
  stall_ = stall::none;
}

void transmitter::add_stall(port_statistics& s, const sc_time& now) const {
  if (stall_ == stall::credit) s.credit_stall += now - stalled_since_;
  if (stall_ == stall::replay_buffer) s.replay_buffer_stall += now - stalled_since_;
}

void transmitter::add_unfinished(port_statistics& s) const {
  add_stall(s, sc_time_stamp());
  wire_.add_unfinished(s);
}

void transmitter::wake_at_next(const sc_time& now) {
  const sc_time& free_at = wire_.free_at();
  const bool busy = free_at > now;
  sc_time next = never_;
  // A message that becomes ready while a frame is sent has to wait for its end.
  if (!delayed_.empty())
    next = busy && observer_ == nullptr ? std::max(free_at, delayed_.front().when) : delayed_.front().when;
  const bool has_more = ready_messages_ > 0 || shown_busy_ || llr_.current() == llr_transmitter::state::replay;
  if (busy && has_more) next = std::min(next, free_at);
  const bool wants_control = stall_ != stall::none || observer_ != nullptr || nacks_waiting_ > 0;
  if (!control_.empty() && wants_control) next = std::min(next, control_.front().when);
  if (!llr_.empty()) next = std::min(next, replay_deadline_);
  // An event keeps the earliest of its pending notifications.
  if (next != never_) wake_.notify(std::max(next, now) - now);
}

}  // namespace scribeline::link
