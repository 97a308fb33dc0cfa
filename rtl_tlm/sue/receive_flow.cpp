#include "rtl_tlm/sue/receive_flow.h"

#include <algorithm>

namespace scribeline::sue {

receive_flow::receive_flow(const endpoint_config& config, int planes)
    : config_(config), highest_(static_cast<std::size_t>(planes), -1) {}

verdict receive_flow::accept(pdu& p, std::int64_t psn, int plane) {
  highest_[plane] = std::max(highest_[plane], psn);
  if (psn < expected_) return verdict::duplicate;
  if (psn == expected_) {
    ++expected_;
    return verdict::in_order;
  }
  if (psn - expected_ > config_.reorder_pdus) return verdict::no_room;
  if (held_.empty()) held_.resize(static_cast<std::size_t>(config_.reorder_pdus) + 1, nullptr);
  pdu*& place = held_[static_cast<std::size_t>(psn) % held_.size()];
  if (place != nullptr) return verdict::duplicate;
  p.acquire();
  place = &p;
  ++held_count_;
  return verdict::held;
}

pdu* receive_flow::next_held() {
  if (held_count_ == 0) return nullptr;
  pdu*& place = held_[static_cast<std::size_t>(expected_) % held_.size()];
  if (place == nullptr) return nullptr;
  pdu* const p = place;
  place = nullptr;
  --held_count_;
  ++expected_;
  return p;
}

bool receive_flow::nack_due(plane_set in_use) {
  if (nacked_ == expected_ || in_use.empty()) return false;
  for (std::size_t plane = 0; plane < highest_.size(); ++plane)
    if (in_use.has(static_cast<int>(plane)) && highest_[plane] <= expected_) return false;
  nacked_ = expected_;
  return true;
}

}  // namespace scribeline::sue
