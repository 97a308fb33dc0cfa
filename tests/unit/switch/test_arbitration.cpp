#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "rtl_tlm/base/random.h"
#include "tests/unit/switch/switch_bench.h"

using namespace scribeline;
using namespace scribeline::switching;
using sc_core::sc_start;
using sc_core::sc_time;

TEST_CASE("inputs take turns at an output") {
  switch_bench b(4);
  for (int i = 0; i < 5; ++i)
    for (int from = 1; from < 4; ++from)
      b.unicast(from, 0, 4080, 0, 0, static_cast<std::uint64_t>(from));
  sc_start(nanoseconds(10'000));
  REQUIRE(b.log.size() == 15);
  // Who is first of those that come at once is not said.
  CHECK(b.log[0].what.request != b.log[1].what.request);
  CHECK(b.log[0].what.request + b.log[1].what.request + b.log[2].what.request == 6);
  for (std::size_t i = 0; i < 15; ++i) {
    CHECK(b.log[i].what.request == b.log[i % 3].what.request);
    CHECK(b.log[i].at == nanoseconds(270 + 41.0 * static_cast<double>(i + 1)));
  }
}

TEST_CASE("a frame for a free output passes those that wait for a busy one") {
  switch_bench b(4);
  for (int i = 0; i < 10; ++i) {
    b.unicast(1, 0, 4080);
    b.unicast(2, 0, 4080);
  }
  b.unicast(1, 3, 4080, 0, 0, 99);  // behind ten frames of its own port only
  sc_start(nanoseconds(10'000));
  const auto it = std::find_if(b.log.begin(), b.log.end(), [](const received& r) { return r.what.request == 99; });
  REQUIRE(it != b.log.end());
  CHECK(it->at == nanoseconds(270 + 11 * 41));
}

TEST_CASE("a channel without credit does not hold back another") {
  link::link_config l = plain_link();
  switch_bench b(3, l);
  b.ends[0].stick_credits(0);  // the receiver grants nothing more on channel 0
  for (int i = 0; i < 40; ++i)
    b.unicast(1, 0, 4080, 0, 0);
  for (int i = 0; i < 40; ++i)
    b.unicast(2, 0, 4080, 0, 1, 7);
  sc_start(nanoseconds(20'000));
  const auto passed = std::count_if(b.log.begin(), b.log.end(), [](const received& r) { return r.what.request == 7; });
  CHECK(passed == 40);
  CHECK(b.log.size() < 80);
  CHECK_THAT(b.dut.why_blocked(), Catch::Contains("on virtual channel 0"));
}

// The definition of work-conserving, over random arrivals: an output is idle only when nothing is ready for it.
TEST_CASE("an output is never idle while a frame for it is ready") {
  const std::uint64_t seed = 4711;
  CAPTURE(seed);
  base::random_stream random(seed);
  constexpr int ports = 9;
  switch_bench b(ports);
  struct frame_at {
    double ready_ns, length_ns;
  };
  std::vector<frame_at> ready;
  for (int from = 1; from < ports; ++from) {
    double at = 0;
    for (int i = 0; i < 200; ++i) {
      const auto bytes = static_cast<std::int64_t>(64 + random.below(4000));
      const double length = static_cast<double>(bytes + 20) / 100;
      at += length + static_cast<double>(random.below(400));
      b.unicast(from, 0, bytes, at);
      ready.push_back({at + 10 + 250, length});
    }
  }
  sc_start(nanoseconds(400'000));
  REQUIRE(b.log.size() == ready.size());
  // The busy periods of a work-conserving output do not depend on the order of service.
  std::sort(ready.begin(), ready.end(), [](const frame_at& x, const frame_at& y) { return x.ready_ns < y.ready_ns; });
  double free_at = 0;
  for (const frame_at& f : ready)
    free_at = std::max(free_at, f.ready_ns) + f.length_ns;
  CHECK(b.log.back().at.to_seconds() * 1e9 == Approx(free_at + 10).margin(0.01));
  // And the time it is busy within any span is the same: compare where the first half ends.
  CHECK(b.dut.ports[0].statistics().busy.to_seconds() * 1e9 == Approx([&] {
                                                                 double sum = 0;
                                                                 for (const frame_at& f : ready)
                                                                   sum += f.length_ns;
                                                                 return sum;
                                                               }())
                                                                   .margin(1));
}
