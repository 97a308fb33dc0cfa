// What the mapping of a chain costs: operation by operation, its padding, and where it lies.
#pragma once

#include "platforms/wafer_chain/chain_plan.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// Writes operations.csv and a picture of each floor plan, fills mapping.* metrics, and shows the largest operations of
// a decode pass.
void report_placement(const platforms::chain_config& config, const platforms::chain_plan& plan,
                      harness::run_context& context);

}  // namespace scribeline::scenarios
