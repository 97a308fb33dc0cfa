// The receiving end of link-layer retry.
#pragma once

#include <cstdint>

#include "rtl_tlm/link/llr_sequence.h"

namespace scribeline::link {

// What the receiving port has to do about a frame.
enum class llr_verdict {
  deliver,    // take it, acknowledge it in time
  duplicate,  // drop it, acknowledge again in time: an acknowledgement was lost
  nack,       // drop it, ask for everything from expected() on
  discard     // drop it
};

// Go-back-N: frames are delivered in sequence; after one is lost, everything is dropped until it comes again.
//
//   state    frame                                        verdict     next state
//   normal   good, expected                               deliver     normal
//   normal   good, before expected                        duplicate   normal
//   normal   good, after expected (some were lost)        nack        discard
//   normal   bad                                          nack        discard
//   discard  good, expected                               deliver     normal
//   discard  good, before expected                        duplicate   discard
//   discard  good, after expected, later than all seen    discard     discard
//            since the NACK (still the old stream)
//   discard  good, after expected, not later: a replay    nack        discard
//            began, and its first frame was lost
//   discard  bad                                          discard     discard
//
// "Later than all seen" starts anew with each NACK: with the frame that caused it, or with `expected` when that was bad
// (its number cannot be trusted). A replay whose first frame is lost before any other frame was seen goes unnoticed
// here; the sender's timer repeats it.
class llr_receiver {
 public:
  enum class state { normal, discard };

  llr_verdict good(llr_sequence sequence);
  llr_verdict bad();

  state current() const { return state_; }
  llr_sequence expected() const { return expected_; }
  // Expects `sequence` next, in state normal: initialisation.
  void start_at(llr_sequence sequence) { *this = llr_receiver{}, expected_ = sequence; }

 private:
  llr_verdict ask_again(llr_sequence seen);

  state state_ = state::normal;
  llr_sequence expected_;
  llr_sequence latest_seen_;  // in state discard
};

}  // namespace scribeline::link
