// Which algorithm each exchange of a decode pass takes, and what the others would have taken.
#pragma once

#include "platforms/asic_rack/rack_plan.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// "all-reduce", "dispatch", ...; empty for what is no exchange.
const char* name_of(accelerator::opcode op);

// Shows a table and writes collectives.csv. Nothing for a machine of one rank.
void show_collective_choices(const platforms::rack_config& config, const platforms::rack_plan& plan,
                             harness::run_context& context);

}  // namespace scribeline::scenarios
