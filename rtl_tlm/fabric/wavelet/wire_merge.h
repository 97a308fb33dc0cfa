// Merges stages that words pass in single file into one queue, without changing a cycle.
//
// Let queue A feed only queue B, through a side of the router that nothing else uses. With w the push into A, d the pop
// from B, k the number of the word, A holding a words for `la` cycles and telling its writer of room ra cycles after a
// pop, B likewise:
//   pop from A(k) = max(w(k) + la, d(k - b) + rb)          because w and d advance at least a cycle per word
//   visible in B  = pop from A(k) + lb                     where the second term never decides if b >= lb + rb
//   w(k)         >= pop from A(k - a) + ra                 where w(k - a) + la + ra never decides if a >= la + ra
// So A and B together are one queue of a + b words, latency la + lb and delay ra + rb, whatever the reader does. The
// output queue of a microthread may be too small for its round trip (a < la + ra); then the term that decides is kept
// as a pace: word k not before w(k - a) + la + ra.
//
// A stage can be merged when its route has one position, one receive and one transmit side, no other route of the core
// transmits through that side, and no control words travel on the color.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/fabric/wavelet/wavelet_layout.h"

namespace scribeline::fabric {

// Merges what can be merged. Afterwards layout.merged_into gives, for every queue, the queue that took its place
// (itself if none did); the others are no longer used.
void merge_wires(wavelet_layout& layout, const program& p, const fabric_chip& chip);

}  // namespace scribeline::fabric
