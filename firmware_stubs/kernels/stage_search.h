// Chooses where a stage runs on its block: the shape of the region and the grid of expert groups.
//
// Candidates are regions of k/16 of the block's columns by m/16 of its rows, 1, 2, 4 .. 64 attention bands, and expert
// grids whose groups are no flatter than 1 : 2.5. Each takes its tokens in the largest tile of 64, 32 .. 1 whose
// buffers leave room for the cache. Among those whose weights, buffers and cache of all requests fit, the one with the
// shortest decode pass at the planning point wins, by the closed forms of the launch timing; on a tie the first in that
// order. When no candidate holds the cache of all requests, the one with the most requests held per time of a pass
// wins, so that a few more users never buy room with a much slower stage.
// Deterministic, a few thousand evaluations per distinct stage.
#pragma once

#include <cstdint>

#include "firmware_stubs/kernels/expert_load.h"
#include "firmware_stubs/kernels/stage_program.h"
#include "rtl_tlm/wafer/launch_timing.h"

namespace scribeline::kernels {

struct planning_point {
  std::uint64_t tokens = 1;   // of a decode pass: the last token and its drafts
  std::uint64_t context = 0;  // positions cached
  base::bytes cache{0};       // of one request, to lie beside the weights
  std::uint64_t requests = 1;
  std::uint64_t most_tokens = 1;  // largest pass
};

struct placed_stage {
  stage_map map;
  stage_program program;
  double planned_cycles = 0;        // of one decode pass at the planning point
  group_load planned_load;          // of the busiest expert group in such a pass, on average
  std::uint64_t requests_held = 0;  // of those of the planning point; 0: its reservation will say what is missing
  bool fits = false;                // all of them
};

placed_stage place(const plan::layer_plan& layer, const rectangle& block, const planning_point& point,
                   const wafer::wafer_config& chip, wafer::launch_timing& timing);

// Bytes on the fullest core of the stage, code excluded. `cache`: of all requests together.
std::int64_t bytes_per_core(const stage_map& map, const stage_memory& memory, base::bytes cache);

// The largest number of requests, up to `wanted`, whose caches fit into `data_bytes` per core with everything else.
std::uint64_t requests_held(const stage_map& map, const stage_memory& memory, base::bytes cache_of_one,
                            std::uint64_t wanted, std::int64_t data_bytes);

}  // namespace scribeline::kernels
