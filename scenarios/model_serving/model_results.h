// The size of the model that a run served.
#pragma once

#include <string>
#include <vector>

#include "firmware_stubs/plan/operation.h"
#include "scenarios/harness/metrics.h"

namespace scribeline::scenarios {

// model.name, parameters, active_parameters, weight_bytes and cache_bytes_per_token.
void add_model_sizes(const std::string& name, const std::vector<plan::layer_plan>& layers, harness::metrics& metrics);

}  // namespace scribeline::scenarios
