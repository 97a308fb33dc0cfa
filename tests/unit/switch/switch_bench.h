// A switch with a plain port at each of its own, and what those receive.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "rtl_tlm/switch/cut_through_switch.h"

namespace scribeline::switching {

// 800 Gb/s = 100 B per ns, 20 B around a frame, 10 ns one way.
inline link::link_config plain_link() {
  link::link_config l;
  l.lane_gbps = 800;
  l.latency_ns = 10;
  l.credit_latency_ns = 10;
  l.frame_payload_bytes = 4096;
  l.frame_overhead_bytes = 20;
  l.min_frame_payload_bytes = 64;
  l.virtual_channels = 2;
  l.receive_buffer_bytes = 64 * 1024;
  l.policy = link::buffer_policy::drain_on_arrival;
  return l;
}

struct received {
  int port;
  link::message what;
  sc_core::sc_time at;  // last bit
};

class switch_bench {
 public:
  explicit switch_bench(int ports, const link::link_config& l = plain_link())
      : dut("dut", config_for(ports), l), ends("end") {
    ends.init(static_cast<std::size_t>(ports), [&l](const char* name, std::size_t) { return new link::port(name, l); });
    for (int p = 0; p < ports; ++p) {
      link::connect(ends[p], dut.ports[p]);
      dut.set_route(p, p);
      ends[p].on_message([this, p](link::delivery& d) { log.push_back({p, d.content, d.arrived_at}); });
    }
  }

  static switch_config config_for(int ports) {
    switch_config c;
    c.ports = ports;
    c.latency_ns = 250;
    return c;
  }

  void send(int from, const network_header& n, std::int64_t bytes, double at_ns = 0, int channel = 0,
            std::uint64_t request = 0) {
    link::message m;
    m.size = base::bytes{bytes};
    m.virtual_channel = channel;
    m.request = request;
    n.write_to(m);
    ends[from].send(m, base::picoseconds(at_ns * 1000));
  }
  void unicast(int from, int to, std::int64_t bytes, double at_ns = 0, int channel = 0, std::uint64_t request = 0) {
    network_header n;
    n.destination = to;
    send(from, n, bytes, at_ns, channel, request);
  }
  void reduce(int from, int group, std::uint64_t sequence, std::uint64_t value, std::int64_t bytes, double at_ns = 0) {
    network_header n;
    n.what = operation::reduce;
    n.destination = group;
    n.sequence = sequence;
    n.value = value;
    send(from, n, bytes, at_ns);
  }

  cut_through_switch dut;
  sc_core::sc_vector<link::port> ends;
  std::vector<received> log;
};

inline sc_core::sc_time nanoseconds(double ns) {
  return base::picoseconds(ns * 1000);
}

}  // namespace scribeline::switching
