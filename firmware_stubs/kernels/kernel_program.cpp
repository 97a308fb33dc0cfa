#include "firmware_stubs/kernels/kernel_program.h"

#include "firmware_stubs/collectives/collective.h"
#include "firmware_stubs/collectives/two_sided_chain.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::phase;

namespace {

collectives::reduce_plan plan_for(const fabric_timing& timing, int words, int cores) {
  const auto choice = best_pattern(timing, words, cores);
  switch (choice.pattern) {
    case reduce_pattern::chain:
      return {collectives::reduce_kind::chain, 0};
    case reduce_pattern::star:
      return {collectives::reduce_kind::star, 0};
    case reduce_pattern::tree:
      return {collectives::reduce_kind::tree, 0};
    default:
      return {collectives::reduce_kind::two_phase, static_cast<int>(choice.group)};
  }
}

collectives::two_sided_chain to_the_middle(const collectives::lines& on, const communication& what) {
  const int before = what.line / 2;
  const int middle = before * what.distance;
  return {{on, middle, -what.distance, before + 1}, {on, middle, what.distance, what.line - before}};
}

}  // namespace

program kernel_program(const fabric_chip& chip, const fabric_timing& timing, const std::vector<instruction>& work,
                       const communication& what, int lines) {
  program p("kernel", what.cores(), lines);
  const collectives::lines on = collectives::rows_of(p.all());
  std::vector<instruction> begin{timestamp{collectives::begin_mark}};
  begin.insert(begin.end(), work.begin(), work.end());
  collectives::resources from(chip);
  const task_id first = from.task();
  if (what.op == wafer::opcode::vector) {
    begin.push_back(timestamp{collectives::end_mark});
    return p.add_start_task(p.all(), first, "work", std::move(begin));
  }
  const task_id end = from.task();
  phase in{p, from, first, {end, end}};
  in.prologue = std::move(begin);
  in.starts = true;
  const collectives::vector_spec vector{element_type::fp32, what.words, 0, opcode::add};
  region ends = p.all();
  if (what.distance > 1) {
    const collectives::two_sided_chain chains = to_the_middle(on, what);
    chains.add(in, vector, end, std::nullopt);
    return p.add_task({on.at(chains.before.start),
                       end,
                       "end",
                       0,
                       false,
                       chains.has_both(),
                       std::nullopt,
                       -1,
                       {timestamp{collectives::end_mark}}});
  }
  switch (what.op) {
    case wafer::opcode::reduce:
      in.next.others.reset();
      collectives::add_reduce(in, on, vector, plan_for(timing, what.words, what.line));
      ends = on.root();
      break;
    case wafer::opcode::all_reduce: {
      const task_id second = from.task();
      in.next = {second, second};
      collectives::add_reduce(in, on, vector, plan_for(timing, what.words, what.line));
      collectives::add_line_broadcast({p, from, second, {end, end}}, on, vector);
      break;
    }
    default:
      collectives::add_line_broadcast(in, on, vector);
      break;
  }
  return p.add_local_task(ends, end, "end", {timestamp{collectives::end_mark}});
}

}  // namespace scribeline::kernels
