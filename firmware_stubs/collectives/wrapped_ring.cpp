#include "firmware_stubs/collectives/wrapped_ring.h"

namespace scribeline::collectives {

using namespace fabric;

wrapped_ring::wrapped_ring(program& p, resources& from, const lines& on)
    : length_(on.length()),
      neighbours_{from.color(), from.color()},
      way_back_(from.color()),
      input_(from.input()),
      output_(from.output()),
      thread_(from.thread()) {
  const int last = length_ - 1;
  for (int rank = 0; rank < length_; ++rank) {
    const int next = (rank + 1) % length_;
    const color_id color = color_of(rank);
    const port ahead = rank < last ? on.away() : on.toward();
    p.add_route(on.at(rank), color, port::ramp, ahead).bind_output(on.at(rank), output_, color);
    p.add_route(on.at(next), color, opposite(ahead), port::ramp).bind_input(on.at(next), input_, color);
  }
  p.add_route(on.between(1, last - 1), way_back_, on.away(), on.toward());
}

}  // namespace scribeline::collectives
