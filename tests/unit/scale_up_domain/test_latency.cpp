#include <catch2/catch.hpp>

#include "tests/unit/scale_up_domain/domain_bench.h"

using namespace scribeline;
using namespace scribeline::platforms;
using sc_core::sc_time;

namespace {

// From send() to the arrival of one transaction of 64 B: first bit one way, and the frame of max(64, 10 + 8 + 64) + 20
// B.
void check_one_way(const latency_parts& parts, double one_way_ns) {
  scale_up_config c;
  c.latency = parts;
  REQUIRE(parts.one_way_ns() == Approx(one_way_ns).epsilon(1e-12));
  watched_domain d(c);
  d.net.rank(0).send(5, base::bytes{64}, 42);
  d.run();
  REQUIRE(d.arrivals.size() == 1);
  CHECK(d.arrivals[0].rank == 5);
  CHECK(d.arrivals[0].what.source == 0);
  CHECK(d.arrivals[0].what.tag == 42);
  const sc_time frame = base::bandwidth{800}.duration(base::bytes{102});
  CHECK(d.arrivals[0].at == base::picoseconds(one_way_ns * 1000) + frame);
}

}  // namespace

TEST_CASE("one way through a switch with 3 m of twinax takes 477.6 ns and a frame") {
  check_one_way(twinax_3m, 477.6);
}

TEST_CASE("one way through a switch with 30 m of fibre takes 747.6 ns and a frame") {
  check_one_way(fibre_30m, 747.6);
}

TEST_CASE("the parts of both published sums are the same three bounds") {
  CHECK(477.6 - 2 * 3 * 4.6 == Approx(450));
  CHECK(747.6 - 2 * 30 * 4.96 == Approx(450));
  const latency_parts p = twinax_3m;
  CHECK(2 * p.bridge_ns + 2 * p.phy_ns + p.switch_ns == 450);
}

TEST_CASE("a read comes back after two one-way trips and two frames") {
  scale_up_config c;
  watched_domain d(c);
  d.net.rank(3).read(1, base::bytes{256}, 7);
  d.run();
  REQUIRE(d.arrivals.size() == 1);
  CHECK(d.arrivals[0].rank == 3);
  CHECK(d.arrivals[0].what.kind == sue::transfer_kind::read_response);
  CHECK(d.arrivals[0].what.size == base::bytes{256});
  // A command of 32 B is padded to 64 B; the response carries 18 B of headers.
  const sc_time frames =
      base::bandwidth{800}.duration(base::bytes{64 + 20}) + base::bandwidth{800}.duration(base::bytes{256 + 18 + 20});
  CHECK(d.arrivals[0].at == base::picoseconds(2 * 477'600) + frames);
}
