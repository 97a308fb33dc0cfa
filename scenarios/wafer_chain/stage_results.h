// What a wafer chain run tells about its stages.
#pragma once

#include <cstdint>

#include "platforms/wafer_chain/wafer_chain.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// The mean time of a pass; not measured without passes.
double per_pass_us(std::uint64_t ps, std::uint64_t passes);

// Where the time of a decode pass goes (pass_us.*, a table), and the slowest and fastest stage (stage.*).
void report_passes(const platforms::wafer_chain& chain, harness::run_context& context);

// stages.csv.
void write_stages(const platforms::wafer_chain& chain, harness::run_context& context);

}  // namespace scribeline::scenarios
