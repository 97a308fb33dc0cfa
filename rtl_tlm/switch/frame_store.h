// The packet memory of a switch: frames from their first bit in to the last bit of their last copy out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/frame.h"
#include "rtl_tlm/link/ring_queue.h"

namespace scribeline::switching {

struct stored_frame {
  link::frame* f = nullptr;   // with a reference
  int input = 0;              // whose receive buffer it occupies
  int copies = 0;             // that have not left
  sc_core::sc_time last_bit;  // when it is here completely
  sc_core::sc_time ready;     // when its first bit may leave
  sc_core::sc_time gone;      // last bit of the copies that left
};

using frame_slot = std::int32_t;

// Bytes are counted until the end of the last copy, which is known when it begins: no event is needed for it.
class frame_store {
 public:
  frame_slot insert(const stored_frame& s) {
    settle();
    occupied_ += s.f->payload_bytes;
    peak_ = std::max(peak_, occupied_);
    return insert_uncounted(s);
  }
  // A frame that takes the place of one that is there.
  frame_slot insert_uncounted(const stored_frame& s) {
    if (free_.empty()) {
      slots_.push_back(s);
      return static_cast<frame_slot>(slots_.size() - 1);
    }
    const frame_slot slot = free_.back();
    free_.pop_back();
    slots_[slot] = s;
    return slot;
  }
  stored_frame& at(frame_slot slot) { return slots_[slot]; }
  const stored_frame& at(frame_slot slot) const { return slots_[slot]; }

  void erase(frame_slot slot, const sc_core::sc_time& when) {
    leaving_.insert(when, slots_[slot].f->payload_bytes);
    slots_[slot].f->release();
    free_.push_back(slot);
  }

  std::int64_t occupied_bytes() {
    settle();
    return occupied_;
  }
  std::int64_t peak_bytes() const { return peak_; }

 private:
  void settle() {
    while (leaving_.due(sc_core::sc_time_stamp()))
      occupied_ -= leaving_.take();
  }

  std::vector<stored_frame> slots_;
  std::vector<frame_slot> free_;
  link::timed_queue<std::int64_t> leaving_;
  std::int64_t occupied_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace scribeline::switching
