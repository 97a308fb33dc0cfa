// Every core of a line broadcasts a vector to the others, one after the other, in the order of their positions.
//
// One color. Behind its vector a core sends a control word that makes the next position the source; nobody else has to
// know whose turn it is, and a core may hand over its vector long before its turn: the words wait at its ramp.
#pragma once

#include "firmware_stubs/collectives/line.h"
#include "firmware_stubs/collectives/resources.h"

namespace scribeline::collectives {

// The routes and queues on all lines of at least two cores.
class broadcast_in_turns {
 public:
  broadcast_in_turns(fabric::program& p, resources& from, const lines& on);

  // To be issued once at every core that broadcasts; position 0 to some last position must.
  fabric::vector_op send(fabric::element_type type, const fabric::operand& vector, int elements) const;
  // The vectors of the other cores arrive here in turn, one operation each.
  fabric::operand receive() const { return fabric::fabric_in(input_, color_); }
  fabric::microthread_id sender() const { return sender_; }
  fabric::microthread_id receiver() const { return receiver_; }

 private:
  fabric::color_id color_;
  fabric::queue_id input_;
  fabric::queue_id output_;
  fabric::microthread_id sender_;
  fabric::microthread_id receiver_;
};

}  // namespace scribeline::collectives
