#include "firmware_stubs/kernels/stage_search.h"

#include <algorithm>
#include <cmath>

#include "firmware_stubs/kernels/expert_load.h"

namespace scribeline::kernels {

namespace {

constexpr int region_steps = 16;
constexpr double flattest = 2.5;
constexpr std::int64_t narrowest_group = 8;
constexpr int routing_draws = 64;
constexpr std::int64_t widest_attention_bands = 64;
constexpr std::uint64_t planning_seed = 1;  // the search must not depend on the run's seed

bool too_flat(const rectangle& r) {
  const double ratio = static_cast<double>(r.columns) / static_cast<double>(r.rows);
  return ratio > flattest || ratio < 1 / flattest;
}

std::vector<rectangle> region_candidates(const rectangle& block) {
  std::vector<rectangle> regions;
  for (std::int64_t k = 1; k <= region_steps; ++k) {
    for (std::int64_t m = 1; m <= region_steps; ++m) {
      const rectangle r = {std::max<std::int64_t>(1, block.columns * k / region_steps),
                           std::max<std::int64_t>(1, block.rows * m / region_steps)};
      if (!too_flat(r) || (k == region_steps && m == region_steps)) regions.push_back(r);
    }
  }
  return regions;
}

std::vector<stage_map> grid_candidates(const rectangle& block, const expert_layout& experts) {
  std::vector<stage_map> grids;
  const std::int64_t most_columns = std::max<std::int64_t>(1, block.columns / narrowest_group);
  const std::int64_t most_rows = std::max<std::int64_t>(1, block.rows / narrowest_group);
  for (std::int64_t columns = 1; columns <= most_columns; ++columns) {
    for (std::int64_t rows = 1; rows <= most_rows; ++rows) {
      if (columns * rows > experts.routed + experts.shared) break;
      stage_map map;
      map.block = block;
      map.group_columns = columns;
      map.group_rows = rows;
      if (!too_flat(map.group()) || columns * rows == 1) grids.push_back(map);
    }
  }
  return grids;
}

class search {
 public:
  search(const plan::layer_plan& layer, const planning_point& point, const wafer::wafer_config& chip,
         wafer::launch_timing& timing)
      : layer_(layer), point_(point), data_bytes_(chip.data_bytes_per_core()), timing_(timing) {
    for (const auto& op : layer.operations) {
      if (op.kind == plan::op_kind::attention) most_bands_ = widest_attention_bands;
    }
  }

  placed_stage run(const rectangle& block) {
    stage_map start;
    start.block = start.region = block;
    const auto experts = experts_of(layer_);
    if (experts) {
      // The grid hardly depends on the region: choose it with a region of half the block's sides.
      start.region = {std::max<std::int64_t>(1, block.columns / 2), std::max<std::int64_t>(1, block.rows / 2)};
      placed_stage best_grid;
      for (stage_map map : grid_candidates(block, experts)) {
        map.region = start.region;
        keep_better(best_grid, map, load_of(experts, map));
      }
      start = best_grid.map;
    }
    placed_stage best;
    const std::uint64_t load = load_of(experts, start);
    for (const rectangle& region : region_candidates(block)) {
      for (std::int64_t bands = 1; bands <= most_bands_; bands *= 2) {
        stage_map map = start;
        map.region = region;
        map.attention_bands = bands;
        keep_better(best, map, load);
      }
    }
    return best;
  }

 private:
  static std::uint64_t load_of(const expert_layout& experts, const stage_map& map) {
    if (!experts) return 1;
    expert_load load(experts.routed, experts.shared, experts.top_k, static_cast<std::uint32_t>(map.groups()),
                     planning_seed);
    return static_cast<std::uint64_t>(std::llround(load.mean_busiest(routing_draws)));
  }

  void keep_better(placed_stage& best, const stage_map& map, std::uint64_t load) {
    placed_stage candidate;
    candidate.map = map;
    candidate.planned_expert_load = load;
    candidate.program = compile(layer_, map, point_.most_tokens);
    const std::int64_t needed = bytes_per_core(map, candidate.program.memory, point_.cache);
    candidate.fits = needed <= data_bytes_;
    for (const auto& d : candidate.program.descriptors) {
      candidate.planned_cycles += timing_.cost_of(d, {1, point_.context, load}).cycles;
    }
    const bool first = best.program.descriptors.empty();
    const bool better = candidate.fits != best.fits ? candidate.fits
                        : candidate.fits            ? candidate.planned_cycles < best.planned_cycles
                                                    : needed < fewest_bytes_;
    if (!first && !better) return;
    fewest_bytes_ = needed;
    best = std::move(candidate);
  }

  const plan::layer_plan& layer_;
  const planning_point& point_;
  std::int64_t data_bytes_;
  std::int64_t most_bands_ = 1;
  std::int64_t fewest_bytes_ = 0;
  wafer::launch_timing& timing_;
};

}  // namespace

placed_stage place(const plan::layer_plan& layer, const rectangle& block, const planning_point& point,
                   const wafer::wafer_config& chip, wafer::launch_timing& timing) {
  return search(layer, point, chip, timing).run(block);
}

std::int64_t bytes_per_core(const stage_map& map, const stage_memory& memory, base::bytes cache) {
  const auto share = [](base::bytes total, const rectangle& cores) {
    return base::ceil_div<std::int64_t>(total.value(), cores.cores());
  };
  return share(memory.region_weights, map.region) + share(memory.block_weights, map.block) +
         memory.buffers_per_core.value() + share(cache, map.region);
}

}  // namespace scribeline::kernels
