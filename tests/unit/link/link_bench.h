// Two connected ports and what arrived at the second.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/link/port.h"

namespace scribeline::link {

inline sc_core::sc_time ns(double n) {
  return base::picoseconds(n * 1000);
}

inline message message_of(std::int64_t size, std::uint64_t request = 0, int virtual_channel = 0) {
  message m;
  m.size = base::bytes{size};
  m.request = request;
  m.virtual_channel = virtual_channel;
  return m;
}

// One lane of 100 GbE: a byte takes 80 ps, so a frame of 1000 B takes (1000 + 38) x 80 ps = 83.04 ns.
inline link_config one_lane() {
  link_config c;
  c.lane_gbps = 100;
  c.latency_ns = 2000;
  c.credit_latency_ns = 500;
  return c;
}

// The same with frames of 1000 B and room for four.
inline link_config room_for_four() {
  link_config c = one_lane();
  c.frame_payload_bytes = 1000;
  c.receive_buffer_bytes = 4000;
  return c;
}

struct link_bench {
  port a;
  port b;
  std::vector<delivery> arrived;
  bool releases = true;

  explicit link_bench(const link_config& config) : link_bench(config, config) {}
  // Several in one simulation have different names.
  link_bench(const link_config& config_a, const link_config& config_b, const std::string& name = "")
      : a((name + "a").c_str(), config_a), b((name + "b").c_str(), config_b) {
    connect(a, b);
    b.on_message([this](delivery& d) {
      if (releases) b.release(d);
      arrived.push_back(d);
    });
    a.on_message([this](delivery& d) { a.release(d); });
  }

  // Until nothing happens any more.
  void run() { sc_core::sc_start(); }
  void run_for(double nanoseconds) { sc_core::sc_start(ns(nanoseconds)); }

  sc_core::sc_time arrival(std::size_t i) const { return arrived.at(i).arrived_at; }
};

}  // namespace scribeline::link
