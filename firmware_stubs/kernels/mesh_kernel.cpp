#include "firmware_stubs/kernels/mesh_kernel.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;
using collectives::lines;

namespace {

// The lines of part `part` of `parts`.
lines part_of(const program& p, axis along, int part, int parts) {
  lines on{p.all(), along};
  if (on.length() % parts != 0)
    throw std::invalid_argument(fmt::format("a line of {} cores has no {} equal parts", on.length(), parts));
  on.cores = on.at(part * (on.length() / parts), on.length() / parts);
  return on;
}

void append(std::vector<instruction>& to, const std::vector<instruction>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::int64_t vector_operations_in(const std::vector<instruction>& body) {
  std::int64_t count = 0;
  std::vector<std::int64_t> times{1};
  for (const instruction& i : body) {
    if (const auto* loop = std::get_if<begin_loop>(&i)) times.push_back(times.back() * loop->count.at({0, 0}));
    if (std::holds_alternative<end_loop>(i)) times.pop_back();
    if (std::holds_alternative<vector_op>(i)) count += times.back();
  }
  return count;
}

std::int64_t mesh_kernel::vector_operations() const {
  return vector_operations_in(before) + vector_operations_in(after);
}

program program_of(const mesh_kernel& kernel, const fabric_chip& chip, int columns, int rows,
                   const all_reduce_style& style) {
  program p(kernel.name, columns, rows);
  collectives::resources from(chip);
  const task_id first = from.task();
  std::vector<instruction> begin{timestamp{collectives::begin_mark}};
  append(begin, kernel.before);
  std::vector<instruction> end = kernel.after;
  end.push_back(timestamp{collectives::end_mark});
  if (!kernel.reduce) {
    append(begin, end);
    return p.add_start_task(kernel.where.value_or(p.all()), first, kernel.name, std::move(begin));
  }
  const task_id last = from.task();
  begin.push_back(scalar_work{style.call_cycles});
  for (int part = 0; part < kernel.reduce->parts; ++part) {
    collectives::resources of_part = from;  // parts share no core
    collectives::phase in{p, of_part, first, {last, last}};
    in.prologue = begin;
    in.starts = true;
    const lines on = part_of(p, kernel.reduce->along, part, kernel.reduce->parts);
    const int groups = style.groups > 0 ? style.groups : collectives::two_tree_groups(on.length());
    collectives::add_two_tree_all_reduce(in, on, kernel.reduce->vector, groups, style.relay);
  }
  return p.add_local_task(p.all(), last, kernel.name, std::move(end));
}

}  // namespace scribeline::kernels
