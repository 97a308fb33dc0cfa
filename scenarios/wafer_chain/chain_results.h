// What a wafer chain run tells: metrics, tables and CSV files.
#pragma once

#include "firmware_stubs/kernels/simulated_kernels.h"
#include "platforms/wafer_chain/wafer_chain.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// Fills metrics and tables of `context` and writes requests.csv and stages.csv.
void report(const platforms::chain_config& config, const platforms::wafer_chain& chain, harness::run_context& context);

// How far the kernels that the run simulated, and the collectives in them, are from their closed forms: kernels.* and
// fabric.* metrics, tables, kernels.csv and collectives.csv.
void report_fidelity(const kernels::simulated_kernels& kernels, harness::run_context& context);

}  // namespace scribeline::scenarios
