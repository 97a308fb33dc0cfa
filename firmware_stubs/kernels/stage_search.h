// Chooses where a stage runs on its block: the shape of the region and the grid of expert groups.
//
// Candidates are regions of k/16 of the block's columns by m/16 of its rows, 1, 2, 4 .. 64 attention bands, and expert
// grids whose groups are no flatter than 1 : 2.5. The one with the shortest decode pass at the planning point, by the
// closed forms of the launch timing, wins among those whose weights, buffers and cache fit; on a tie the first in that
// order. Deterministic, a few thousand evaluations per distinct stage.
#pragma once

#include <cstdint>

#include "firmware_stubs/kernels/stage_program.h"
#include "rtl_tlm/wafer/launch_timing.h"

namespace scribeline::kernels {

struct planning_point {
  std::uint64_t context = 0;      // positions cached
  base::bytes cache{0};           // of all requests together, to lie beside the weights
  std::uint64_t most_tokens = 1;  // largest pass
};

struct placed_stage {
  stage_map map;
  stage_program program;
  double planned_cycles = 0;              // of one decode pass at the planning point
  std::uint64_t planned_expert_load = 1;  // token-expert pairs in the busiest group of such a pass, on average
  bool fits = false;                      // false: the roomiest candidate; its reservation will say what is missing
};

placed_stage place(const plan::layer_plan& layer, const rectangle& block, const planning_point& point,
                   const wafer::wafer_config& chip, wafer::launch_timing& timing);

// Bytes on the fullest core of the stage, code excluded.
std::int64_t bytes_per_core(const stage_map& map, const stage_memory& memory, base::bytes cache);

}  // namespace scribeline::kernels
