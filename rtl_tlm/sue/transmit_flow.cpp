#include "rtl_tlm/sue/transmit_flow.h"

#include <algorithm>

namespace scribeline::sue {

void transmit_flow::add(const segment& whole) {
  waiting_.push_back(whole);
  queued_bytes_ += whole.bytes;
}

pdu& transmit_flow::take() {
  if (resend_ == window_.size()) {
    pdu* const p = allocate(pool_);
    p->psn = next_++;
    pack(*p);
    window_.push_back(p);
  }
  return *window_.at(resend_++);
}

void transmit_flow::pack(pdu& p) {
  std::int64_t room = config_.pdu_bytes * config_.train_pdus;
  while (!waiting_.empty()) {
    segment& head = waiting_.front();
    // Only whole transactions, the last of which may be short.
    const std::int64_t whole = room / config_.transaction_bytes * config_.transaction_bytes;
    const std::int64_t part = head.bytes <= room ? head.bytes : whole;
    if (part == 0) break;
    segment s = head;
    s.bytes = part;
    s.last = part == head.bytes;
    p.segments.push_back(s);
    p.bytes += part;
    p.transactions += base::ceil_div(part, config_.transaction_bytes);
    room -= part;
    head.bytes -= part;
    if (!s.last) break;
    waiting_.pop_front();
  }
  queued_bytes_ -= p.bytes;
}

bool transmit_flow::acknowledge(std::int64_t psn, const completed& done) {
  // Up to next_, not resend_: a first copy may be acknowledged when the flow has gone back and not sent it again yet.
  if (psn < base_ || psn >= next_) return false;
  while (base_ <= psn) {
    pdu* const p = window_.front();
    window_.pop_front();
    ++base_;
    if (resend_ > 0) --resend_;
    for (const segment& s : p->segments)
      if (s.last) done(s);
    p->release();
  }
  return true;
}

bool transmit_flow::go_back_to(std::int64_t psn) {
  const std::int64_t place = psn - base_;
  if (place < 0 || place >= static_cast<std::int64_t>(resend_)) return false;
  resend_ = static_cast<std::size_t>(place);
  return true;
}

}  // namespace scribeline::sue
