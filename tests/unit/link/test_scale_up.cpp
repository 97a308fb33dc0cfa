// Figures of scale-up Ethernet that follow from the frame alone.
#include <catch2/catch.hpp>
#include <memory>

#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;

namespace {

std::unique_ptr<link_bench> scale_up_bench(const link_config& c) {
  return std::make_unique<link_bench>(c, c, sc_core::sc_gen_unique_name("pair"));
}

}  // namespace

TEST_CASE("payload efficiency is nP / (nP + H + 20), exactly") {
  struct point {
    std::int64_t n, p, h;
    std::unique_ptr<link_bench> bench;
  };
  std::vector<point> points;
  for (const std::int64_t h : {10, 24, 34, 46, 78})
    for (const std::int64_t n : {1, 4, 16})
      for (const std::int64_t p : {32, 64, 128, 256}) {
        points.push_back({n, p, h, scale_up_bench(scale_up_ethernet(800, h))});
        points.back().bench->a.send(message_of(n * p));
      }
  sc_core::sc_start();
  for (const point& x : points) {
    INFO(x.n << " transactions of " << x.p << " B, header of " << x.h << " B");
    const port_statistics s = x.bench->a.statistics();
    REQUIRE(x.bench->arrived.size() == 1);
    CHECK(s.frames_sent == 1);
    CHECK(s.message_bytes_sent == x.n * x.p);
    CHECK(s.wire_bits_sent == 8 * (x.n * x.p + x.h + 20));
    // 100 B take 1 ns.
    CHECK(s.busy == ns(static_cast<double>(x.n * x.p + x.h + 20) / 100));
  }
}

TEST_CASE("64 ports of 800 Gb/s forward 76.19 G packets of 64 B per second") {
  // 54 B behind a header of 10 B.
  std::vector<std::unique_ptr<link_bench>> ports;
  constexpr int frames = 1000;
  for (int i = 0; i < 64; ++i) {
    ports.push_back(scale_up_bench(scale_up_ethernet(800, 10)));
    for (int m = 0; m < frames; ++m)
      ports.back()->a.send(message_of(54));
  }
  sc_core::sc_start();
  double packets_per_ns = 0;
  for (const auto& p : ports) {
    REQUIRE(p->arrived.size() == frames);
    packets_per_ns += (frames - 1) / ((p->arrival(frames - 1) - p->arrival(0)).to_seconds() * 1e9);
  }
  CHECK(packets_per_ns == Approx(51'200. / (84 * 8)).epsilon(1e-9));
  CHECK(packets_per_ns == Approx(76.19).epsilon(1e-4));
}

TEST_CASE("1.6 T halves the time on the wire and nothing else") {
  link_config c = scale_up_ethernet(1600, 24);
  c.latency_ns = 100;
  const auto bench = scale_up_bench(c);
  bench->a.send(message_of(4096));
  bench->run();
  // (4096 + 24 + 20) / 200 ns + 100 ns + 63 ns of error correction.
  CHECK(bench->arrival(0) == ns(20.7 + 163));
  CHECK(zero_load_latency(c, scribeline::base::bytes{4096}) == ns(183.7));
}
