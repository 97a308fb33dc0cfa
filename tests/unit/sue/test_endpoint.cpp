#include <catch2/catch.hpp>

#include "tests/unit/sue/pair_bench.h"

using namespace scribeline;
using namespace scribeline::sue;
using sc_core::sc_start;
using sc_core::sc_time;

TEST_CASE("a transfer arrives after bridge, frame, wire and bridge, and is complete after the acknowledgement") {
  endpoint_pair p{endpoint_config{}};
  const transfer_id id = p.a->send(1, base::bytes{1000}, 5);
  sc_start(nanoseconds(10'000));
  REQUIRE(p.at_b.size() == 1);
  CHECK(p.at_b[0].what.size == base::bytes{1000});
  CHECK(p.at_b[0].what.source == 0);
  CHECK(p.at_b[0].what.tag == 5);
  // (20 + 10 + 8 + 1000) B at 100 B per ns
  CHECK(p.at_b[0].at == nanoseconds(50 + 10.38 + 100 + 50));
  REQUIRE(p.completed.size() == 1);
  CHECK(p.completed[0].id == id);
  CHECK(p.completed[0].size == base::bytes{1000});
  CHECK(p.a->is_idle());
  CHECK(p.a->why_blocked().empty());
}

TEST_CASE("full headers cost 36 bytes more than compressed ones") {
  endpoint_config c;
  c.header_bytes = full_header_bytes;
  endpoint_pair p{c};
  p.a->send(1, base::bytes{1000});
  sc_start(nanoseconds(10'000));
  CHECK(p.at_b.at(0).at == nanoseconds(50 + 10.74 + 100 + 50));
}

TEST_CASE("packing is opportunistic: the first transaction leaves alone, the next PDUs take what has gathered") {
  endpoint_pair p{endpoint_config{}};
  // 256 B every ns: 2.56 times the rate of the port.
  for (int i = 0; i < 320; ++i)
    p.a->send(1, base::bytes{256}, static_cast<std::uint64_t>(i), nanoseconds(i));
  sc_start(nanoseconds(20'000));
  REQUIRE(p.at_b.size() == 320);
  for (int i = 0; i < 320; ++i)
    REQUIRE(p.at_b[i].what.tag == static_cast<std::uint64_t>(i));
  CHECK(p.at_b[0].at == nanoseconds(50 + 2.94 + 100 + 50));
  const endpoint_statistics s = p.a->statistics();
  CHECK(s.transactions_sent == 320);
  CHECK(s.packing_depth() > 8);
  CHECK(s.pdus_sent < 40);
  CHECK(s.pdus_repeated == 0);
}

TEST_CASE("a slow stream of transactions is not held back for packing") {
  endpoint_pair p{endpoint_config{}};
  for (int i = 0; i < 10; ++i)
    p.a->send(1, base::bytes{256}, 0, nanoseconds(100 * i));
  sc_start(nanoseconds(20'000));
  REQUIRE(p.at_b.size() == 10);
  for (int i = 0; i < 10; ++i)
    CHECK(p.at_b[i].at == nanoseconds(100 * i + 50 + 2.94 + 100 + 50));
  CHECK(p.a->statistics().packing_depth() == 1);
}

TEST_CASE("two planes carry one destination's PDUs at twice the rate, in order") {
  endpoint_config c;
  c.planes = 2;
  endpoint_pair p{c};
  for (std::uint64_t i = 0; i < 50; ++i)
    p.a->send(1, base::bytes{2 * 4096}, i);
  sc_start(nanoseconds(100'000));
  REQUIRE(p.at_b.size() == 50);
  for (std::uint64_t i = 0; i < 50; ++i)
    REQUIRE(p.at_b[i].what.tag == i);
  CHECK(p.at_b.back().at == nanoseconds(50 + 50 * 41.34 + 100 + 50));
}

TEST_CASE("spraying per destination keeps a destination on one plane") {
  endpoint_config c;
  c.planes = 2;
  c.spray = spraying::per_destination;
  endpoint_pair p{c};
  p.a->send(1, base::bytes{50 * 4096});
  sc_start(nanoseconds(100'000));
  CHECK(p.at_b.at(0).at == nanoseconds(50 + 50 * 41.34 + 100 + 50));
  // Rank 0 to rank 1: plane (0 + 1) mod 2.
  CHECK(p.a->ports[0].statistics().frames_sent == 0);
  CHECK(p.a->ports[1].statistics().frames_sent == 50);
}

TEST_CASE("sequence numbers wrap") {
  endpoint_config c;
  c.pdu_bytes = 256;
  endpoint_pair p{c};
  constexpr std::int64_t pdus = 70'000;
  p.a->send(1, base::bytes{pdus * 256 - 256}, 1);
  p.a->send(1, base::bytes{256}, 2);
  sc_start(nanoseconds(400'000));
  REQUIRE(p.at_b.size() == 2);
  CHECK(p.at_b[1].what.tag == 2);
  CHECK(p.at_b[1].at == nanoseconds(50 + pdus * 2.94 + 100 + 50));
  CHECK(p.a->statistics().pdus_repeated == 0);
}
