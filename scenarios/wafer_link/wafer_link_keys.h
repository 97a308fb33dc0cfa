// The keys of links between wafers: machine.link.lanes, lane_gbps, latency_ns, frame_payload_bytes,
// receive_buffer_bytes.
#pragma once

#include "rtl_tlm/link/link_config.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

// Latency is that of frames; the scenario gives it to credits, too.
void declare_wafer_link_keys(harness::key_table& keys, link::link_config& link);

}  // namespace scribeline::scenarios
