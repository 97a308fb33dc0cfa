// What an ASIC rack run tells: metrics, tables and CSV files.
#pragma once

#include "platforms/asic_rack/asic_rack.h"
#include "platforms/asic_rack/packet_network.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// Fills metrics and tables of `context` and writes requests.csv, stages.csv and operations.csv.
void report(const platforms::rack_config& config, const platforms::asic_rack& rack, harness::run_context& context);

// How far the exchanges that were simulated packet by packet are from their closed forms: network.* metrics, a table,
// and network_fidelity.csv.
void report_fidelity(const std::vector<platforms::packet_network::comparison>& rows, harness::run_context& context);

}  // namespace scribeline::scenarios
