// What the transmitter does about messages from its peer, and about their absence: credits, pauses, retry, the end.
#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/link/transmitter.h"

namespace scribeline::link {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

void transmitter::control(const frame& f, link_phase kind, const sc_time& when) {
  if (down_) return;
  control_.insert(when, {kind, f.virtual_channel, f.granted_bytes, f.sequence});
  const bool urgent = kind == link_phase::nack;
  if (urgent) ++nacks_waiting_;
  if (!running_ && (urgent || stall_ != stall::none || observer_ != nullptr)) wake_at_next(sc_time_stamp());
}

void transmitter::take_in_control(const sc_time& now) {
  while (control_.due(now)) {
    const sc_time when = control_.front().when;
    const control_message m = control_.take();
    switch (m.kind) {
      case link_phase::credit:
        take_in_credit(m);
        break;
      case link_phase::pause:
      case link_phase::resume:
        channels_[m.virtual_channel].paused = m.kind == link_phase::pause;
        if (observer_ != nullptr) observer_->paused(m.virtual_channel, m.kind == link_phase::pause);
        break;
      default:
        take_in_ack(m, when, now);
    }
  }
}

void transmitter::take_in_credit(const control_message& m) {
  channel& c = channels_[m.virtual_channel];
  if (c.granted == 0) c.peer_buffer = m.granted;
  c.granted = std::max(c.granted, m.granted);
  if (observer_ != nullptr) observer_->credits(m.virtual_channel, (c.granted - c.consumed) * config_.lanes);
}

void transmitter::take_in_ack(const control_message& m, const sc_time& when, const sc_time& now) {
  if (m.kind == link_phase::ack) {
    settle_retry(llr_.ack(m.sequence), when);
    return;
  }
  --nacks_waiting_;
  const bool valid = llr_.nack(m.sequence);
  const bool replays = llr_.current() == llr_transmitter::state::replay;
  if (valid && replays) {
    ++statistics_.replays;
    if (config_.llr.cut_frame_on_nack) wire_.cut(now);
  }
  settle_retry(valid, when);
}

void transmitter::check_replay_timer(const sc_time& now) {
  if (replay_deadline_ > now || llr_.empty()) return;
  ++statistics_.replay_timeouts;
  ++statistics_.replays;
  settle_retry(llr_.timeout(), now);
}

// After anything that may have changed the state of retry.
void transmitter::settle_retry(bool restart_timer, const sc_time& when) {
  if (restart_timer) replay_deadline_ = when + replay_timeout_;
  show_retry();
  if (llr_.current() == llr_transmitter::state::down) give_up_();
}

void transmitter::show_retry() {
  if (observer_ == nullptr) return;
  const bool replaying = llr_.current() == llr_transmitter::state::replay;
  if (replaying != shown_replaying_) observer_->replaying(shown_replaying_ = replaying);
  if (llr_.bytes() == shown_kept_) return;
  shown_kept_ = llr_.bytes();
  observer_->replay_buffer(llr_.frames(), llr_.bytes());
}

void transmitter::replay_frame(const sc_time& now) {
  end_stall(now);
  llr_transmitter::kept_frame& kept = llr_.replay_front();
  frame* f = kept.what;
  if (f->references() > 1) {
    // It is still under way, or whoever got it has kept it.
    frame* const again = frames_.allocate();
    again->assign(*f);
    f->release();
    kept.what = f = again;
  }
  statistics_.frames_replayed += config_.lanes;
  f->acquire();
  wire_.start(*f, now);
  shown_busy_ = observer_ != nullptr;
  llr_.replay_front_sent();
  show_retry();
  wire_.transport(*f);
  f->release();
}

void transmitter::take_down(llr_sequence expected) {
  down_ = true;
  if (observer_ != nullptr) observer_->link_down();
  end_stall(sc_time_stamp());
  take_in_control(sc_time_stamp());  // what came before the end counts
  if (config_.llr.on) llr_.end(expected);
}

std::vector<message> transmitter::take_back() {
  std::vector<message> messages;
  std::vector<std::uint64_t> last_number(channels_.size(), 0);
  const auto add = [&](const message& m, std::uint64_t number) {
    std::uint64_t& last = last_number[m.virtual_channel];
    if (number != last) messages.push_back(m);
    last = number;
  };
  for (std::int64_t i = 0; i < llr_.frames(); ++i)
    add(llr_.at(i).content, llr_.at(i).message_number);
  llr_.clear();
  for (channel& c : channels_) {
    for (; !c.queue.empty(); c.queue.pop_front())
      add(c.queue.front().content, c.queue.front().number);
    c.queued_bytes = 0;
  }
  while (!delayed_.empty()) {
    const queued_message m = delayed_.take();
    add(m.content, m.number);
  }
  queued_messages_ = queued_bytes_ = ready_messages_ = 0;
  return messages;
}

std::string transmitter::why_blocked(const std::string& own_name, const std::string& peer_name) const {
  std::string reasons;
  if (down_ && queued_messages_ + llr_.frames() > 0)
    return fmt::format("{}: the link is down; {} messages are queued and {} frames were not acknowledged\n", own_name,
                       queued_messages_, llr_.frames());
  for (int v = 0; v < config_.virtual_channels; ++v) {
    const channel& c = channels_[v];
    if (c.queue.empty()) continue;
    const std::int64_t left = c.granted - c.consumed;
    if (c.paused)
      reasons += fmt::format("{}: {} messages ({} B) wait on virtual channel {}, which {} has paused\n", own_name,
                             c.queue.size(), c.queued_bytes, v, peer_name);
    else if (!has_credit(c))
      reasons += fmt::format(
          "{}: {} messages ({} B) wait on virtual channel {} for {} to free its receive buffer: the next frame takes "
          "{} B per lane, {} of {} B are free\n",
          own_name, c.queue.size(), c.queued_bytes, v, peer_name, next_frame_bytes(c), left, c.peer_buffer);
    else if (!has_replay_room(c))
      reasons += fmt::format(
          "{}: {} messages ({} B) wait on virtual channel {} for {} to acknowledge {} frames, which fill {} of {} B of "
          "the replay buffer\n",
          own_name, c.queue.size(), c.queued_bytes, v, peer_name, llr_.frames(), llr_.bytes(),
          config_.llr.replay_buffer_bytes);
  }
  return reasons;
}

}  // namespace scribeline::link
