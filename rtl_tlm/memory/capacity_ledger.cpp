#include "rtl_tlm/memory/capacity_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace scribeline::memory {

namespace {

constexpr std::array<const char*, owner_count> owner_names = {"code",  "weights",     "cache",
                                                              "state", "activations", "buffers"};

constexpr std::size_t index(owner who) {
  return static_cast<std::size_t>(who);
}

// What every core of a region of `cores` gives up for an account.
base::bytes taken_per_core(base::bytes each, base::bytes spread, std::int64_t cores) {
  return each + base::bytes{base::ceil_div(spread.value(), cores)};
}

void require(bool condition, const std::string& problem) {
  if (!condition) throw std::invalid_argument(problem);
}

}  // namespace

const char* name(owner who) {
  return owner_names[index(who)];
}

std::string capacity_shortfall::message() const {
  return fmt::format("region '{}': {} needs {} B more on core (row {}, column {}), which has {} of {} B free", region,
                     name(who), needed.value(), core.row, core.column, available.value(), capacity.value());
}

capacity_ledger::capacity_ledger(std::uint32_t rows, std::uint32_t columns, base::bytes bytes_per_core)
    : rows_(rows),
      columns_(columns),
      cores_(static_cast<std::int64_t>(rows) * columns),
      bytes_per_core_(bytes_per_core) {
  require(rows > 0 && columns > 0 && bytes_per_core.value() >= 0, "capacity_ledger: a wafer has cores and memory");
}

capacity_ledger::region_id capacity_ledger::add_region(std::string name, const core_rectangle& cores) {
  const bool inside = cores.rows >= 1 && cores.columns >= 1 && cores.row < rows_ && cores.rows <= rows_ - cores.row &&
                      cores.column < columns_ && cores.columns <= columns_ - cores.column;
  require(inside, fmt::format("region '{}': {} x {} cores from (row {}, column {}) are not all on a wafer of {} rows "
                              "x {} columns",
                              name, cores.rows, cores.columns, cores.row, cores.column, rows_, columns_));
  return add(std::move(name), core_set{cores});
}

capacity_ledger::region_id capacity_ledger::add_region(std::string name, core_coordinates first, std::int64_t cores) {
  const std::int64_t before = static_cast<std::int64_t>(first.row) * columns_ + first.column;
  const bool inside = first.row < rows_ && first.column < columns_ && cores >= 1 && cores <= cores_ - before;
  require(inside, fmt::format("region '{}': {} cores from (row {}, column {}) on are not all on a wafer of {} rows x "
                              "{} columns",
                              name, cores, first.row, first.column, rows_, columns_));
  return add(std::move(name), core_set{first, cores, columns_});
}

capacity_ledger::region_id capacity_ledger::add(std::string name, core_set cores) {
  const region_id id = region_count();
  region_account added;
  added.name = std::move(name);
  added.cores = cores.cores();

  core_set uncovered = cores;
  const int zones_before = static_cast<int>(zones_.size());
  for (int z = 0; z < zones_before; ++z) {
    core_set inside = zones_[z].cores.intersection(cores);
    if (inside.empty()) continue;
    uncovered = uncovered.difference(zones_[z].cores);
    core_set outside = zones_[z].cores.difference(cores);
    if (outside.empty()) {
      added.zones.push_back(z);
      continue;
    }
    // The zone splits; the half inside keeps what it holds and stays part of the regions it was in.
    const int half = static_cast<int>(zones_.size());
    zones_[z].cores = std::move(outside);
    zones_.push_back({std::move(inside), zones_[z].used});
    for (region_account& r : regions_)
      if (std::find(r.zones.begin(), r.zones.end(), z) != r.zones.end()) r.zones.push_back(half);
    added.zones.push_back(half);
  }
  if (!uncovered.empty()) {
    added.zones.push_back(static_cast<int>(zones_.size()));
    zones_.push_back({std::move(uncovered), base::bytes{0}});
  }
  regions_.push_back(std::move(added));
  return id;
}

const capacity_ledger::region_account& capacity_ledger::at(region_id id) const {
  require(id >= 0 && id < region_count(), fmt::format("capacity_ledger: there is no region {}", id));
  return regions_[id];
}

std::optional<capacity_shortfall> capacity_ledger::first_misfit(const region_account& r, owner who,
                                                                base::bytes each) const {
  std::optional<capacity_shortfall> first;
  for (const int z : r.zones) {
    const base::bytes available = bytes_per_core_ - zones_[z].used;
    if (each <= available) continue;
    const core_coordinates core = zones_[z].cores.first();
    if (!first || core < first->core) first = {r.name, who, core, each, available, bytes_per_core_};
  }
  return first;
}

