#include "rtl_tlm/link/llr_receiver.h"

namespace scribeline::link {

llr_verdict llr_receiver::good(llr_sequence sequence) {
  if (sequence == expected_) {
    state_ = state::normal;
    expected_ = expected_.next();
    return llr_verdict::deliver;
  }
  if (before(sequence, expected_)) return llr_verdict::duplicate;
  if (state_ == state::normal || !before(latest_seen_, sequence)) return ask_again(sequence);
  latest_seen_ = sequence;
  return llr_verdict::discard;
}

llr_verdict llr_receiver::bad() {
  return state_ == state::normal ? ask_again(expected_) : llr_verdict::discard;
}

llr_verdict llr_receiver::ask_again(llr_sequence seen) {
  state_ = state::discard;
  latest_seen_ = seen;
  return llr_verdict::nack;
}

}  // namespace scribeline::link
