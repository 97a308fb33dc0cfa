#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "firmware_stubs/kernels/expert_load.h"
#include "firmware_stubs/kernels/stage_search.h"
#include "rtl_tlm/base/random.h"
#include "tests/unit/model/descriptions.h"
#include "tests/unit/plan/planned.h"
#include "tests/unit/wafer/small_wafer.h"

using namespace scribeline;
using kernels::place;
using kernels::placed_stage;
using kernels::planning_point;
using kernels::rectangle;
using kernels::stage_map;

namespace {

wafer::wafer_config chip_with(std::int64_t data_bytes) {
  auto c = wafer::small_wafer();
  c.columns = 1000;
  c.rows = 1000;
  c.sram_bytes_per_core = data_bytes + c.code_bytes_per_core;
  return c;
}

bool flat(std::int64_t columns, std::int64_t rows) {
  const double ratio = static_cast<double>(columns) / static_cast<double>(rows);
  return ratio > 2.5 || ratio < 1 / 2.5;
}

bool attends(const plan::layer_plan& layer) {
  return std::any_of(layer.operations.begin(), layer.operations.end(),
                     [](const auto& op) { return op.kind == plan::op_kind::attention; });
}

// The candidates the header promises: every region of sixteenths with every number of attention bands and every grid
// of groups.
std::vector<stage_map> candidates(const rectangle& block, const plan::layer_plan& layer) {
  const auto experts = kernels::experts_of(layer);
  std::vector<stage_map> all;
  for (std::int64_t k = 1; k <= 16; ++k) {
    for (std::int64_t m = 1; m <= 16; ++m) {
      stage_map map;
      map.block = block;
      map.region = {std::max<std::int64_t>(1, block.columns * k / 16), std::max<std::int64_t>(1, block.rows * m / 16)};
      if (flat(map.region.columns, map.region.rows) && !(k == 16 && m == 16)) continue;
      for (std::int64_t columns = 1; columns <= std::max<std::int64_t>(1, block.columns / 8); ++columns) {
        for (std::int64_t rows = 1; rows <= std::max<std::int64_t>(1, block.rows / 8); ++rows) {
          const std::int64_t most = experts ? experts.routed : 1;
          if (columns * rows > most) continue;
          map.group_columns = columns;
          map.group_rows = rows;
          if (columns * rows > 1 && flat(map.group().columns, map.group().rows)) continue;
          for (map.attention_bands = 1; map.attention_bands <= (attends(layer) ? 64 : 1); map.attention_bands *= 2)
            all.push_back(map);
        }
      }
    }
  }
  return all;
}

double cycles(const placed_stage& stage, const planning_point& point, const kernels::group_load& load,
              wafer::launch_timing& timing) {
  double sum = 0;
  for (const auto& d : stage.program.descriptors)
    sum += timing.cost_of(d, {point.tokens, point.context, load.pairs, load.matrices}).cycles;
  return sum;
}

}  // namespace

TEST_CASE("without experts the placement is the fastest of all candidates that fit") {
  const auto model = planned::from_text(descriptions::llama());
  const std::uint64_t seed = 20260803;
  INFO("seed " << seed);
  base::random_stream random(seed);
  for (int i = 0; i < 12; ++i) {
    const rectangle block = {static_cast<std::int64_t>(4 + random.below(60)),
                             static_cast<std::int64_t>(4 + random.below(60))};
    const auto chip = chip_with(static_cast<std::int64_t>(50 + random.below(4000)));
    planning_point point;
    point.context = random.below(2000);
    point.cache = base::bytes{static_cast<std::int64_t>(random.below(100000))};
    wafer::launch_timing timing(chip);
    for (const auto& layer : model.plan) {
      INFO(block.columns << " x " << block.rows << ", " << chip.data_bytes_per_core() << " B, " << layer.name);
      const auto best = place(layer, block, point, chip, timing);
      const std::int64_t needed = kernels::bytes_per_core(best.map, best.program.memory, point.cache);
      CHECK(best.fits == (needed <= chip.data_bytes_per_core()));
      CHECK(best.planned_cycles == cycles(best, point, {}, timing));
      for (const auto& map : candidates(block, layer)) {
        placed_stage other;
        other.map = map;
        other.program = kernels::compile(layer, map, point.most_tokens);
        const std::int64_t bytes = kernels::bytes_per_core(map, other.program.memory, point.cache);
        if (bytes <= chip.data_bytes_per_core()) {
          REQUIRE(best.fits);
          CHECK(cycles(other, point, {}, timing) >= best.planned_cycles);
        } else if (!best.fits) {
          CHECK(bytes >= needed);  // the roomiest
        }
      }
    }
  }
}

