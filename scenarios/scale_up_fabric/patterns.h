// The traffic patterns: each builds its network, runs it and reports. False after Ctrl-C.
#pragma once

#include "scenarios/scale_up_fabric/network_run.h"

namespace scribeline::scenarios {

// Rank 0 and rank 1 send each other one transfer at a time.
bool run_ping(network_run& run);
// Pairs of ranks send to each other as fast as they can.
bool run_line_rate(network_run& run);
// All ranks but two send to rank 0, with victims beside it.
bool run_incast(network_run& run);
// Ports face to face, with different credits, or different bit error rates.
bool run_credit_sweep(network_run& run);
bool run_bit_error_sweep(network_run& run);
// The same vector reduced by the switches, and by a ring of the ranks.
bool run_all_reduce(network_run& run);
// Tokens to the ranks of their experts.
bool run_all_to_all(network_run& run);

}  // namespace scribeline::scenarios
