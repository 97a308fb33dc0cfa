// A queue of passes from one place of the pipeline to the next, in order, each with the time its hop takes.
//
// Unlimited: the host bounds what is in flight.
#pragma once

#include <algorithm>
#include <deque>
#include <systemc>

#include "firmware_stubs/batch_serving/batch_pass.h"

namespace scribeline::batch_serving {

class pass_channel {
 public:
  explicit pass_channel(const char* name) : arrived_(name) {}

  // Called at the time the pass leaves. A hop that is shorter than that of the pass before does not overtake it.
  void send(batch_pass pass, const sc_core::sc_time& hop_time) {
    pass.mark_ps = sc_core::sc_time_stamp().value();
    const sc_core::sc_time due = std::max(sc_core::sc_time_stamp() + hop_time,
                                          under_way_.empty() ? sc_core::SC_ZERO_TIME : under_way_.back().due);
    under_way_.push_back({pass, due});
    if (under_way_.size() == 1) arrived_.notify(due - sc_core::sc_time_stamp());
  }

  // Whether the oldest pass has arrived.
  bool ready() const { return !under_way_.empty() && under_way_.front().due <= sc_core::sc_time_stamp(); }
  batch_pass take() {
    batch_pass pass = under_way_.front().pass;
    pass.hops_ps += under_way_.front().due.value() - pass.mark_ps;
    pass.mark_ps = under_way_.front().due.value();
    under_way_.pop_front();
    if (!under_way_.empty() && !ready()) arrived_.notify(under_way_.front().due - sc_core::sc_time_stamp());
    return pass;
  }

  std::size_t waiting() const { return under_way_.size(); }
  const sc_core::sc_event& arrived() const { return arrived_; }

 private:
  struct hop {
    batch_pass pass;
    sc_core::sc_time due;
  };

  std::deque<hop> under_way_;
  sc_core::sc_event arrived_;
};

}  // namespace scribeline::batch_serving
