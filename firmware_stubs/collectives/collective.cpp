#include "firmware_stubs/collectives/collective.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace scribeline::collectives {

using namespace fabric;

namespace {

// A program whose first phase all cores begin at once.
struct collective_program {
  collective_program(std::string name, const fabric_chip& chip, int columns, int rows, const launch_spec& launch_)
      : p(std::move(name), columns, rows), from(chip), launch(launch_), first(from.task()), end(from.task()) {}

  phase first_phase(const next_tasks& next) {
    phase ph{p, from, first, next};
    ph.prologue = {timestamp{begin_mark}, scalar_work{launch.call_cycles}};
    ph.starts = true;
    return ph;
  }
  phase later_phase(task_id task, const next_tasks& next) { return {p, from, task, next}; }
  void add_end(const region& where) { p.add_local_task(where, end, "end", {timestamp{end_mark}}); }

  program p;
  resources from;
  launch_spec launch;
  task_id first;
  task_id end;
};

std::string_view plan_name(const reduce_plan& plan) {
  switch (plan.kind) {
    case reduce_kind::chain:
      return "chain";
    case reduce_kind::star:
      return "star";
    case reduce_kind::tree:
      return "tree";
    case reduce_kind::two_phase:
      return "two-phase";
    case reduce_kind::generated:
      return "generated tree";
  }
  return "?";
}

}  // namespace

program reduce_rows(const fabric_chip& chip, int columns, int rows, const vector_spec& v, const reduce_plan& plan,
                    const launch_spec& launch) {
  collective_program c(fmt::format("{} reduce of rows", plan_name(plan)), chip, columns, rows, launch);
  const lines on = rows_of(c.p.all());
  add_reduce(c.first_phase({c.end, std::nullopt}), on, v, plan);
  c.add_end(on.root());
  return std::move(c.p);
}

program reduce_xy(const fabric_chip& chip, int columns, int rows, const vector_spec& v, const reduce_plan& row_plan,
                  const reduce_plan& column_plan, const launch_spec& launch) {
  collective_program c(fmt::format("{} x {} reduce", plan_name(row_plan), plan_name(column_plan)), chip, columns, rows,
                       launch);
  const lines on = rows_of(c.p.all());
  const task_id second = c.from.task();
  add_reduce(c.first_phase({second, std::nullopt}), on, v, row_plan);
  add_reduce(c.later_phase(second, {c.end, std::nullopt}), on.of_roots(), v, column_plan);
  c.add_end(core_at(0, 0));
  return std::move(c.p);
}

program broadcast(const fabric_chip& chip, int columns, int rows, const vector_spec& v, const launch_spec& launch) {
  collective_program c("broadcast", chip, columns, rows, launch);
  add_rectangle_broadcast(c.first_phase({c.end, c.end}), c.p.all(), v);
  c.add_end(c.p.all());
  return std::move(c.p);
}

program all_reduce_rows(const fabric_chip& chip, int columns, int rows, const vector_spec& v, const reduce_plan& plan,
                        const launch_spec& launch) {
  collective_program c(fmt::format("{} all-reduce of rows", plan_name(plan)), chip, columns, rows, launch);
  const lines on = rows_of(c.p.all());
  const task_id second = c.from.task();
  add_reduce(c.first_phase({second, second}), on, v, plan);
  add_line_broadcast(c.later_phase(second, {c.end, c.end}), on, v);
  c.add_end(c.p.all());
  return std::move(c.p);
}

program all_reduce_xy(const fabric_chip& chip, int columns, int rows, const vector_spec& v, const reduce_plan& row_plan,
                      const reduce_plan& column_plan, const launch_spec& launch) {
  collective_program c(fmt::format("{} x {} all-reduce", plan_name(row_plan), plan_name(column_plan)), chip, columns,
                       rows, launch);
  const lines on = rows_of(c.p.all());
  const task_id second = c.from.task();
  const task_id third = c.from.task();
  add_reduce(c.first_phase({second, third}), on, v, row_plan);
  add_reduce(c.later_phase(second, {third, third}), on.of_roots(), v, column_plan);
  add_rectangle_broadcast(c.later_phase(third, {c.end, c.end}), c.p.all(), v);
  c.add_end(c.p.all());
  return std::move(c.p);
}

