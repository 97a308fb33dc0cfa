#include "firmware_stubs/collectives/two_tree.h"

#include <cstdlib>
#include <stdexcept>

#include "firmware_stubs/collectives/two_sided_chain.h"

namespace scribeline::collectives {

using namespace fabric;

namespace {

void add_flood(const phase& in, const lines& on, const vector_spec& v, int centre) {
  const color_id color = in.from.color();
  const queue_id input = in.from.input();
  const queue_id output = in.from.output();
  const microthread_id thread = in.from.thread();
  const int last = on.length() - 1;
  program& p = in.p;
  port_set both;
  if (centre > 0) both = both.with(on.toward());
  if (centre < last) both = both.with(on.away());
  p.add_route(on.at(centre), color, port::ramp, both).bind_output(on.at(centre), output, color);
  p.add_route(on.between(1, centre - 1), color, on.away(), {on.toward(), port::ramp});
  p.add_route(on.between(centre + 1, last - 1), color, on.toward(), {on.away(), port::ramp});
  if (centre > 0) p.add_route(on.at(0), color, on.away(), port::ramp);
  if (centre < last) p.add_route(on.at(last), color, on.toward(), port::ramp);
  in.add_operation(on.at(centre), "flood",
                   copy(v.type, fabric_out(output, color), sram(v.address), v.elements).on_thread(thread),
                   in.next.root);
  for (const region& where : {on.between(0, centre - 1), on.between(centre + 1, last)}) {
    if (where.empty()) continue;
    p.bind_input(where, input, color);
    in.add_operation(where, "receive",
                     copy(v.type, sram(v.address), fabric_in(input, color), v.elements).on_thread(thread),
                     in.next.others);
  }
}

}  // namespace

void add_two_tree_all_reduce(const phase& in, const lines& on, const vector_spec& v, int groups, relay_kind how) {
  const int length = on.length();
  if (groups < 1 || length % groups != 0)
    throw std::invalid_argument(fmt::format("{} groups do not divide a line of {} cores", groups, length));
  const int size = length / groups;
  const int middle = size / 2;
  const int middle_group = groups / 2;
  const int centre = two_tree_centre(length, groups);
  const task_id second = in.from.task();
  const task_id third = in.from.task();
  if (length == 1) return in.add_nothing(on.root());
  const two_sided_chain inner{{on, middle, -1, middle + 1, groups, size}, {on, middle, 1, size - middle, groups, size}};
  const two_sided_chain outer{{on, centre, -size, middle_group + 1}, {on, centre, size, groups - middle_group}};
  inner.add(in, v, second, third, how);
  phase among_centres{in.p, in.from, second, in.next};
  among_centres.blocked = inner.has_both();
  among_centres.repeats = in.repeats;
  outer.add(among_centres, v, third, third, how);
  // The third phase is blocked only where two chains end before it.
  const std::size_t first_task = in.p.tasks.size();
  add_flood({in.p, in.from, third, in.next}, on, v, centre);
  for (std::size_t i = first_task; i < in.p.tasks.size(); ++i) {
    task& flood = in.p.tasks[i];
    if (!outer.has_both() || !flood.where.contains(on.at(centre).first)) continue;
    flood.blocked_at_start = true;
    if (in.repeats) flood.body.insert(flood.body.begin(), block_task{third});
  }
}

int two_tree_groups(int length) {
  int best = 1;
  for (int groups = 1; groups <= length; ++groups)
    if (length % groups == 0 && std::abs(groups * groups - length) < std::abs(best * best - length)) best = groups;
  return best;
}

}  // namespace scribeline::collectives
