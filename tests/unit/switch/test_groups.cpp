#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/switch/switch_bench.h"

using namespace scribeline;
using namespace scribeline::switching;
using sc_core::sc_start;

TEST_CASE("a multicast reaches every member but its sender, each at its own time") {
  switch_bench b(5);
  b.dut.set_group(0, {0, 1, 2, 4});
  b.unicast(3, 2, 4080);  // busies one of the outputs
  network_header n;
  n.what = operation::multicast;
  n.destination = 0;
  b.send(0, n, 4080, 0.01, 0, 9);
  sc_start(nanoseconds(10'000));
  std::vector<received> copies;
  std::copy_if(b.log.begin(), b.log.end(), std::back_inserter(copies),
               [](const received& r) { return r.what.request == 9; });
  REQUIRE(copies.size() == 3);
  for (const received& r : copies) {
    CAPTURE(r.port);
    CHECK(r.port != 0);
    CHECK(r.port != 3);
    CHECK(r.at == (r.port == 2 ? nanoseconds(270 + 2 * 41) : nanoseconds(270.01 + 41)));
  }
  const switch_statistics s = b.dut.statistics();
  CHECK(s.frames_in == 2);
  CHECK(s.frames_out == 4);
  CHECK(s.buffer_bytes == 0);
}

TEST_CASE("a reduction's result leaves when the last contribution is completely here, to all members") {
  switch_bench b(4);
  b.dut.set_group(2, {0, 1, 3});
  b.reduce(0, 2, 0, 100, 4080, 0);
  b.reduce(1, 2, 0, 20, 4080, 500);
  b.reduce(3, 2, 0, 3, 4080, 70);
  sc_start(nanoseconds(10'000));
  REQUIRE(b.log.size() == 3);
  for (const received& r : b.log) {
    const network_header n = network_header::read_from(r.what);
    CHECK(n.what == operation::result);
    CHECK(n.destination == 2);
    CHECK(n.value == 123);
    // Last bit of the last contribution at 500 + 10 + 41; the result takes switch, link and its own length.
    CHECK(r.at == nanoseconds(551 + 250 + 10 + 41));
  }
  CHECK(b.dut.statistics().reductions == 1);
  CHECK(b.dut.statistics().buffer_bytes == 0);
}

TEST_CASE("results come in the order of their sequence, whoever was last") {
  switch_bench b(3);
  b.dut.set_group(0, {0, 1, 2});
  for (std::uint64_t i = 0; i < 30; ++i)
    for (int from = 0; from < 3; ++from)
      b.reduce(from, 0, i, i, 1000, 5.0 * static_cast<double>(i) + (from == static_cast<int>(i % 3) ? 4 : 0));
  sc_start(nanoseconds(20'000));
  REQUIRE(b.log.size() == 90);
  std::vector<std::uint64_t> next(3, 0);
  for (const received& r : b.log) {
    const network_header n = network_header::read_from(r.what);
    CHECK(n.sequence == next[r.port]++);
    CHECK(n.value == 3 * n.sequence);
  }
}

TEST_CASE("a member that is late holds back the others by credit, not more") {
  switch_bench b(3);
  b.dut.set_group(0, {0, 1});
  for (std::uint64_t i = 0; i < 40; ++i)
    b.reduce(0, 0, i, 1, 4080);
  b.unicast(2, 1, 4080, 0, 0, 5);
  sc_start(nanoseconds(5'000));
  // 16 frames of 4080 B fill 64 KiB.
  CHECK(b.dut.statistics().contributions == 16);
  CHECK(b.log.size() == 1);
  CHECK_THAT(b.dut.why_blocked(), Catch::Contains("reduction over group 0: 1 of 2 members have contributed, missing "
                                                  "are those behind ports 1"));
  for (std::uint64_t i = 0; i < 40; ++i)
    b.reduce(1, 0, i, 1, 4080);
  sc_start(nanoseconds(20'000));
  CHECK(b.dut.statistics().reductions == 40);
  CHECK(b.dut.why_blocked().empty());
}