TEST_CASE("with experts the placement fits whenever any candidate does") {
  const auto model = planned::from_text(descriptions::deepseek_v3());
  const std::uint64_t seed = 20260804;
  INFO("seed " << seed);
  base::random_stream random(seed);
  const auto& layer = model.layer(1);
  for (int i = 0; i < 10; ++i) {
    const rectangle block = {static_cast<std::int64_t>(8 + random.below(40)),
                             static_cast<std::int64_t>(8 + random.below(40))};
    planning_point point;
    point.cache = base::bytes{static_cast<std::int64_t>(random.below(100000))};
    point.most_tokens = 1 + random.below(30);
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (auto map : candidates(block, layer)) {
      map.token_tile = 1;
      fewest = std::min(
          fewest, kernels::bytes_per_core(map, kernels::compile(layer, map, point.most_tokens).memory, point.cache));
    }
    INFO(block.columns << " x " << block.rows << ", " << point.most_tokens << " tokens, needs " << fewest);
    const auto placed_with = [&](std::int64_t bytes) {
      const auto chip = chip_with(bytes);
      wafer::launch_timing timing(chip);
      return place(layer, block, point, chip, timing);
    };
    CHECK(placed_with(fewest).fits);
    CHECK_FALSE(placed_with(fewest - 1).fits);
  }
}

TEST_CASE("with experts no other region is faster on the chosen grid, and no grid that fits with half the sides") {
  const auto model = planned::from_text(descriptions::deepseek_v3());
  const auto& layer = model.layer(1);
  const auto experts = kernels::experts_of(layer);
  const auto chip = chip_with(40000);
  wafer::launch_timing timing(chip);
  const rectangle block = {64, 48};
  planning_point point;
  point.context = 500;
  const auto best = place(layer, block, point, chip, timing);
  REQUIRE(best.fits);
  const auto load_of = [&](const stage_map& map) {
    kernels::expert_load load(experts.routed, experts.top_k, static_cast<std::uint32_t>(map.groups()), 64, 1);
    return load.mean_busiest(64, 1);
  };
  double grid_best = 1e300, grid_chosen = 0;
  for (const auto& map : candidates(block, layer)) {
    placed_stage other;
    other.map = map;
    other.program = kernels::compile(layer, map, 1);
    const double time = cycles(other, point, load_of(map), timing);
    const bool chosen = map.group_columns == best.map.group_columns && map.group_rows == best.map.group_rows;
    if (chosen) CHECK(time >= best.planned_cycles);
    if (map.region.columns != 32 || map.region.rows != 24 || map.attention_bands != 1) continue;
    grid_best = std::min(grid_best, time);
    if (chosen) grid_chosen = time;
  }
  CHECK(grid_chosen == grid_best);
}

