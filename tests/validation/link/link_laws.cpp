#include "tests/validation/link/link_laws.h"

#include <cmath>
#include <memory>
#include <systemc>

#include "rtl_tlm/link/port.h"

namespace scribeline::validation {

namespace {

// Sends as fast as the link lets it.
class saturated_link {
 public:
  saturated_link(const link::link_config& c, std::int64_t payload, std::int64_t frames)
      : a_(sc_core::sc_gen_unique_name("a"), c),
        b_(sc_core::sc_gen_unique_name("b"), c),
        payload_(payload),
        left_(frames) {
    connect(a_, b_);
    b_.on_message([this](link::delivery& d) {
      if (arrived_++ == 0) first_ = d.arrived_at;
      last_ = d.arrived_at;
      b_.release(d);
      send(1);
    });
    send(1000);
  }

  std::int64_t arrived() const { return arrived_; }
  double last_ns() const { return last_.to_seconds() * 1e9; }
  // Frames per ns between the first arrival and the last.
  double rate() const { return static_cast<double>(arrived_ - 1) / ((last_ - first_).to_seconds() * 1e9); }
  link::port_statistics sent() const { return a_.statistics(); }

 private:
  void send(std::int64_t n) {
    link::message m;
    m.size = base::bytes{payload_};
    for (; n > 0 && left_ > 0; --n, --left_)
      a_.send(m);
  }

  link::port a_, b_;
  const std::int64_t payload_;
  std::int64_t left_;
  std::int64_t arrived_ = 0;
  sc_core::sc_time first_, last_;
};

}  // namespace

retry_goodput simulate_retry(double bit_error_rate, std::int64_t errors) {
  constexpr std::int64_t wire_bytes = 4140;
  constexpr double round_trip_ns = 1000;
  constexpr double frame_ns = wire_bytes / 100.;
  link::link_config c = link::scale_up_ethernet(800);
  c.frame_payload_bytes = wire_bytes - c.frame_overhead_bytes;
  c.latency_ns = round_trip_ns / 2;
  c.credit_latency_ns = round_trip_ns / 2;
  c.receive_buffer_bytes = 1 << 20;
  c.errors.fec = link::fec_code::none;  // the rate is the one that is left
  c.errors.bit_error_rate = bit_error_rate;

  const double p = -std::expm1(wire_bytes * 8 * std::log1p(-bit_error_rate));
  const double w = 1 + round_trip_ns / frame_ns;
  // Errors fall on replayed frames, too: frames delivered per error are fewer than 1/p.
  const double per_error = (1 - p) / p;
  const auto frames = static_cast<std::int64_t>(static_cast<double>(errors) * per_error * 1.02);
  saturated_link link{c, c.frame_payload_bytes, frames};
  sc_core::sc_start();

  retry_goodput result;
  result.bit_error_rate = bit_error_rate;
  result.frames = link.arrived();
  result.errors = link.sent().frames_corrupted;
  result.simulated = static_cast<double>(link.arrived()) * frame_ns / (link.last_ns() - c.latency_ns);
  result.closed_form = (1 - p) / (1 - p + p * w);
  return result;
}

std::vector<credit_point> simulate_credits(double latency_ns, const std::vector<std::int64_t>& frames) {
  link::link_config c = link::scale_up_ethernet(800);
  c.latency_ns = latency_ns / 2;
  c.credit_latency_ns = latency_ns / 2;
  c.errors.fec = link::fec_code::none;
  c.llr.replay_buffer_bytes = 1 << 20;  // or it would be the limit
  const double frame_ns = static_cast<double>(link::wire_bytes(c, c.frame_payload_bytes)) / 100;
  std::vector<std::unique_ptr<saturated_link>> links;
  for (const std::int64_t n : frames) {
    c.receive_buffer_bytes = n * c.frame_payload_bytes;
    // Whole round trips, so that none is counted in part.
    links.push_back(std::make_unique<saturated_link>(c, c.frame_payload_bytes, n * 200 + 1));
  }
  sc_core::sc_start();
  std::vector<credit_point> points;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto credit = static_cast<double>(frames[i] * c.frame_payload_bytes);
    points.push_back({frames[i], credit / (latency_ns + frame_ns), links[i]->rate() * frame_ns});
  }
  return points;
}

}  // namespace scribeline::validation
