// Parameters of a scale-up domain, and the latency sums that its presets keep.
#pragma once

#include <string>

#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/sue/endpoint_config.h"
#include "rtl_tlm/switch/switch_config.h"

namespace scribeline::platforms {

// One way from accelerator to accelerator through one switch, first bit to first bit:
//
//   bridge + PHY + cable + switch + cable + PHY + bridge
//
// Scale-up Ethernet gives bounds (bridges < 100 ns, PHYs < 100 ns, switch < 250 ns) and sums: 477.6 ns with 3 m
// twinax, 747.6 ns with 30 m fibre. 477.6 - 2 x 3 x 4.6 = 747.6 - 2 x 30 x 4.96 = 450 = 100 + 100 + 250: each sum is
// the three bounds, taken as values, and the cable of both legs. Half of a bound is put at each end; the switch's
// 250 ns are pin to pin and contain its own PHYs.
struct latency_parts {
  double bridge_ns = 50;  // at each accelerator
  double phy_ns = 50;     // at each accelerator, FEC included
  double switch_ns = 250;
  double cable_m = 3;  // of each leg
  double cable_ns_per_m = 4.6;

  double leg_ns() const { return phy_ns + cable_m * cable_ns_per_m; }
  double one_way_ns() const { return 2 * bridge_ns + 2 * leg_ns() + switch_ns; }
};

constexpr latency_parts twinax_3m{50, 50, 250, 3, 4.6};
constexpr latency_parts fibre_30m{50, 50, 250, 30, 4.96};

// Full rate takes credit for the way there and back, the time in the switch and a frame: about 460 ns, 46 KB at 800
// Gb/s. Twice that and rounded up: an assumption.
constexpr std::int64_t default_receive_buffer_bytes = 128 * 1024;

struct scale_up_config {
  int ranks = 8;
  int planes = 1;
  latency_parts latency;
  double port_gbps = 800;  // of an accelerator's port on one plane, and of the switch's opposite one
  // What these fields say again in the configs below is taken from here: see domain_link() and its like.
  link::link_config link;
  sue::endpoint_config endpoint;
  switching::switch_config network_switch;

  scale_up_config() {
    link.receive_buffer_bytes = default_receive_buffer_bytes;
    link.llr.on = true;
  }

  // What is wrong, as a sentence that names the key; empty when all is well.
  std::string problem() const;
};

// `link` with the rate, the latencies, the frame sizes and the virtual channels that the rest implies. Error correction
// adds no latency of its own: phy_ns and switch_ns contain it.
link::link_config domain_link(const scale_up_config& c);
// `endpoint` with planes and bridge, `network_switch` with ports and latency.
sue::endpoint_config domain_endpoint(const scale_up_config& c);
switching::switch_config domain_switch(const scale_up_config& c);

}  // namespace scribeline::platforms
