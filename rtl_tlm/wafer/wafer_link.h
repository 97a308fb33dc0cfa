// The link between two wafers, and between a wafer and the host.
#pragma once

#include "rtl_tlm/link/link_config.h"

namespace scribeline::wafer {

// 12 x 100 GbE (vendor); 5 us one way as published in 2024, 2..3 us in 2026, and as long for credits; jumbo frames and
// 16 MiB of wafer SRAM as receive buffer are assumptions.
inline link::link_config wafer_link() {
  link::link_config c;
  c.lanes = 12;
  c.lane_gbps = 100;
  c.latency_ns = 5000;
  c.credit_latency_ns = c.latency_ns;
  c.frame_payload_bytes = 9000;
  c.receive_buffer_bytes = std::int64_t{16} << 20;
  return c;
}

}  // namespace scribeline::wafer