TEST_CASE("a tile is the largest that leaves room for the cache") {
  const auto model = planned::from_text(descriptions::llama());
  const rectangle block = {16, 16};
  planning_point point;
  point.most_tokens = 100;
  const auto tile_with = [&](std::int64_t bytes) {
    const auto chip = chip_with(bytes);
    wafer::launch_timing timing(chip);
    return place(model.layer(0), block, point, chip, timing);
  };
  CHECK(tile_with(1 << 20).map.token_tile == 64);
  const auto roomy = tile_with(1 << 20);
  const auto tight = tile_with(kernels::bytes_per_core(roomy.map, roomy.program.memory, point.cache) - 1);
  CHECK(tight.fits);
  point.most_tokens = 5;
  CHECK(tile_with(1 << 20).map.token_tile == 8);
}

TEST_CASE("a few users more than fit do not turn a fast stage into the roomiest one") {
  const auto model = planned::from_text(descriptions::llama());
  const rectangle block = {48, 48};
  const auto chip = chip_with(2000);
  wafer::launch_timing timing(chip);
  planning_point point;
  point.context = 500;
  point.cache = base::bytes{20000};
  const auto placed_for = [&](std::uint64_t requests) {
    point.requests = requests;
    return place(model.layer(0), block, point, chip, timing);
  };
  std::uint64_t most = 1;
  while (placed_for(most + 1).fits)
    ++most;
  const auto full = placed_for(most);
  REQUIRE(full.requests_held == most);
  REQUIRE(most > 20);
  // Those beyond wait; the stage serves the others at no lower rate than the one that holds as many as can be.
  for (const std::uint64_t requests : {most + 1, 2 * most, 100 * most}) {
    INFO(requests << " requests, " << most << " fit");
    const auto stage = placed_for(requests);
    CHECK_FALSE(stage.fits);
    CHECK(stage.requests_held >= 1);
    CHECK(stage.planned_cycles <= full.planned_cycles);
    CHECK(static_cast<double>(stage.requests_held) / stage.planned_cycles >=
          static_cast<double>(most) / full.planned_cycles);
  }
}

TEST_CASE("the requests a stage holds are those whose caches fit beside the rest") {
  stage_map map;
  map.block = map.region = {10, 10};
  kernels::stage_memory memory;
  memory.region_weights = base::bytes{30000};  // 300 B a core
  memory.buffers_per_core = base::bytes{100};
  const auto held = [&](std::int64_t data, std::int64_t cache, std::uint64_t wanted) {
    return kernels::requests_held(map, memory, base::bytes{cache}, wanted, data);
  };
  CHECK(held(399, 1000, 5) == 0);
  CHECK(held(400, 1000, 5) == 0);
  CHECK(held(400, 0, 5) == 5);
  CHECK(held(450, 1000, 50) == 5);
  CHECK(held(450, 1000, 3) == 3);
}

TEST_CASE("the same stage is placed the same way every time, whatever was placed before") {
  const auto model = planned::from_text(descriptions::deepseek_v3());
  const auto chip = chip_with(4000);
  wafer::launch_timing fresh(chip), used(chip);
  for (const auto& layer : model.plan)
    place(layer, {30, 20}, {}, chip, used);
  for (const auto& layer : model.plan) {
    INFO(layer.name);
    const auto a = place(layer, {40, 30}, {}, chip, fresh);
    const auto b = place(layer, {40, 30}, {}, chip, used);
    CHECK(a.planned_cycles == b.planned_cycles);
    CHECK(a.map.region.columns == b.map.region.columns);
    CHECK(a.map.region.rows == b.map.region.rows);
    CHECK(a.map.group_columns == b.map.group_columns);
    CHECK(a.map.group_rows == b.map.group_rows);
  }
}

TEST_CASE("a block too small for two groups of experts still gets one") {
  const auto model = planned::from_text(descriptions::deepseek_v3());
  const auto chip = chip_with(1 << 20);
  wafer::launch_timing timing(chip);
  for (const rectangle& block : {rectangle{8, 4}, rectangle{3, 5}, rectangle{1, 1}}) {
    const auto stage = place(model.layer(1), block, {}, chip, timing);
    CHECK(stage.map.groups() == 1);
    CHECK(stage.map.block.cores() == block.cores());
  }
}
