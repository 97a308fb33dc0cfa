#include "firmware_stubs/collectives/broadcast_in_turns.h"

namespace scribeline::collectives {

using namespace fabric;

broadcast_in_turns::broadcast_in_turns(program& p, resources& from, const lines& on)
    : color_(from.color()),
      input_(from.input()),
      output_(from.output()),
      sender_(from.thread()),
      receiver_(from.thread()) {
  const int last = on.length() - 1;
  const port before = on.toward();
  const port behind = on.away();
  // A switch position each for sources before this core, for the core itself, and for sources behind it.
  p.add_switched_route(on.at(0), color_, {{port::ramp, behind}, {behind, port::ramp}});
  p.add_switched_route(
      on.between(1, last - 1), color_,
      {{before, {behind, port::ramp}}, {port::ramp, {before, behind}}, {behind, {before, port::ramp}}});
  p.add_switched_route(on.at(last), color_, {{before, port::ramp}, {port::ramp, before}});
  p.bind_input(on.between(0, last), input_, color_).bind_output(on.between(0, last), output_, color_);
}

vector_op broadcast_in_turns::send(element_type type, const operand& vector, int elements) const {
  // The word also reaches the position before, whose switch is in its last position and stays there.
  const control_word next_turn = control_word::for_path({switch_command::advance, switch_command::advance});
  return copy(type, fabric_out(output_, color_), vector, elements).on_thread(sender_).then_control(next_turn);
}

}  // namespace scribeline::collectives
