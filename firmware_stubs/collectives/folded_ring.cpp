#include "firmware_stubs/collectives/folded_ring.h"

namespace scribeline::collectives {

using namespace fabric;

folded_ring::folded_ring(program& p, resources& from, const lines& on)
    : on_(on), length_(on.length()), input_(from.input()), output_(from.output()), thread_(from.thread()) {
  for (auto& colors : colors_)
    for (color_id& color : colors)
      color = from.color();
  for (int rank = 0; rank < length_; ++rank)
    add_edge(p, rank);
}

affine folded_ring::chunk(int parity, int address, int bytes, int shift) const {
  const affine rank_times_bytes =
      parity == 0 ? on_.position_times(bytes / 2) : on_.position_times(-bytes / 2, bytes * length_ - bytes / 2);
  affine a = rank_times_bytes.with_iteration(-bytes);
  a.offset = a.base + shift * bytes;
  a.base = address;
  a.modulus = bytes * length_;
  return a;
}

color_id folded_ring::color_of(int rank) const {
  const int from = ring_position(rank, length_);
  const int to = ring_position((rank + 1) % length_, length_);
  return colors_[to > from ? 0 : 1][static_cast<std::size_t>(from / 2 % 2)];
}

void folded_ring::add_edge(program& p, int rank) const {
  const int from = ring_position(rank, length_);
  const int to = ring_position((rank + 1) % length_, length_);
  const color_id color = color_of(rank);
  const port ahead = to > from ? on_.away() : on_.toward();
  p.add_route(on_.at(from), color, port::ramp, ahead).bind_output(on_.at(from), output_, color);
  p.add_route(on_.at(to), color, opposite(ahead), port::ramp).bind_input(on_.at(to), input_, color);
  if (to - from == 2 || from - to == 2) p.add_route(on_.at((from + to) / 2), color, opposite(ahead), ahead);
}

}  // namespace scribeline::collectives
