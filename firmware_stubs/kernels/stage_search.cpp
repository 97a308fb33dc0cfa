#include "firmware_stubs/kernels/stage_search.h"

#include <algorithm>
#include <cmath>

namespace scribeline::kernels {

namespace {

constexpr int region_steps = 16;
constexpr double flattest = 2.5;
constexpr std::int64_t narrowest_group = 8;
constexpr int routing_draws = 64;
constexpr std::int64_t widest_attention_bands = 64;
constexpr std::int64_t largest_token_tile = 64;
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
      if (columns * rows > experts.routed) break;
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
    const group_load load = load_of(experts, start);
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
  group_load load_of(const expert_layout& experts, const stage_map& map) const {
    if (!experts) return {};
    expert_load load(experts.routed, experts.top_k, static_cast<std::uint32_t>(map.groups()),
                     static_cast<std::uint32_t>(largest_token_tile), planning_seed);
    return load.mean_busiest(routing_draws, point_.tokens);
  }

  void keep_better(placed_stage& best, const stage_map& map, const group_load& load) {
    placed_stage candidate = with_largest_tile(map);
    candidate.planned_load = load;
    candidate.fits = candidate.requests_held == point_.requests;
    const wafer::launch_arguments pass{point_.tokens, point_.context, load.pairs, load.matrices};
    for (const auto& d : candidate.program.descriptors)
      candidate.planned_cycles += timing_.cost_of(d, pass).cycles;
    if (best.program.descriptors.empty() || is_better(candidate, best)) best = std::move(candidate);
  }

  placed_stage with_largest_tile(stage_map map) const {
    placed_stage chosen;
    std::int64_t tile = 1;
    while (tile < largest_token_tile && static_cast<std::uint64_t>(tile) < point_.most_tokens)
      tile *= 2;
    for (; tile >= 1; tile /= 2) {
      map.token_tile = tile;
      stage_program program = compile(layer_, map, point_.most_tokens);
      const std::uint64_t held = requests_held(map, program.memory, point_.cache, point_.requests, data_bytes_);
      // Smaller tiles only for more room; when nothing fits, the roomiest.
      if (chosen.program.descriptors.empty() || held > chosen.requests_held || held == 0) {
        chosen.map = map;
        chosen.program = std::move(program);
        chosen.requests_held = held;
      }
      if (held == point_.requests) break;
    }
    return chosen;
  }

  bool is_better(const placed_stage& a, const placed_stage& b) const {
    if (a.fits != b.fits) return a.fits;
    if (a.fits) return a.planned_cycles < b.planned_cycles;
    if (a.requests_held == 0 && b.requests_held == 0) {
      return bytes_per_core(a.map, a.program.memory, point_.cache) <
             bytes_per_core(b.map, b.program.memory, point_.cache);
    }
    return static_cast<double>(a.requests_held) * b.planned_cycles >
           static_cast<double>(b.requests_held) * a.planned_cycles;
  }

  const plan::layer_plan& layer_;
  const planning_point& point_;
  std::int64_t data_bytes_;
  std::int64_t most_bands_ = 1;
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

std::uint64_t requests_held(const stage_map& map, const stage_memory& memory, base::bytes cache_of_one,
                            std::uint64_t wanted, std::int64_t data_bytes) {
  const std::int64_t room = (data_bytes - bytes_per_core(map, memory, base::bytes{0})) * map.region.cores();
  if (room < 0) return 0;
  if (cache_of_one.value() == 0) return wanted;
  return std::min(wanted, static_cast<std::uint64_t>(room / cache_of_one.value()));
}

}  // namespace scribeline::kernels
