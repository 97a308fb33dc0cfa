#include <algorithm>
#include <vector>

#include "rtl_tlm/base/error.h"
#include "scenarios/scale_up_fabric/patterns.h"

namespace scribeline::scenarios {

bool run_line_rate(network_run& run) {
  const network_settings& s = run.settings();
  const platforms::scale_up_config& c = s.machine;
  if (c.ranks % 2 != 0) throw base::bad_input("machine.ranks: line_rate runs pairs of ranks, it takes an even number");
  platforms::scale_up_domain& net = run.add_domain("net", c);
  sc_core::sc_time last;
  std::int64_t arrived = 0;
  for (int r = 0; r < c.ranks; ++r) {
    net.rank(r).on_arrival([&](const sue::arrival&) {
      last = sc_core::sc_time_stamp();
      ++arrived;
    });
    net.rank(r).send(r ^ 1, base::bytes{s.traffic.bytes});
  }
  const auto bytes_so_far = [&net] {
    std::int64_t bytes = 0;
    for (int r = 0; r < net.ranks(); ++r)
      bytes += net.rank(r).statistics().bytes_arrived;
    return static_cast<double>(bytes);
  };
  const double total = static_cast<double>(s.traffic.bytes) * c.ranks;
  if (!run.run(total, "bytes", bytes_so_far)) return false;

  // From the first bit at the receivers to the last one: what is in flight before and after is no rate.
  const double ns = nanoseconds(last) - c.latency.one_way_ns();
  const auto pdus = static_cast<double>(base::ceil_div(s.traffic.bytes, c.endpoint.pdu_bytes));
  const std::int64_t depth = base::ceil_div(c.endpoint.pdu_bytes, c.endpoint.transaction_bytes);
  const link::link_config l = domain_link(c);
  const std::int64_t wire = wire_bytes(l, frame_bytes(c.endpoint, c.endpoint.pdu_bytes));
  const double raw_gbps = c.port_gbps * c.planes;
  harness::metrics& m = run.context().metrics;
  m.add("packets_per_s", pdus * c.ranks / ns * 1e9)
      .unit("1/s")
      .headline("frames per second, all ports")
      .at_most(pdus * c.ranks * c.planes / wire_ns(c, s.traffic.bytes) * 1e9, "rate of the ports");
  m.add("goodput_gbps", static_cast<double>(s.traffic.bytes) * 8 / ns)
      .unit("Gb/s")
      .headline("transactions received per rank")
      .at_most(raw_gbps * static_cast<double>(c.endpoint.pdu_bytes) / static_cast<double>(wire),
               "rate of the ports, headers and gaps");
  m.add("efficiency", static_cast<double>(s.traffic.bytes) * 8 / ns / raw_gbps)
      .headline("share of the wire that carries transactions")
      .at_most(static_cast<double>(c.endpoint.pdu_bytes) / static_cast<double>(wire), "headers and gaps");
  m.add("efficiency.formula", sue::payload_efficiency(depth, c.endpoint.transaction_bytes,
                                                      c.endpoint.header_bytes + sue::reliability_header_bytes))
      .headline("nP / (nP + H + 20), without padding");
  m.add("transfers", arrived);
  run.report_counters(net);
  return true;
}

}  // namespace scribeline::scenarios
