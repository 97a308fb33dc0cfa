#include <catch2/catch.hpp>
#include <map>

#include "rtl_tlm/base/random.h"
#include "tests/unit/scale_up_domain/domain_bench.h"

using namespace scribeline;
using namespace scribeline::platforms;

namespace {

// Every rank to every other one, `each` transfers of random size; tags count per pair.
void send_everything(scale_up_domain& net, std::uint64_t seed, int each) {
  base::random_stream random(seed);
  for (int i = 0; i < each; ++i)
    for (int from = 0; from < net.ranks(); ++from)
      for (int to = 0; to < net.ranks(); ++to)
        if (from != to)
          net.rank(from).send(to, base::bytes{1 + static_cast<std::int64_t>(random.below(20'000))},
                              static_cast<std::uint64_t>(i), base::picoseconds(500'000.0 * i));
}

void check_everything(const watched_domain& d, int each) {
  std::map<std::pair<int, int>, std::uint64_t> next;
  for (const noted& n : d.arrivals)
    REQUIRE(n.what.tag == next[{n.what.source, n.rank}]++);
  const auto pairs = static_cast<std::size_t>(d.net.ranks() * (d.net.ranks() - 1));
  CHECK(next.size() == pairs);
  CHECK(d.arrivals.size() == pairs * static_cast<std::size_t>(each));
}

}  // namespace

TEST_CASE("links and a plane that go down lose no transfer and repeat none") {
  const std::uint64_t seed = 99;
  CAPTURE(seed);
  scale_up_config c;
  c.ranks = 6;
  c.planes = 3;
  watched_domain d(c);
  send_everything(d.net, seed, 20);
  sc_core::sc_start(base::picoseconds(2'000'000));
  d.net.take_link_down(2, 0);
  sc_core::sc_start(base::picoseconds(1'000'000));
  d.net.take_plane_down(1);
  d.run();
  check_everything(d, 20);
  sue::endpoint_statistics sum;
  for (int r = 0; r < 6; ++r)
    sum += d.net.rank(r).statistics();
  CHECK(sum.pdus_repeated > 0);
  CHECK(d.net.plane(0).statistics().buffer_bytes == 0);
}

TEST_CASE("bit errors with and without link-layer retry lose no transfer and repeat none") {
  const std::uint64_t seed = 7;
  CAPTURE(seed);
  scale_up_config c;
  c.ranks = 5;
  c.planes = 2;
  c.link.errors.bit_error_rate = 1e-6;
  c.link.errors.seed = seed;
  scale_up_config without = c;
  without.link.llr.on = false;
  without.endpoint.retry_timeout_ns = 10'000;
  watched_domain d(c);
  scale_up_domain other("other", without);
  std::vector<noted> others;
  for (int r = 0; r < other.ranks(); ++r)
    other.rank(r).on_arrival([&others, r](const sue::arrival& a) {
      others.push_back({r, a, sc_core::sc_time_stamp()});
    });
  send_everything(d.net, seed, 30);
  send_everything(other, seed, 30);
  d.run();
  check_everything(d, 30);
  CHECK(others.size() == d.arrivals.size());
  CHECK(other.is_idle());
  std::map<std::pair<int, int>, std::uint64_t> next;
  for (const noted& n : others)
    REQUIRE(n.what.tag == next[{n.what.source, n.rank}]++);
  sue::endpoint_statistics sum;
  for (int r = 0; r < other.ranks(); ++r)
    sum += other.rank(r).statistics();
  CHECK(sum.pdus_repeated > 0);
}
