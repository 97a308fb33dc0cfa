#include "rtl_tlm/link/llr_transmitter.h"

namespace scribeline::link {

bool llr_transmitter::add(frame& f, std::int64_t wire_bytes) {
  f.sequence = next();
  f.acquire();
  kept_.push_back({&f, wire_bytes});
  bytes_ += wire_bytes;
  return kept_.size() == 1;
}

void llr_transmitter::replay_front_sent() {
  if (++cursor_ == kept_.size()) state_ = state::normal;
}

bool llr_transmitter::ack(llr_sequence n) {
  if (state_ == state::down) return false;
  const std::uint32_t index = distance(first_, n);
  if (index >= kept_.size()) return false;
  drop(index + 1);
  if (state_ == state::replay && cursor_ == kept_.size()) state_ = state::normal;
  return true;
}

bool llr_transmitter::nack(llr_sequence n) {
  if (state_ == state::down) return false;
  const std::uint32_t index = distance(first_, n);
  if (index > kept_.size()) return false;
  drop(index);
  return begin();
}

bool llr_transmitter::timeout() {
  if (state_ == state::down || kept_.empty()) return false;
  return begin();
}

bool llr_transmitter::begin() {
  if (kept_.empty()) {
    state_ = state::normal;
    return true;
  }
  if (replays_ == config_.replay_limit) {
    state_ = state::down;
    return false;
  }
  ++replays_;
  cursor_ = 0;
  state_ = state::replay;
  return true;
}

void llr_transmitter::drop(std::size_t n) {
  if (n == 0) return;
  replays_ = 0;
  cursor_ -= n < cursor_ ? n : cursor_;
  for (std::size_t i = 0; i < n; ++i) {
    bytes_ -= kept_.front().wire_bytes;
    kept_.front().what->release();
    kept_.pop_front();
  }
  first_ = first_.plus(static_cast<std::uint32_t>(n));
}

void llr_transmitter::end(llr_sequence n) {
  state_ = state::down;
  const std::uint32_t arrived = distance(first_, n);
  if (arrived <= kept_.size()) drop(arrived);
}

}  // namespace scribeline::link
