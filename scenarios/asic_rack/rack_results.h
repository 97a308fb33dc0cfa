// What an ASIC rack run tells: metrics, tables and CSV files.
#pragma once

#include "platforms/asic_rack/asic_rack.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// Fills metrics and tables of `context` and writes requests.csv, stages.csv and operations.csv.
void report(const platforms::rack_config& config, const platforms::asic_rack& rack, harness::run_context& context);

}  // namespace scribeline::scenarios
