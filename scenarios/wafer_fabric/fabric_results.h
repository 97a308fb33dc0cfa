// What a run of a fabric program tells: metrics, links.csv, timestamps.csv and heatmap.svg.
#pragma once

#include "rtl_tlm/fabric/link_loads.h"
#include "rtl_tlm/fabric/run.h"
#include "scenarios/harness/scenario.h"
#include "scenarios/wafer_fabric/fabric_keys.h"

namespace scribeline::scenarios {

// Cycles and microseconds beside closed form and bounds. `timing` is that of the closed forms, for hops as long as the
// mesh has them; `healthy` for hops of one core.
void report_cycles(const fabric_settings& settings, base::cycles measured, const fabric::fabric_timing& timing,
                   const fabric::fabric_timing& healthy, harness::run_context& context);
// Of a program that is not a named collective. Loads are those of its links, null when they are not known.
void report_program_cycles(const fabric_settings& settings, const fabric::run_result& result,
                           const fabric::link_loads* loads, harness::metrics& metrics);
void report_traffic(const fabric::run_result& result, harness::metrics& metrics);
void report_loads(const fabric::link_loads& loads, harness::metrics& metrics);
void report_defects(const fabric::repaired_mesh& mesh, harness::metrics& metrics);

// timestamps.csv: one row for every cycle counter that a task read; nothing when none did.
void write_timestamps(const fabric::run_result& result, harness::result_directory& results);

// One row for every link that carried words.
void write_links(const fabric::link_loads& loads, harness::result_directory& results);

}  // namespace scribeline::scenarios
