// What every engine writes into the result of a run.
#pragma once

#include "rtl_tlm/fabric/run.h"

namespace scribeline::fabric {

// By cycle, then row, column, mark.
std::vector<timestamp_record> sorted_timestamps(const timestamp_record* records, std::size_t count);

void report_violation(run_result& result, color_id color, coordinate where, std::int64_t cycle);
// `result.cycles` is set.
void report_cycle_limit(run_result& result);

}  // namespace scribeline::fabric
