// Sweeps: many pairs of endpoints, face to face, in one simulation; each is a point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/scale_up_fabric/patterns.h"

namespace scribeline::scenarios {
namespace {

class direct_pair {
 public:
  direct_pair(const std::string& name, const platforms::scale_up_config& c, const link::link_config& link)
      : link_(link),
        a_((name + "_a").c_str(), 0, endpoint_of(c), link),
        b_((name + "_b").c_str(), 1, endpoint_of(c), link) {
    link::connect(a_.ports[0], b_.ports[0]);
    b_.on_arrival([this](const sue::arrival&) { last_ = sc_core::sc_time_stamp(); });
  }

  void send(std::int64_t bytes) { a_.send(1, base::bytes{bytes}); }
  double bytes_arrived() const { return static_cast<double>(b_.statistics().bytes_arrived); }
  // From the first bit that arrives to the last; bridges do not count.
  double receiving_ns() const { return nanoseconds(last_) - 2 * a_.config().bridge_ns - link_.frame_path_ns(); }
  std::int64_t errors() const { return a_.ports[0].statistics().frames_corrupted; }

 private:
  static sue::endpoint_config endpoint_of(const platforms::scale_up_config& c) {
    sue::endpoint_config e = domain_endpoint(c);
    e.planes = 1;
    return e;
  }

  link::link_config link_;
  sue::endpoint a_, b_;
  sc_core::sc_time last_;
};

// Throws base::bad_input for a link that cannot be.
void check_point(const link::link_config& l) {
  const std::string problem = l.problem();
  if (problem.rfind("receive_buffer_bytes", 0) == 0) throw base::bad_input("sweep." + problem);
  if (!problem.empty()) throw base::bad_input(in_keys("link: " + problem));
}

link::link_config direct_link(const network_settings& s) {
  link::link_config l = domain_link(s.machine);
  l.latency_ns = s.sweep.round_trip_ns / 2;
  l.credit_latency_ns = s.sweep.round_trip_ns / 2;
  return l;
}

struct sweep_frame {
  std::int64_t payload;  // as the link counts it
  double ns;             // on the wire
};

sweep_frame full_frame(const network_settings& s, const link::link_config& l) {
  const std::int64_t payload = frame_bytes(s.machine.endpoint, s.machine.endpoint.pdu_bytes);
  return {payload, nanoseconds(frame_time(l, payload))};
}

bool run_pairs(network_run& run, std::deque<direct_pair>& pairs) {
  const network_settings& s = run.settings();
  for (direct_pair& p : pairs)
    p.send(s.traffic.bytes);
  const double total = static_cast<double>(s.traffic.bytes) * static_cast<double>(pairs.size());
  return run.run(total, "bytes", [&pairs] {
    double bytes = 0;
    for (const direct_pair& p : pairs)
      bytes += p.bytes_arrived();
    return bytes;
  });
}

// Of the time in which a point's bytes arrived, the part that they take at the rate of the port.
double share_of_rate(const network_settings& s, const direct_pair& pair) {
  return wire_ns(s.machine, s.traffic.bytes) / pair.receiving_ns();
}

}  // namespace

bool run_credit_sweep(network_run& run) {
  const network_settings& s = run.settings();
  std::deque<direct_pair> pairs;
  for (const std::int64_t credits : s.sweep.receive_buffer_bytes) {
    link::link_config l = direct_link(s);
    l.receive_buffer_bytes = credits;
    check_point(l);
    pairs.emplace_back(fmt::format("credits_{}", credits), s.machine, l);
  }
  if (!run_pairs(run, pairs)) return false;

  const sweep_frame f = full_frame(s, direct_link(s));
  const double round_trip = s.sweep.round_trip_ns + f.ns;  // until the credit of a frame is back
  harness::metrics& m = run.context().metrics;
  harness::text_table table({"credits, B", "share of the rate", "closed form", "off by"});
  harness::csv_writer csv(run.context().results, "credit_sweep.csv", {"credit_bytes", "measured", "formula"});
  double worst = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::int64_t credits = s.sweep.receive_buffer_bytes[i];
    const double measured = share_of_rate(s, pairs[i]);
    const double in_flight = std::floor(static_cast<double>(credits) / static_cast<double>(f.payload));
    const double form = std::min(1.0, in_flight * f.ns / round_trip);
    const double off = measured / form - 1;
    worst = std::max(worst, std::abs(off));
    m.add(fmt::format("share.at_{}", credits), measured).at_most(1, "rate of the port");
    table.add_row({fmt::format("{}", credits), fmt::format("{:.4f}", measured), fmt::format("{:.4f}", form),
                   fmt::format("{:+.2f} %", 100 * off)});
    csv.row(credits, measured, form);
  }
  csv.close();
  for (std::size_t column = 0; column < 4; ++column)
    table.align_right(column);
  m.add("knee_bytes", std::ceil(round_trip / f.ns) * static_cast<double>(f.payload))
      .unit("B")
      .headline("credits for full rate: whole frames of a round trip");
  m.add("worst_deviation_percent", 100 * worst).unit("%").headline("farthest from the closed form");
  run.context().show("Throughput by credits", table);
  return true;
}

bool run_bit_error_sweep(network_run& run) {
  const network_settings& s = run.settings();
  std::deque<direct_pair> pairs;
  for (std::size_t i = 0; i < s.sweep.bit_error_rates.size(); ++i) {
    link::link_config l = direct_link(s);
    l.errors.bit_error_rate = s.sweep.bit_error_rates[i];
    l.errors.seed = static_cast<std::uint64_t>(run.context().settings.seed);
    check_point(l);
    pairs.emplace_back(fmt::format("point_{}", i), s.machine, l);
  }
  if (!run_pairs(run, pairs)) return false;

  const link::link_config l = direct_link(s);
  const sweep_frame f = full_frame(s, l);
  const double bits = static_cast<double>(wire_bytes(l, f.payload)) * 8;
  const double window = 1 + s.sweep.round_trip_ns / f.ns;
  harness::metrics& m = run.context().metrics;
  harness::text_table table({"bit error rate", "errors", "goodput", "closed form", "off by"});
  harness::csv_writer csv(run.context().results, "bit_error_sweep.csv",
                          {"bit_error_rate", "frame_errors", "goodput", "formula"});
  double worst = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double rate = s.sweep.bit_error_rates[i];
    const double p = -std::expm1(bits * std::log1p(-rate));
    const double form = (1 - p) / (1 - p + p * window);
    const double measured = share_of_rate(s, pairs[i]);
    const double off = measured / form - 1;
    worst = std::max(worst, std::abs(off));
    const std::int64_t errors = pairs[i].errors();
    m.add(fmt::format("goodput.point_{}", i), measured).at_most(1, "rate of the port");
    m.add(fmt::format("frame_errors.point_{}", i), errors);
    table.add_row({fmt::format("{:g}", rate), fmt::format("{}", errors), fmt::format("{:.4f}", measured),
                   fmt::format("{:.4f}", form), fmt::format("{:+.2f} %", 100 * off)});
    csv.row(rate, errors, measured, form);
  }
  csv.close();
  for (std::size_t column = 0; column < 5; ++column)
    table.align_right(column);
  m.add("worst_deviation_percent", 100 * worst).unit("%").headline("farthest from (1-p) / (1-p + pW)");
  run.context().show("Goodput with link-layer retry by bit error rate", table);
  return true;
}

}  // namespace scribeline::scenarios
