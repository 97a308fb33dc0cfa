#include <catch2/catch.hpp>

#include "tests/unit/scale_up_domain/domain_bench.h"

using namespace scribeline;
using namespace scribeline::platforms;

TEST_CASE("an all-reduce in the network takes latency, the vector and one more frame") {
  scale_up_config c;
  c.ranks = 16;
  watched_domain d(c);
  constexpr std::int64_t pdus = 25;
  for (int r = 0; r < 16; ++r)
    d.net.rank(r).all_reduce(scale_up_domain::everybody, base::bytes{4096 * pdus}, 3,
                             static_cast<std::uint64_t>(1) << r);
  d.run();
  REQUIRE(d.arrivals.size() == 16);
  for (const noted& n : d.arrivals) {
    CHECK(n.what.kind == sue::transfer_kind::reduced);
    CHECK(n.what.source == scale_up_domain::everybody);
    CHECK(n.what.tag == 3);
    CHECK(n.what.value == 0xffff);
    CHECK(n.at == base::picoseconds(477'600) + base::bandwidth{800}.duration(base::bytes{(pdus + 1) * 4134}));
  }
}

TEST_CASE("reductions of two groups and ordinary traffic do not disturb each other's results") {
  scale_up_config c;
  c.ranks = 6;
  c.planes = 2;
  watched_domain d(c);
  const int even = d.net.add_group({0, 2, 4});
  for (int r = 0; r < 6; ++r) {
    d.net.rank(r).all_reduce(scale_up_domain::everybody, base::bytes{50'000}, 1, static_cast<std::uint64_t>(r));
    if (r % 2 == 0) d.net.rank(r).all_reduce(even, base::bytes{30'000}, 2, static_cast<std::uint64_t>(r));
    d.net.rank(r).send((r + 1) % 6, base::bytes{100'000}, 3);
    d.net.rank(r).all_reduce(scale_up_domain::everybody, base::bytes{10}, 4, 1);
  }
  d.run();
  CHECK(d.arrivals.size() == 6 + 3 + 6 + 6);
  for (const noted& n : d.arrivals) {
    if (n.what.tag == 1) CHECK(n.what.value == 15);
    if (n.what.tag == 2) CHECK(n.what.value == 6);
    if (n.what.tag == 4) CHECK(n.what.value == 6);
  }
}

TEST_CASE("a rank that does not contribute is named") {
  scale_up_config c;
  c.ranks = 3;
  watched_domain d(c);
  d.net.rank(0).all_reduce(scale_up_domain::everybody, base::bytes{10}, 8);
  d.net.rank(2).all_reduce(scale_up_domain::everybody, base::bytes{10}, 8);
  CHECK_THROWS_WITH(d.run(), Catch::Contains("missing are those behind ports 1") &&
                                 Catch::Contains("the all-reduce of 10 B over group 0 (tag 8) has sent 1 of 1 chunks"));
}
