#include "scenarios/wafer_fabric/fabric_waves.h"

#include <fmt/format.h>

#include <algorithm>

namespace scribeline::scenarios {
namespace {

constexpr std::size_t open_groups = 4;  // of the view; the others are one line each
constexpr const char* idle = "idle";

std::string scope_of(fabric::coordinate c) {
  return fmt::format("fabric.core_{:02}_{:02}", c.column, c.row);
}

}  // namespace

fabric_waves::fabric_waves(harness::result_directory& results, const fabric::region& cores,
                           const base::frequency& clock, const trace::vcd_options& options)
    : clock_(clock),
      view_file_(results.stream("waves.gtkw").string()),
      vcd_(results.stream("waves.vcd"), options),
      timeline_(results.stream("timeline.json")),
      cycle_(vcd_.add_unsigned("fabric", "cycle", 32)) {
  for (int row = 0; row < cores.rows; ++row)
    for (int column = 0; column < cores.columns; ++column)
      add_core({cores.first.column + column, cores.first.row + row});
}

void fabric_waves::add_core(fabric::coordinate where) {
  const std::string scope = scope_of(where);
  const std::string router = scope + ".router";
  traced_core core;
  core.where = where;
  core.task = vcd_.add_text(scope, "task", idle);
  core.stall = vcd_.add_text(scope, "stall", idle);
  core.steps = vcd_.add_bit(scope, "steps");
  core.to_core = vcd_.add_unsigned(scope, "to_core", 8);
  core.router_stall = vcd_.add_text(router, "stall", ".");
  for (const char* name : {"from_north", "from_east", "from_south", "from_west", "from_core"})
    core.queued.push_back(vcd_.add_unsigned(router, name, 8));
  core.track = timeline_.add_track(fmt::format("row {}", where.row), fmt::format("column {}", where.column));
  core.last.task = idle;
  core.last.stall = idle;
  core.last.router_stall = ".";
  cores_.push_back(std::move(core));
}

base::cycles fabric_waves::first_cycle() const {
  const double cycles = base::to_picoseconds(vcd_.options().window_start) * clock_.gigahertz() / 1000;
  return base::cycles{static_cast<std::int64_t>(std::min(cycles, 2e9))};
}

base::cycles fabric_waves::last_cycle() const {
  const double cycles = base::to_picoseconds(vcd_.options().window_end) * clock_.gigahertz() / 1000;
  return base::cycles{static_cast<std::int64_t>(std::min(cycles, 2e9))};
}

void fabric_waves::before_cycle(const fabric::wavelet_engine& engine, const sc_core::sc_time& start) {
  reached_ = start + clock_.duration(engine.now());
  cycle_.set(static_cast<std::uint64_t>(engine.now().value()), reached_);
  for (traced_core& core : cores_)
    update(core, fabric::look_at(engine, core.where), reached_);
}

// Only what changed: signals hold back every change until simulated time has reached it.
void fabric_waves::update(traced_core& core, const fabric::core_view& now, const sc_core::sc_time& at) {
  if (now.task != core.last.task) {
    core.task.set(now.task, at);
    end_task(core, at);
  }
  if (now.stall != core.last.stall) core.stall.set(now.stall, at);
  if (now.router_stall != core.last.router_stall) core.router_stall.set(now.router_stall, at);
  if (now.steps != core.last.steps) core.steps.set(now.steps, at);
  if (now.to_core != core.last.to_core) core.to_core.set(static_cast<std::uint64_t>(now.to_core), at);
  for (std::size_t side = 0; side < core.queued.size(); ++side)
    if (now.queued[side] != core.last.queued[side])
      core.queued[side].set(static_cast<std::uint64_t>(now.queued[side]), at);
  core.last = now;
}

void fabric_waves::end_task(traced_core& core, const sc_core::sc_time& at) {
  if (core.last.task != idle) core.track.span(core.last.task, core.task_began, at);
  core.task_began = at;
}

void fabric_waves::close() {
  for (traced_core& core : cores_)
    end_task(core, reached_);
  trace::gtkw_view view("waves.vcd");
  view.group("program").show(cycle_);
  view.comment("task of each core");
  for (const traced_core& core : cores_)
    view.show(core.task);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const traced_core& core = cores_[i];
    view.group(to_string(core.where), i >= open_groups);
    view.show(core.task).show(core.stall).show(core.steps).show(core.to_core).show(core.router_stall);
    for (const trace::unsigned_signal& queue : core.queued)
      view.show(queue);
  }
  const sc_core::sc_time& from = vcd_.options().window_start;
  view.open_at(from, reached_ > from ? reached_ : from + clock_.duration(base::cycles{1}));
  view.write(view_file_, vcd_);
  vcd_.close();
  timeline_.close();
}

}  // namespace scribeline::scenarios
