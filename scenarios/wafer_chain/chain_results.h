// What a wafer chain run tells: metrics, tables and CSV files.
#pragma once

#include "firmware_stubs/kernels/simulated_collectives.h"
#include "platforms/wafer_chain/wafer_chain.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// Fills metrics and tables of `context` and writes requests.csv and stages.csv.
void report(const platforms::chain_config& config, const platforms::wafer_chain& chain, harness::run_context& context);

// How far the collectives that the run simulated are from their closed forms: fabric.* metrics, a table, and
// collectives.csv.
void report_fidelity(const kernels::simulated_collectives& collectives, harness::run_context& context);

}  // namespace scribeline::scenarios
