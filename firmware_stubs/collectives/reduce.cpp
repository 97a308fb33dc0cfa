#include "firmware_stubs/collectives/reduce.h"

#include <stdexcept>

namespace scribeline::collectives {

using namespace fabric;

namespace {

// Messages that follow each other in one stream start with whole words.
int padded_elements(const vector_spec& v) {
  if (v.elements % elements_per_word(v.type) != 0)
    throw std::invalid_argument(
        fmt::format("{} {} elements do not fill whole words, which this pattern needs", v.elements, name(v.type)));
  return v.elements;
}

}  // namespace

void add_chain_reduce(const phase& in, const lines& on, const vector_spec& v) {
  if (on.length() == 1) return in.add_nothing(on.root());
  const chain_channel channel(in.from);
  add_chain(in, {on, 0, 1, on.length()}, channel, v, in.next.others);
  in.add_operation(on.root(), "root", chain_root_operation(channel, v), in.next.root);
}

void add_star_reduce(const phase& in, const lines& on, const vector_spec& v) {
  if (on.length() == 1) return in.add_nothing(on.root());
  program& p = in.p;
  const int last = on.length() - 1;
  const int elements = padded_elements(v);
  const color_id color = in.from.color();
  const queue_id input = in.from.input();
  const queue_id output = in.from.output();
  const microthread_id thread = in.from.thread();
  p.add_route(on.root(), color, on.away(), port::ramp).bind_input(on.root(), input, color);
  p.add_switched_route(on.between(1, last - 1), color, {{port::ramp, on.toward()}, {on.away(), on.toward()}});
  p.add_route(on.at(last), color, port::ramp, on.toward());
  p.bind_output(on.between(1, last), output, color);
  const operand sums = sram_repeated(v.address, elements);
  in.add_operation(on.root(), "root",
                   binary(v.op, v.type, sums, fabric_in(input, color), sums, elements * last).on_thread(thread),
                   in.next.root);
  const vector_op send = copy(v.type, fabric_out(output, color), sram(v.address), elements).on_thread(thread);
  in.add_operation(on.between(1, last - 1), "send, then let others pass",
                   send.then_control(control_word::advance_own_router()), in.next.others);
  in.add_operation(on.at(last), "send", send, in.next.others);
}

void add_two_phase_reduce(const phase& in, const lines& on, const vector_spec& v, int group) {
  const int length = on.length();
  if (group < 1 || group > length)
    throw std::invalid_argument(fmt::format("groups of {} cores on a line of {}", group, length));
  if (length == 1) return in.add_nothing(on.root());
  if (group == 1 || group == length) return add_chain_reduce(in, on, v);

  const int full_groups = length / group;
  const int rest = length % group;
  const int groups = full_groups + (rest > 0 ? 1 : 0);
  const task_id second = in.from.task();
  const chain_channel inner(in.from);
  const chain_channel outer(in.from);

  add_chain(in, {on, 0, 1, group, full_groups, group}, inner, v, in.next.others);
  if (rest > 1) add_chain(in, {on, full_groups * group, 1, rest}, inner, v, in.next.others);
  in.add_operation(on.strided(0, (full_groups - 1) * group, group), "leader", chain_root_operation(inner, v), second);
  if (rest > 1) in.add_operation(on.at(full_groups * group), "leader", chain_root_operation(inner, v), second);
  if (rest == 1) {
    std::vector<instruction> body = in.begin();
    body.push_back(activate_task{second});
    in.add_task(on.at(full_groups * group), "leader of itself", std::move(body));
  }

  const phase among_leaders{in.p, in.from, second, in.next};
  add_chain(among_leaders, {on, 0, group, groups}, outer, v, in.next.others);
  among_leaders.add_operation(on.root(), "root", chain_root_operation(outer, v), in.next.root);
}

void add_reduce(const phase& in, const lines& on, const vector_spec& v, const reduce_plan& plan) {
  const fabric_timing timing = ideal_timing(in.from.chip());
  switch (plan.kind) {
    case reduce_kind::chain:
      return add_chain_reduce(in, on, v);
    case reduce_kind::star:
      return add_star_reduce(in, on, v);
    case reduce_kind::tree:
      return add_tree_reduce(in, on, v, binary_tree(on.length()), false);
    case reduce_kind::generated:
      return add_tree_reduce(in, on, v, generated_tree(timing, on.length(), v.words()), true);
    case reduce_kind::two_phase:
      break;
  }
  const int group = plan.group > 0 ? plan.group : static_cast<int>(best_group(timing, v.words(), on.length()).group);
  add_two_phase_reduce(in, on, v, group);
}

}  // namespace scribeline::collectives
