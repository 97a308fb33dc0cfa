// Two endpoints back to back, without a switch, that note what arrives.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/sue/endpoint.h"

namespace scribeline::sue {

// 800 Gb/s = 100 B per ns; 100 ns one way.
inline link::link_config link_for(const endpoint_config& c) {
  link::link_config l;
  l.lane_gbps = 800;
  l.latency_ns = 100;
  l.credit_latency_ns = 100;
  l.frame_payload_bytes = frame_bytes(c, c.pdu_bytes);
  l.frame_overhead_bytes = link::ethernet_gap_bytes;
  l.min_frame_payload_bytes = link::ethernet_min_frame_bytes;
  l.virtual_channels = 3;
  l.receive_buffer_bytes = 128 * 1024;
  return l;
}

struct noted_arrival {
  arrival what;
  sc_core::sc_time at;
};

class endpoint_pair {
 public:
  endpoint_pair(const endpoint_config& config, const link::link_config& link)
      : a(std::make_unique<endpoint>(sc_core::sc_gen_unique_name("a"), 0, config, link)),
        b(std::make_unique<endpoint>(sc_core::sc_gen_unique_name("b"), 1, config, link)) {
    for (int plane = 0; plane < config.planes; ++plane)
      link::connect(a->ports[plane], b->ports[plane]);
    a->on_arrival([this](const arrival& t) { at_a.push_back({t, sc_core::sc_time_stamp()}); });
    b->on_arrival([this](const arrival& t) { at_b.push_back({t, sc_core::sc_time_stamp()}); });
    a->on_completion([this](const completion& t) { completed.push_back(t); });
  }
  explicit endpoint_pair(const endpoint_config& config) : endpoint_pair(config, link_for(config)) {}

  std::unique_ptr<endpoint> a, b;
  std::vector<noted_arrival> at_a, at_b;
  std::vector<completion> completed;  // of a
};

inline sc_core::sc_time nanoseconds(double ns) {
  return base::picoseconds(ns * 1000);
}

}  // namespace scribeline::sue
