// A saturated link with bit errors and retry: how much gets through, and whether in order and once.
#pragma once

#include <cmath>
#include <memory>

#include "rtl_tlm/link/port.h"

namespace scribeline::link {

struct retry_link {
  // One frame per message, 30 B around its payload, 800 Gb/s.
  static link_config config(double round_trip_ns, double bit_error_rate) {
    link_config c = scale_up_ethernet(800);
    c.latency_ns = round_trip_ns / 2;
    c.frame_payload_bytes = 4110;
    c.credit_latency_ns = round_trip_ns / 2;
    c.receive_buffer_bytes = 1 << 20;
    c.policy = buffer_policy::drain_on_arrival;
    c.errors = {};
    c.errors.bit_error_rate = bit_error_rate;
    c.errors.control_error_rate = 0;
    c.llr.replay_timeout_ns = 20'000;
    return c;
  }

  port a, b;
  const std::int64_t frames;
  const std::int64_t payload;
  std::int64_t sent = 0;
  std::int64_t messages = 0;  // arrived
  bool in_order = true;
  sc_core::sc_time last_arrival;

  retry_link(const link_config& c, std::int64_t number_of_frames, std::int64_t payload_bytes)
      : a(sc_core::sc_gen_unique_name("a"), c),
        b(sc_core::sc_gen_unique_name("b"), c),
        frames(number_of_frames),
        payload(payload_bytes) {
    connect(a, b);
    b.on_message([this](delivery& d) {
      in_order &= d.content.request == static_cast<std::uint64_t>(messages);
      ++messages;
      last_arrival = d.arrived_at;
      send_more(1);
    });
    send_more(200);
  }

  // Share of the wire that carried frames for the first time that arrived.
  double goodput() const {
    const double frame_ns = static_cast<double>(wire_bytes(a.config(), payload)) * 8 / a.config().lane_gbps;
    return static_cast<double>(messages) * frame_ns / (last_arrival.to_seconds() * 1e9 - a.config().latency_ns);
  }

 private:
  void send_more(std::int64_t n) {
    for (; n > 0 && sent < frames; --n) {
      message m;
      m.size = base::bytes{payload};
      m.request = static_cast<std::uint64_t>(sent++);
      a.send(m);
    }
  }
};

}  // namespace scribeline::link
