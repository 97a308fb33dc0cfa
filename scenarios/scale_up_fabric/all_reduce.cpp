#include <fmt/format.h>

#include <stdexcept>

#include "scenarios/scale_up_fabric/patterns.h"

namespace scribeline::scenarios {
namespace {

using platforms::scale_up_config;
using platforms::scale_up_domain;

// Reduce-scatter and all-gather round a ring: 2 (N - 1) steps, in each of which every rank passes a chunk of 1/N of the
// vector to the next as soon as the one before is here. Adding takes no time: the network is what is looked at.
class ring {
 public:
  ring(scale_up_domain& net, std::int64_t bytes)
      : net_(net), chunk_(base::ceil_div<std::int64_t>(bytes, net.ranks())), last_step_(2 * (net.ranks() - 1)) {
    for (int r = 0; r < net.ranks(); ++r)
      net.rank(r).on_arrival([this, r](const sue::arrival& a) { passed(r, a.tag); });
  }

  void start() {
    for (int r = 0; r < net_.ranks(); ++r)
      pass_on(r, 1);
  }
  // When the last rank had the whole result.
  const sc_core::sc_time& end() const { return end_; }
  std::int64_t chunk_bytes() const { return chunk_; }
  std::int64_t steps() const { return steps_; }

 private:
  void pass_on(int rank, std::uint64_t step) {
    net_.rank(rank).send((rank + 1) % net_.ranks(), base::bytes{chunk_}, step);
  }
  void passed(int rank, std::uint64_t step) {
    ++steps_;
    end_ = sc_core::sc_time_stamp();
    if (step < static_cast<std::uint64_t>(last_step_)) pass_on(rank, step + 1);
  }

  scale_up_domain& net_;
  std::int64_t chunk_;
  int last_step_;
  std::int64_t steps_ = 0;
  sc_core::sc_time end_;
};

// Every rank contributes, the switches add; the value that stands for the vector must come out right everywhere.
class in_network {
 public:
  in_network(scale_up_domain& net, std::int64_t bytes) : net_(net), bytes_(bytes) {
    for (int r = 0; r < net.ranks(); ++r)
      net.rank(r).on_arrival([this](const sue::arrival& a) {
        end_ = sc_core::sc_time_stamp();
        if (a.value == expected()) ++right_;
      });
  }

  void start() {
    for (int r = 0; r < net_.ranks(); ++r)
      net_.rank(r).all_reduce(scale_up_domain::everybody, base::bytes{bytes_}, 0, static_cast<std::uint64_t>(r) + 1);
  }
  const sc_core::sc_time& end() const { return end_; }
  int right() const { return right_; }

 private:
  std::uint64_t expected() const {
    const auto n = static_cast<std::uint64_t>(net_.ranks());
    return n * (n + 1) / 2;
  }

  scale_up_domain& net_;
  std::int64_t bytes_;
  sc_core::sc_time end_;
  int right_ = 0;
};

// Every rank sends its whole vector to every other and adds what comes: the fewest steps, the most bytes.
class one_shot {
 public:
  one_shot(scale_up_domain& net, std::int64_t bytes) : net_(net), bytes_(bytes) {
    for (int r = 0; r < net.ranks(); ++r)
      net.rank(r).on_arrival([this](const sue::arrival&) {
        end_ = sc_core::sc_time_stamp();
        ++arrived_;
      });
  }

  // Neighbours first: at any time every rank receives from one other.
  void start() {
    for (int ahead = 1; ahead < net_.ranks(); ++ahead)
      for (int r = 0; r < net_.ranks(); ++r)
        net_.rank(r).send((r + ahead) % net_.ranks(), base::bytes{bytes_});
  }
  const sc_core::sc_time& end() const { return end_; }
  std::int64_t arrived() const { return arrived_; }

 private:
  scale_up_domain& net_;
  std::int64_t bytes_;
  sc_core::sc_time end_;
  std::int64_t arrived_ = 0;
};

}  // namespace

bool run_all_reduce(network_run& run) {
  const network_settings& s = run.settings();
  const scale_up_config& c = s.machine;
  scale_up_domain& switched_net = run.add_domain("in_network", c);
  scale_up_domain& ring_net = run.add_domain("ring", c);
  scale_up_domain& one_shot_net = run.add_domain("one_shot", c);
  in_network switched(switched_net, s.traffic.bytes);
  ring passed(ring_net, s.traffic.bytes);
  one_shot sent(one_shot_net, s.traffic.bytes);
  switched.start();
  passed.start();
  sent.start();
  const double steps = 2.0 * (c.ranks - 1);
  const double messages = steps * c.ranks + (c.ranks - 1.0) * c.ranks;
  if (!run.run(messages, "messages", [&] { return static_cast<double>(passed.steps() + sent.arrived()); }))
    return false;
  if (switched.right() != c.ranks)
    throw std::logic_error(fmt::format("{} of {} ranks have the right sum", switched.right(), c.ranks));

  // Contributions and results pass every port once; a result leaves when its last contribution is completely here.
  const double one_way = c.latency.one_way_ns();
  const double vector_ns = wire_ns(c, s.traffic.bytes) / c.planes;
  const double chunk_ns = wire_ns(c, passed.chunk_bytes()) / c.planes;
  harness::metrics& m = run.context().metrics;
  m.add("in_network_us", nanoseconds(switched.end()) / 1000)
      .unit("us")
      .headline(fmt::format("all-reduce over {} ranks in the switches", c.ranks))
      .at_least((one_way + vector_ns) / 1000, "latency + B / rate of a rank");
  m.add("ring_us", nanoseconds(passed.end()) / 1000)
      .unit("us")
      .headline("round a ring")
      .at_least(steps * (one_way + chunk_ns) / 1000, "2 (N - 1) steps of latency + B / N / rate");
  m.add("one_shot_us", nanoseconds(sent.end()) / 1000)
      .unit("us")
      .headline("every rank to every other at once")
      .at_least((one_way + (c.ranks - 1) * vector_ns) / 1000, "latency + (N - 1) B / rate of a rank");
  m.add("ring_over_in_network", nanoseconds(passed.end()) / nanoseconds(switched.end()))
      .headline("ring, times as long as in the switches");
  const auto bus = [&](double ns) { return 2.0 * (c.ranks - 1) / c.ranks * static_cast<double>(s.traffic.bytes) / ns; };
  m.add("in_network.bus_gb_per_s", bus(nanoseconds(switched.end()))).unit("GB/s");
  m.add("ring.bus_gb_per_s", bus(nanoseconds(passed.end()))).unit("GB/s").headline("ring, bus bandwidth");
  m.add("values.right", switched.right()).headline("ranks with the right sum");
  run.report_counters(switched_net, "in_network.");
  run.report_counters(ring_net, "ring.");
  run.report_counters(one_shot_net, "one_shot.");
  return true;
}

}  // namespace scribeline::scenarios