std::optional<capacity_shortfall> capacity_ledger::take(region_id id, owner who, base::bytes each, base::bytes spread) {
  const region_account& r = at(id);
  require(each.value() >= 0 && spread.value() >= 0,
          fmt::format("region '{}': a reservation of {} cannot be negative", r.name, name(who)));
  const account& now = r.accounts[index(who)];
  const base::bytes more =
      taken_per_core(now.each + each, now.spread + spread, r.cores) - taken_per_core(now.each, now.spread, r.cores);
  if (more.value() > 0)
    if (auto misfit = first_misfit(r, who, more)) return misfit;
  update(regions_[id], who, now.each + each, now.spread + spread);
  return std::nullopt;
}

void capacity_ledger::give_back(region_id id, owner who, base::bytes each, base::bytes spread) {
  const region_account& r = at(id);
  const account& now = r.accounts[index(who)];
  require(each.value() >= 0 && spread.value() >= 0 && each <= now.each && spread <= now.spread,
          fmt::format("region '{}': {} cannot release {} B per core and {} B spread, it holds {} B per core and {} B "
                      "spread",
                      r.name, name(who), each.value(), spread.value(), now.each.value(), now.spread.value()));
  update(regions_[id], who, now.each - each, now.spread - spread);
}

void capacity_ledger::update(region_account& r, owner who, base::bytes each, base::bytes spread) {
  account& a = r.accounts[index(who)];
  const base::bytes change = taken_per_core(each, spread, r.cores) - taken_per_core(a.each, a.spread, r.cores);
  const base::bytes held_before = a.each * r.cores + a.spread;
  a.each = each;
  a.spread = spread;
  const base::bytes held_now = a.each * r.cores + a.spread;
  a.peak = std::max(a.peak, held_now);

  base::bytes& held_by_owner = held_[index(who)];
  held_by_owner += held_now - held_before;
  peak_held_[index(who)] = std::max(peak_held_[index(who)], held_by_owner);

  if (change.value() == 0) return;
  for (const int z : r.zones)
    zones_[z].used += change;
  taken_ += change * r.cores;
  peak_taken_ = std::max(peak_taken_, taken_);
}

std::optional<capacity_shortfall> capacity_ledger::reserve_per_core(region_id region, owner who, base::bytes each) {
  return take(region, who, each, base::bytes{0});
}

void capacity_ledger::release_per_core(region_id region, owner who, base::bytes each) {
  give_back(region, who, each, base::bytes{0});
}

std::optional<capacity_shortfall> capacity_ledger::reserve(region_id region, owner who, base::bytes total) {
  return take(region, who, base::bytes{0}, total);
}

void capacity_ledger::release(region_id region, owner who, base::bytes total) {
  give_back(region, who, base::bytes{0}, total);
}

base::bytes capacity_ledger::room(region_id id, owner who) const {
  const region_account& r = at(id);
  const account& now = r.accounts[index(who)];
  const base::bytes rounded_up{base::ceil_div(now.spread.value(), r.cores) * r.cores};
  return free_per_core(id) * r.cores + (rounded_up - now.spread);
}

holding capacity_ledger::held(region_id id, owner who) const {
  const region_account& r = at(id);
  const account& a = r.accounts[index(who)];
  return {a.each * r.cores + a.spread, taken_per_core(a.each, a.spread, r.cores) * r.cores, a.peak};
}

holding capacity_ledger::held(owner who) const {
  base::bytes taken;
  for (region_id id = 0; id < region_count(); ++id)
    taken += held(id, who).taken;
  return {held_[index(who)], taken, peak_held_[index(who)]};
}

base::bytes capacity_ledger::free_on(core_coordinates core) const {
  require(core.row < rows_ && core.column < columns_,
          fmt::format("capacity_ledger: core (row {}, column {}) is not on a wafer of {} rows x {} columns", core.row,
                      core.column, rows_, columns_));
  for (const zone& z : zones_)
    if (z.cores.contains(core)) return bytes_per_core_ - z.used;
  return bytes_per_core_;
}

base::bytes capacity_ledger::free_per_core(region_id id) const {
  base::bytes least = bytes_per_core_;
  for (const int z : at(id).zones)
    least = std::min(least, bytes_per_core_ - zones_[z].used);
  return least;
}

}  // namespace scribeline::memory
