// Frames passed on by a cut-through device: two links in a row with a relay between them.
#include <catch2/catch.hpp>

#include "rtl_tlm/base/random.h"
#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

// Passes every frame from `in` to `out`, `cut_through` after its first bit, and frees its buffer when it has left.
struct relay : frame_handler {
  port in, out;
  sc_time cut_through;
  bool frees = true;
  std::vector<std::pair<sc_time, sc_time>> arrivals;  // first bit, last bit
  std::vector<sc_time> completions, departures;

  relay(const link_config& c, double cut_through_ns, bool tell_last_bit = false)
      : in("in", c), out("out", c), cut_through(ns(cut_through_ns)) {
    in.attach(*this, 0, tell_last_bit ? announce::both : announce::first_bit);
    out.attach(*this, 1);
  }
  void frame_arrives(int from, frame& f, const sc_time& last_bit) override {
    REQUIRE(from == 0);
    arrivals.emplace_back(sc_time_stamp(), last_bit);
    out.forward(f, f.virtual_channel, cut_through);
  }
  void frame_is_in(int, frame& f) override {
    completions.push_back(sc_time_stamp());
    REQUIRE(f.payload_bytes > 0);
  }
  void frame_departs(int to, const frame& f, const sc_time& last_bit) override {
    REQUIRE(to == 1);
    departures.push_back(sc_time_stamp());
    if (frees) in.free_buffer(f.virtual_channel, f.payload_bytes, last_bit - sc_time_stamp());
  }
};

struct relay_bench {
  port a, b;
  relay between;
  std::vector<delivery> arrived;

  explicit relay_bench(const link_config& c, double cut_through_ns = 250, bool tell_last_bit = false)
      : a("a", c), b("b", c), between(c, cut_through_ns, tell_last_bit) {
    connect(a, between.in);
    connect(between.out, b);
    b.on_message([this](delivery& d) {
      arrived.push_back(d);
      b.release(d);
    });
  }
};

// 41.34 ns per frame of 4096 B.
link_config scale_up() {
  link_config c;
  c.lane_gbps = 800;
  c.latency_ns = 100;
  c.credit_latency_ns = 100;
  c.frame_payload_bytes = 4096;
  c.receive_buffer_bytes = 64 * 4096;
  return c;
}

}  // namespace

TEST_CASE("a frame is cut through: latency, not serialisation, is paid on each link") {
  relay_bench bench{scale_up(), 250, true};
  message m = message_of(4096, 9);
  m.header = {1, 2, 3, 4, 5, 6, 7, 8};
  bench.a.send(m);
  sc_core::sc_start();
  CHECK(bench.between.arrivals == std::vector<std::pair<sc_time, sc_time>>{{ns(100), ns(141.34)}});
  CHECK(bench.between.completions == std::vector<sc_time>{ns(141.34)});
  CHECK(bench.between.departures == std::vector<sc_time>{ns(350)});
  REQUIRE(bench.arrived.size() == 1);
  CHECK(bench.arrived[0].arrived_at == ns(100 + 250 + 100 + 41.34));
  CHECK(bench.arrived[0].sent_at == ns(0));
  CHECK(bench.arrived[0].content.header == m.header);
}

TEST_CASE("frames of a message follow each other through a relay at the full rate") {
  relay_bench bench{scale_up()};
  bench.a.send(message_of(50 * 4096));
  sc_core::sc_start();
  REQUIRE(bench.arrived.size() == 1);
  CHECK(bench.arrived[0].arrived_at == ns(450 + 50 * 41.34));
  CHECK(bench.between.out.statistics().messages_sent == 1);
  CHECK(bench.between.out.statistics().message_bytes_sent == 50 * 4096);
}

TEST_CASE("a relay that does not free its buffer stops the sender after exactly the buffer") {
  relay_bench bench{scale_up()};
  bench.between.frees = false;
  for (int i = 0; i < 100; ++i)
    bench.a.send(message_of(4096));
  sc_core::sc_start();
  CHECK(bench.arrived.size() == 64);
  CHECK(bench.a.queued_messages() == 36);
}

