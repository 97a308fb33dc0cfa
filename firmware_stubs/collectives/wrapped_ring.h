// Rings of neighbours whose last core sends back across the whole line, for want of a link between the ends.
//
// Rank i is position i. Every core sends to the next position, one hop away; the words of the last core pass through
// all routers between on their way to the first one. Compare folded_ring.h, where no edge is longer than two hops.
#pragma once

#include <array>

#include "firmware_stubs/collectives/line.h"
#include "firmware_stubs/collectives/resources.h"

namespace scribeline::collectives {

// The routes and queues of such a ring on all lines of at least two cores: three colors.
class wrapped_ring {
 public:
  wrapped_ring(fabric::program& p, resources& from, const lines& on);

  fabric::operand receive(int rank) const {
    return fabric::fabric_in(input_, color_of((rank + length_ - 1) % length_));
  }
  fabric::operand send(int rank) const { return fabric::fabric_out(output_, color_of(rank)); }
  fabric::microthread_id thread() const { return thread_; }

 private:
  // The color of the edge from a rank to the next one.
  fabric::color_id color_of(int rank) const {
    return rank == length_ - 1 ? way_back_ : neighbours_[static_cast<std::size_t>(rank % 2)];
  }

  int length_;
  std::array<fabric::color_id, 2> neighbours_;
  fabric::color_id way_back_;
  fabric::queue_id input_;
  fabric::queue_id output_;
  fabric::microthread_id thread_;
};

}  // namespace scribeline::collectives
