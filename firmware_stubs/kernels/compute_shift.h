// What products by compute-shift are made of: tiles that go round the rows or the columns of a mesh while others stay.
#pragma once

#include <variant>

#include "firmware_stubs/collectives/folded_ring.h"
#include "firmware_stubs/collectives/wrapped_ring.h"
#include "firmware_stubs/kernels/gemm_tiles.h"

namespace scribeline::kernels {

enum class ring_kind {
  folded,   // every neighbour two hops away at most: MeshGEMM
  wrapped,  // neighbours next to each other, the way back across the line: Cannon
};

// The rank of a position on rings of a kind, and back.
int rank_on(ring_kind kind, int position, int length);
int position_on(ring_kind kind, int rank, int length);

// How often tiles have to move on so that the core at `position` of the other axis finds the one that its first step
// multiplies: A(j, i + j) instead of A(j, i) after -j shifts along the row, which are P - j.
int shifts_to_align(ring_kind kind, int position, int length);

// A tile that every core passes to the next rank of its row or its column in every step. It is received into the buffer
// behind the one it is sent from, of three, so that a slow neighbour's words and the product of the step before do not
// meet.
class shifted_tile {
 public:
  shifted_tile(fabric::program& p, collectives::resources& from, const collectives::lines& on, ring_kind kind,
               int first_buffer, int buffer_bytes, int elements, fabric::element_type type);

  // The tile in a loop that begins after `shifts` shifts.
  stepped_tile after(int shifts) const { return {address_, 3, buffer_bytes_, shifts % 3}; }

  // Instructions of a core at `position` of its line, in a loop that begins after `shifts` shifts. A shift starts when
  // the tile that it sends has arrived and the one before has left; the core goes on at once.
  void add_shift(std::vector<fabric::instruction>& body, int position, int shifts) const;
  // The core goes on when the tile of the last shift has arrived, or also when it has left.
  void add_wait_for_arrival(std::vector<fabric::instruction>& body) const;
  void add_wait(std::vector<fabric::instruction>& body) const;

 private:
  fabric::operand receive(int position) const;
  fabric::operand send(int position) const;

  std::variant<collectives::folded_ring, collectives::wrapped_ring> ring_;
  ring_kind kind_;
  int length_;
  fabric::microthread_id receiver_;
  fabric::microthread_id sender_;
  int address_;
  int buffer_bytes_;
  int elements_;
  fabric::element_type type_;
};

// Shifts of one or two tiles without work: a core shifts each its own number of times, side by side.
struct alignment {
  const shifted_tile* tile;
  int position;
  int shifts;
};
void add_alignment(std::vector<fabric::instruction>& body, const alignment& first,
                   const std::optional<alignment>& second = {});

// MeshGEMM and Cannon differ in the rings only.
fabric::program compute_shift_gemm(std::string name, ring_kind kind, const fabric::fabric_chip& chip, int side,
                                   const gemm_tiles& tiles, const gemm_schedule& schedule);

}  // namespace scribeline::kernels
