#include "scenarios/wafer_link/wafer_link_keys.h"

namespace scribeline::scenarios {

void declare_wafer_link_keys(harness::key_table& keys, link::link_config& link) {
  keys.add("machine.link.lanes", link.lanes)
      .range(1, 1024)
      .source("vendor: 12 x 100 GbE per system, all of them through the switches of the cluster")
      .meaning("Ethernet ports between neighbours, striped");
  keys.add("machine.link.lane_gbps", link.lane_gbps)
      .unit("Gb/s")
      .range(1e-6, 1e6)
      .source("vendor: 100 GbE")
      .meaning("rate of one port");
  keys.add("machine.link.latency_ns", link.latency_ns)
      .unit("ns")
      .range(0, 1e9)
      .source("wafer to wafer, published: 5 us in 2024, 2..3 us in 2026")
      .meaning("first bit out to first bit in, one way; credits take as long to come back");
  keys.add("machine.link.frame_payload_bytes", link.frame_payload_bytes)
      .unit("B")
      .range(46, 65536)
      .source("assumption: jumbo frames")
      .meaning("most payload of one Ethernet frame");
  keys.add("machine.link.receive_buffer_bytes", link.receive_buffer_bytes)
      .unit("B")
      .range(1, 1e12)
      .source("assumption: 16 MiB of wafer SRAM, three prompt chunks of the largest model")
      .meaning("passes received and not yet sent on occupy it; its free space is the sender's credit");
}

}  // namespace scribeline::scenarios
