// Which layers of a model run on which group of ranks, and what a rank of it holds in HBM.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware_stubs/accelerator_kernels/rank_program.h"
#include "firmware_stubs/plan/operation.h"
#include "firmware_stubs/plan/sizes.h"
#include "platforms/asic_rack/rack_config.h"

namespace scribeline::platforms {

// Of the fullest rank of a stage, in bytes.
struct rank_memory {
  base::bytes weights{0};
  base::bytes cache{0};  // of the whole batch at its longest, windows and states included
  base::bytes one_request{0};

  base::bytes taken() const { return weights + cache; }
};

struct rack_stage {
  std::size_t first_layer = 0;           // index into rack_plan::layers
  std::vector<plan::layer_plan> layers;  // as the model has them
  accelerator_kernels::rank_program program;
  rank_memory memory;
};

struct rack_plan {
  std::vector<rack_stage> stages;
  std::vector<plan::layer_plan> layers;
};

// Cuts the model into stages of about equal weight. Throws base::bad_input for what cannot be spread that way and
// base::does_not_fit, naming rank, needed and available bytes, when weights and the cache of the batch exceed the HBM.
rack_plan plan_rack(const rack_config& config);

// Requests of this workload whose cache fits beside the weights of the fullest rank, all replicas together.
std::int64_t most_requests(const rack_config& config, const rack_plan& plan);

}  // namespace scribeline::platforms