// Cores are numbered along the snake from the root. Row 0 runs east, row 1 west, and so on, so the snake turns at the
// east end of even rows and at the west end of odd ones.
program reduce_snake(const fabric_chip& chip, int columns, int rows, const vector_spec& v, const launch_spec& launch) {
  collective_program c("snake reduce", chip, columns, rows, launch);
  const next_tasks next{c.end, std::nullopt};
  const phase in = c.first_phase(next);
  if (columns == 1 || rows == 1) {
    add_chain_reduce(in, columns == 1 ? columns_of(c.p.all()) : rows_of(c.p.all()), v);
  } else {
    add_snake(in, c.p.all(), v);
  }
  c.add_end(core_at(0, 0));
  return std::move(c.p);
}

namespace {

lines along_axis(const program& p, axis along) {
  return along == axis::row ? rows_of(p.all()) : columns_of(p.all());
}

}  // namespace

program all_reduce_ring(const fabric_chip& chip, int columns, int rows, axis along, const vector_spec& v,
                        const launch_spec& launch) {
  collective_program c("ring all-reduce", chip, columns, rows, launch);
  add_ring_all_reduce(c.first_phase({c.end, c.end}), along_axis(c.p, along), v);
  c.add_end(c.p.all());
  return std::move(c.p);
}

program all_reduce_two_tree(const fabric_chip& chip, int columns, int rows, axis along, const vector_spec& v,
                            int groups, const launch_spec& launch, relay_kind how) {
  collective_program c("two-tree all-reduce", chip, columns, rows, launch);
  const lines on = along_axis(c.p, along);
  add_two_tree_all_reduce(c.first_phase({c.end, c.end}), on, v, groups > 0 ? groups : two_tree_groups(on.length()),
                          how);
  c.add_end(c.p.all());
  return std::move(c.p);
}

program all_to_all(const fabric_chip& chip, int columns, int rows, axis along, const all_to_all_spec& spec,
                   const launch_spec& launch) {
  collective_program c("all-to-all", chip, columns, rows, launch);
  add_all_to_all(c.first_phase({c.end, c.end}), along_axis(c.p, along), spec);
  c.add_end(c.p.all());
  return std::move(c.p);
}

program scatter(const fabric_chip& chip, int columns, int rows, axis along, const vector_spec& chunk,
                int target_address, const launch_spec& launch) {
  collective_program c("scatter", chip, columns, rows, launch);
  add_scatter(c.first_phase({c.end, c.end}), along_axis(c.p, along), chunk, target_address);
  c.add_end(c.p.all());
  return std::move(c.p);
}

program gather(const fabric_chip& chip, int columns, int rows, axis along, const vector_spec& chunk, int target_address,
               const launch_spec& launch) {
  collective_program c("gather", chip, columns, rows, launch);
  add_gather(c.first_phase({c.end, c.end}), along_axis(c.p, along), chunk, target_address);
  c.add_end(c.p.all());
  return std::move(c.p);
}

program edge_multicast(const fabric_chip& chip, int columns, int rows, int row, const region& cores,
                       const vector_spec& v, std::int64_t first_cycle, const launch_spec& launch) {
  collective_program c("edge multicast", chip, columns, rows, launch);
  add_edge_multicast(c.first_phase({c.end, c.end}), row, cores, v, first_cycle);
  c.add_end(cores);
  return std::move(c.p);
}

base::cycles cycles_between_marks(const run_result& result) {
  base::cycles begin{std::numeric_limits<std::int64_t>::max()};
  base::cycles end;
  bool ended = false;
  for (const timestamp_record& record : result.timestamps) {
    if (record.mark == begin_mark) begin = std::min(begin, record.cycle);
    if (record.mark != end_mark) continue;
    end = std::max(end, record.cycle);
    ended = true;
  }
  if (!ended || end < begin) throw std::logic_error("the program finished without its marks");
  return end - begin;
}

}  // namespace scribeline::collectives
