#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "rtl_tlm/base/random.h"
#include "scenarios/scale_up_fabric/patterns.h"

namespace scribeline::scenarios {
namespace {

// Tokens that each rank sends to each other one: every token goes to experts_per_token ranks drawn evenly, once to each
// of them; what stays at home does not travel.
class routing {
 public:
  routing(const traffic_settings& t, int ranks, std::uint64_t seed)
      : ranks_(ranks), tokens_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), 0) {
    std::vector<std::int64_t> last_token(static_cast<std::size_t>(ranks), -1);
    for (int source = 0; source < ranks; ++source) {
      auto random = base::random_stream::of(seed, source);
      std::fill(last_token.begin(), last_token.end(), -1);
      for (std::int64_t token = 0; token < t.tokens; ++token)
        for (int e = 0; e < t.experts_per_token; ++e) {
          const auto destination = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
          if (destination == source || last_token[destination] == token) continue;
          last_token[destination] = token;
          ++tokens_[index(source, destination)];
        }
    }
  }

  std::int64_t tokens(int source, int destination) const { return tokens_[index(source, destination)]; }

 private:
  std::size_t index(int source, int destination) const {
    return static_cast<std::size_t>(source) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(destination);
  }

  int ranks_;
  std::vector<std::int64_t> tokens_;
};

}  // namespace

bool run_all_to_all(network_run& run) {
  const network_settings& s = run.settings();
  const platforms::scale_up_config& c = s.machine;
  platforms::scale_up_domain& net = run.add_domain("net", c);
  const routing routes(s.traffic, c.ranks, static_cast<std::uint64_t>(run.context().settings.seed));
  const auto token_bytes =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(s.traffic.hidden) * s.traffic.bytes_per_element));

  std::vector<double> finished(static_cast<std::size_t>(c.ranks), 0);
  std::vector<double> out_ns(finished), in_ns(finished);
  std::int64_t total = 0;
  for (int r = 0; r < c.ranks; ++r)
    net.rank(r).on_arrival(
        [&finished, r](const sue::arrival&) { finished[r] = nanoseconds(sc_core::sc_time_stamp()); });
  for (int source = 0; source < c.ranks; ++source)
    for (int i = 1; i < c.ranks; ++i) {
      // Each begins with its neighbour, so that not all begin with the same one.
      const int destination = (source + i) % c.ranks;
      const std::int64_t bytes = routes.tokens(source, destination) * token_bytes;
      if (bytes == 0) continue;
      net.rank(source).send(destination, base::bytes{bytes});
      total += bytes;
      out_ns[source] += wire_ns(c, bytes);
      in_ns[destination] += wire_ns(c, bytes);
    }
  const auto so_far = [&net] {
    std::int64_t bytes = 0;
    for (int r = 0; r < net.ranks(); ++r)
      bytes += net.rank(r).statistics().bytes_arrived;
    return static_cast<double>(bytes);
  };
  if (!run.run(static_cast<double>(total), "bytes", so_far)) return false;

  const double busiest_out = *std::max_element(out_ns.begin(), out_ns.end());
  const double busiest_in = *std::max_element(in_ns.begin(), in_ns.end());
  const double bound = c.latency.one_way_ns() + std::max(busiest_out, busiest_in) / c.planes;
  const double end = *std::max_element(finished.begin(), finished.end());
  harness::metrics& m = run.context().metrics;
  m.add("all_to_all_us", end / 1000)
      .unit("us")
      .headline(fmt::format("all-to-all over {} ranks, last byte", c.ranks))
      .at_least(bound / 1000, busiest_out > busiest_in ? "ports of the rank that sends most"
                                                       : "ports of the rank that receives most");
  m.add("over_bound", end / bound).headline("times the bound");
  m.add_percentiles("rank_done_ns", finished, "ns");
  m.add("bytes_total", total).unit("B").headline("bytes sent by all ranks");
  m.add("gb_per_s_per_rank", static_cast<double>(total) / c.ranks / end).unit("GB/s").headline("per rank, mean");
  run.report_counters(net);
  return true;
}

}  // namespace scribeline::scenarios
