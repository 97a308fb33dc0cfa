// One run of a program from start to end, on an engine of the kind wanted, for callers that need nothing but its
// result.
#pragma once

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/program.h"
#include "rtl_tlm/fabric/run.h"

namespace scribeline::fabric {

// Throws as the engines' constructors do. A program that stands still is told by the result's outcome.
run_result run_once(engine_kind engine, const program& p, const fabric_chip& chip, const run_options& options = {});

}  // namespace scribeline::fabric