TEST_CASE("credit comes back when the frame has left the relay") {
  link_config c = scale_up();
  c.receive_buffer_bytes = 4096;
  relay_bench bench{c};
  for (int i = 0; i < 2; ++i)
    bench.a.send(message_of(4096));
  sc_core::sc_start();
  REQUIRE(bench.arrived.size() == 2);
  // Out of the relay at 391.34 ns, credit at the sender 100 ns later.
  CHECK(bench.between.arrivals[1].first == ns(391.34 + 100 + 100));
}

TEST_CASE("what a relay may not do is refused") {
  link_config two = scale_up();
  two.virtual_channels = 2;
  relay_bench bench{two};
  frame f;
  f.payload_bytes = 100;
  CHECK_THROWS_WITH(bench.between.out.forward(f, 2), Catch::Contains("/scribeline/link/message"));
  f.payload_bytes = 5000;
  CHECK_THROWS_WITH(bench.between.out.forward(f, 1), Catch::Contains("frames of this port carry up to 4096 B"));
  CHECK_THROWS_WITH(bench.between.in.free_buffer(0, 1), Catch::Contains("/scribeline/link/release"));
}

TEST_CASE("through a relay between two lossy links every frame comes once, in order, and no earlier than it can") {
  const std::uint64_t seed = 2026;
  INFO("seed " << seed);
  link_config c = scale_up();
  c.llr.on = true;
  c.errors.seed = seed;
  c.errors.frame_error_rate = 0.01;
  c.errors.control_error_rate = 0.05;
  c.flow.credit_update_ns = 100;
  relay_bench bench{c, 250, true};
  constexpr std::uint64_t frames = 5000;
  scribeline::base::random_stream random{seed};
  for (std::uint64_t i = 0; i < frames; ++i)
    bench.a.send(message_of(static_cast<std::int64_t>(1 + random.below(4096)), i));
  sc_core::sc_start();
  REQUIRE(bench.arrived.size() == frames);
  for (std::uint64_t i = 0; i < frames; ++i)
    REQUIRE(bench.arrived[i].content.request == i);
  CHECK(bench.between.arrivals.size() == frames);
  CHECK(bench.between.completions.size() == frames);
  CHECK(bench.between.departures.size() == frames);
  for (std::size_t i = 0; i < frames; ++i) {
    REQUIRE(bench.between.completions[i] == bench.between.arrivals[i].second);
    REQUIRE(bench.between.departures[i] >= bench.between.arrivals[i].first + ns(250));
    REQUIRE(bench.arrived[i].arrived_at >= bench.between.departures[i] + ns(100));
  }
  CHECK(bench.a.statistics().replays > 30);
  CHECK(bench.between.out.statistics().replays > 30);
  CHECK(bench.between.in.statistics().peak_buffer_bytes <= c.receive_buffer_bytes);
}

TEST_CASE("a relay is told that a link is down and gets back what did not arrive") {
  link_config c = scale_up();
  c.llr.on = true;
  struct told : relay {
    using relay::relay;
    std::vector<int> down;
    void link_is_down(int port) override { down.push_back(port); }
  };
  port a{"a", c}, b{"b", c};
  told between{c, 250};
  connect(a, between.in);
  connect(between.out, b);
  std::vector<std::uint64_t> arrived;
  b.on_message([&](delivery& d) {
    arrived.push_back(d.content.request);
    b.release(d);
  });
  for (std::uint64_t i = 0; i < 60; ++i)
    a.send(message_of(4096, i));
  sc_core::sc_start(ns(1000));
  b.take_down();
  sc_core::sc_start(ns(10'000));
  CHECK(between.down == std::vector<int>{1});
  const std::vector<message> back = between.out.take_back();
  CHECK(arrived.size() > 5);
  CHECK(arrived.size() + back.size() == 60);
  for (std::size_t i = 0; i < back.size(); ++i)
    CHECK(back[i].request == arrived.size() + i);
}
