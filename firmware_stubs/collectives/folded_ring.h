// Folded rings: every line closed to a ring whose neighbours are at most two cores apart.
//
// Going round, the ring visits positions 0, 2, 4, ... outwards and ..., 5, 3, 1 back. Rank 0 is position 0. Every core
// receives from its predecessor and sends to its successor all the time; a step of all cores uses every link once.
#pragma once

#include <array>

#include "firmware_stubs/collectives/line.h"
#include "firmware_stubs/collectives/resources.h"

namespace scribeline::collectives {

// The rank of a position, and back, on a ring of `length` cores.
constexpr int ring_rank(int position, int length) {
  return position % 2 == 0 ? position / 2 : length - (position + 1) / 2;
}
constexpr int ring_position(int rank, int length) {
  return 2 * rank < length ? 2 * rank : 2 * (length - rank) - 1;
}

// The routes and queues of a folded ring on all lines of at least two cores: four colors.
class folded_ring {
 public:
  folded_ring(fabric::program& p, resources& from, const lines& on);

  fabric::operand receive(int rank) const {
    return fabric::fabric_in(input_, color_of((rank + length_ - 1) % length_));
  }
  fabric::operand send(int rank) const { return fabric::fabric_out(output_, color_of(rank)); }
  fabric::microthread_id thread() const { return thread_; }

  // address + (bytes * (rank + shift - iteration) mod bytes * length) for the positions of one parity.
  fabric::affine chunk(int parity, int address, int bytes, int shift) const;

 private:
  // The color of the edge from a rank to the next one: by direction, alternating along it.
  fabric::color_id color_of(int rank) const;
  void add_edge(fabric::program& p, int rank) const;

  lines on_;
  int length_;
  std::array<std::array<fabric::color_id, 2>, 2> colors_{};
  fabric::queue_id input_;
  fabric::queue_id output_;
  fabric::microthread_id thread_;
};

}  // namespace scribeline::collectives
