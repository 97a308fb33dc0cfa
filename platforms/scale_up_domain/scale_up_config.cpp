#include "platforms/scale_up_domain/scale_up_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace scribeline::platforms {

link::link_config domain_link(const scale_up_config& c) {
  link::link_config l = c.link;
  l.lanes = 1;
  l.lane_gbps = c.port_gbps;
  l.errors.fec_latency_ns = 0;
  l.latency_ns = c.latency.leg_ns();
  l.credit_latency_ns = c.latency.leg_ns();
  l.frame_payload_bytes = sue::frame_bytes(c.endpoint, c.endpoint.pdu_bytes * c.endpoint.train_pdus);
  if (c.endpoint.train_pdus > 1) {
    // Room for trains: what does not wait needs no more of it than frames do.
    l.receive_buffer_bytes = std::max(l.receive_buffer_bytes, 4 * l.frame_payload_bytes);
    l.llr.replay_buffer_bytes = std::max(l.llr.replay_buffer_bytes, 4 * l.frame_payload_bytes);
  }
  l.frame_overhead_bytes = link::ethernet_gap_bytes;
  l.min_frame_payload_bytes = link::ethernet_min_frame_bytes;
  l.virtual_channels =
      1 + std::max({c.endpoint.request_channel, c.endpoint.response_channel, c.endpoint.collective_channel});
  return l;
}

sue::endpoint_config domain_endpoint(const scale_up_config& c) {
  sue::endpoint_config e = c.endpoint;
  e.planes = c.planes;
  e.bridge_ns = c.latency.bridge_ns;
  return e;
}

switching::switch_config domain_switch(const scale_up_config& c) {
  switching::switch_config s = c.network_switch;
  s.ports = c.ranks;
  s.latency_ns = c.latency.switch_ns;
  if (c.endpoint.train_pdus > 1) {
    const link::link_config l = domain_link(c);
    s.buffer_bytes = std::max(s.buffer_bytes, c.ranks * l.virtual_channels * l.receive_buffer_bytes);
  }
  return s;
}

std::string scale_up_config::problem() const {
  if (ranks < 2 || ranks > sue::max_ranks) return fmt::format("ranks = {}: must be 2 to {}", ranks, sue::max_ranks);
  if (planes < 1) return fmt::format("planes = {}: must be 1 or more", planes);
  if (!(latency.cable_m >= 0) || !(latency.cable_ns_per_m >= 0) || !(latency.phy_ns >= 0))
    return "latency: PHY, cable length and delay must be 0 or more";
  if (std::string p = domain_endpoint(*this).problem(); !p.empty()) return "endpoint: " + p;
  if (std::string p = domain_link(*this).problem(); !p.empty()) return "link: " + p;
  if (std::string p = domain_switch(*this).problem(); !p.empty()) return "switch: " + p;
  if (endpoint.train_pdus > 1 && (link.errors.bit_error_rate > 0 || link.errors.frame_error_rate > 0))
    return "endpoint: train_pdus > 1 has no errors of single frames; set it to 1, or the error rate to 0";
  const std::int64_t needed = std::int64_t{ranks} * domain_link(*this).virtual_channels * link.receive_buffer_bytes;
  if (endpoint.train_pdus == 1 && needed > network_switch.buffer_bytes)
    return fmt::format("switch: buffer_bytes = {}: {} ports with {} virtual channels of {} B receive buffer take {}",
                       network_switch.buffer_bytes, ranks, domain_link(*this).virtual_channels,
                       link.receive_buffer_bytes, needed);
  return {};
}

}  // namespace scribeline::platforms
