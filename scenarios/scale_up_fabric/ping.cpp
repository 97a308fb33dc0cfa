#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scenarios/scale_up_fabric/patterns.h"

namespace scribeline::scenarios {
namespace {

harness::text_table parts_table(const platforms::latency_parts& p, double frame_ns) {
  harness::text_table table({"part", "ns"});
  table.align_right(1);
  const auto row = [&table](const std::string& name, double ns) { table.add_row({name, fmt::format("{:.2f}", ns)}); };
  row("bridge of the sender", p.bridge_ns);
  row("PHY of the sender", p.phy_ns);
  row(fmt::format("cable, {} m", p.cable_m), p.cable_m * p.cable_ns_per_m);
  row("switch", p.switch_ns);
  row(fmt::format("cable, {} m", p.cable_m), p.cable_m * p.cable_ns_per_m);
  row("PHY of the receiver", p.phy_ns);
  row("bridge of the receiver", p.bridge_ns);
  row("first bit, one way", p.one_way_ns());
  row("frame, first bit to last", frame_ns);
  return table;
}

}  // namespace

bool run_ping(network_run& run) {
  const network_settings& s = run.settings();
  const platforms::scale_up_config& c = s.machine;
  platforms::scale_up_domain& net = run.add_domain("net", c);
  const base::bytes size{s.traffic.bytes};
  std::vector<double> one_way;
  const int trips = 2 * s.traffic.repeat;
  for (const int rank : {0, 1}) {
    net.rank(rank).on_arrival([&, rank](const sue::arrival& a) {
      one_way.push_back(nanoseconds(sc_core::sc_time_stamp() - a.began_at));
      if (static_cast<int>(one_way.size()) < trips) net.rank(rank).send(1 - rank, size);
    });
  }
  net.rank(0).send(1, size);
  if (!run.run(trips, "trips", [&] { return static_cast<double>(one_way.size()); })) return false;

  const double last_frame = wire_ns(c, std::min(s.traffic.bytes, c.endpoint.pdu_bytes));
  harness::metrics& m = run.context().metrics;
  m.add_percentiles("one_way_ns", one_way, "ns");
  m.at("one_way_ns.p50")
      .headline("one way, last byte, median")
      .at_least(least_ns(c, s.traffic.bytes), "bridges, PHYs, cables, switch, frame");
  const double wire = c.planes == 1 ? wire_ns(c, s.traffic.bytes) : last_frame;
  m.add("first_bit_ns", harness::percentile(one_way, 50) - wire)
      .unit("ns")
      .headline("one way, first bit")
      .at_least(c.latency.one_way_ns(), "bridges, PHYs, cables, switch");
  m.add("trips", static_cast<std::int64_t>(one_way.size()));
  run.report_counters(net);
  run.context().show("One way through an idle network", parts_table(c.latency, last_frame));
  return true;
}

}  // namespace scribeline::scenarios
