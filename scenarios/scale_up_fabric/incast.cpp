#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "rtl_tlm/base/error.h"
#include "scenarios/scale_up_fabric/patterns.h"

namespace scribeline::scenarios {
namespace {

enum transfer_tag : std::uint64_t { attacker, bystander, reader };

// What is on the wire of a port that two flows share frame by frame while the shorter one lasts.
double shared_ns(const platforms::scale_up_config& c, std::int64_t bytes) {
  return (2 * wire_ns(c, bytes) + wire_ns(c, c.endpoint.pdu_bytes)) / c.planes;
}

}  // namespace

bool run_incast(network_run& run) {
  const network_settings& s = run.settings();
  const platforms::scale_up_config& c = s.machine;
  if (c.ranks < 4) throw base::bad_input("machine.ranks: an incast takes 4 ranks or more: senders, target, two others");
  platforms::scale_up_domain& net = run.add_domain("net", c);
  // Rank 0 is the target, the last two are the victims' ends.
  const int target = 0;
  const int idle_rank = c.ranks - 1;
  const int server = c.ranks - 2;
  const int senders = c.ranks - 3;
  // The victims are short beside the incast.
  const std::int64_t victim_bytes = std::max<std::int64_t>(1, s.traffic.bytes / 8);
  std::vector<double> finished;
  double bystander_ns = 0;
  double reader_ns = 0;
  for (int r = 0; r < c.ranks; ++r)
    net.rank(r).on_arrival([&](const sue::arrival& a) {
      const double now = nanoseconds(sc_core::sc_time_stamp());
      if (a.tag == attacker) finished.push_back(now);
      if (a.tag == bystander) bystander_ns = now;
      if (a.tag == reader) reader_ns = now;
    });
  for (int sender = 1; sender <= senders; ++sender)
    net.rank(sender).send(target, base::bytes{s.traffic.bytes}, attacker);
  if (s.traffic.victims) {
    net.rank(1).send(idle_rank, base::bytes{victim_bytes}, bystander);
    net.rank(target).read(server, base::bytes{victim_bytes}, reader);
  }
  if (!run.run(senders, "transfers", [&] { return static_cast<double>(finished.size()); })) return false;

  // The response, and the acknowledgement of the request.
  const double victim_wire = s.traffic.victims ? wire_ns(c, victim_bytes) + wire_ns(c, 1) : 0;
  const double form = c.latency.one_way_ns() + (senders * wire_ns(c, s.traffic.bytes) + victim_wire) / c.planes;
  harness::metrics& m = run.context().metrics;
  m.add("last_byte_us", finished.back() / 1000)
      .unit("us")
      .headline(fmt::format("incast of {} ranks, last byte", senders))
      .at_least((c.latency.one_way_ns() + senders * wire_ns(c, s.traffic.bytes) / c.planes) / 1000,
                "latency + N x B / rate");
  m.add("formula_us", form / 1000).unit("us").headline("latency + all that passes the output / rate");
  m.add("formula.deviation_ns", finished.back() - form).unit("ns").headline("later than that");
  m.add("first_done_us", finished.front() / 1000).unit("us").headline("first sender done");
  if (s.traffic.victims) {
    m.add("victim.other_output_us", bystander_ns / 1000)
        .unit("us")
        .headline("victim to another output")
        .at_least(least_ns(c, victim_bytes) / 1000, "alone in the network");
    m.add("victim.other_output_fair_us", (c.latency.one_way_ns() + shared_ns(c, victim_bytes)) / 1000)
        .unit("us")
        .headline("sharing its own port by halves");
    m.add("victim.other_channel_us", reader_ns / 1000)
        .unit("us")
        .headline("victim through the same output, other channel")
        .at_least((2 * c.latency.one_way_ns() + wire_ns(c, std::min(victim_bytes, c.endpoint.pdu_bytes))) / 1000,
                  "alone in the network");
    m.add("victim.other_channel_fair_us",
          (2 * c.latency.one_way_ns() + wire_ns(c, 1) + shared_ns(c, victim_bytes)) / 1000)
        .unit("us")
        .headline("sharing the output by halves");
  }
  run.report_counters(net);
  return true;
}

}  // namespace scribeline::scenarios
