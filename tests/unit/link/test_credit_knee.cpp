#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <string>

#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;

namespace {

// 800 Gb/s is 100 B per ns; 800 ns there and 200 ns back.
link_config scale_up_link() {
  link_config c;
  c.lane_gbps = 800;
  c.latency_ns = 800;
  c.credit_latency_ns = 200;
  return c;
}

double frame_ns(std::int64_t payload) {
  return static_cast<double>(payload + 38) / 100;
}

// A link whose sender always has something to send; many of them fit in one simulation.
struct saturated_link {
  std::unique_ptr<port> a, b;
  std::unique_ptr<std::vector<sc_core::sc_time>> arrivals = std::make_unique<std::vector<sc_core::sc_time>>();
  std::int64_t message_bytes;

  saturated_link(const link_config& config, std::int64_t size, std::int64_t messages)
      : a(std::make_unique<port>(sc_core::sc_gen_unique_name("a"), config)),
        b(std::make_unique<port>(sc_core::sc_gen_unique_name("b"), config)),
        message_bytes(size) {
    connect(*a, *b);
    b->on_message([receiving = b.get(), noted = arrivals.get()](delivery& d) {
      noted->push_back(d.arrived_at);
      receiving->release(d);
    });
    for (std::int64_t i = 0; i < messages; ++i)
      a->send(message_of(size));
  }

  // Bytes per ns from the first arrival to the last.
  double throughput() const {
    const auto bytes = static_cast<double>(message_bytes * static_cast<std::int64_t>(arrivals->size() - 1));
    return bytes / ((arrivals->back() - arrivals->front()).to_seconds() * 1e9);
  }

  std::string description() const {
    return "messages of " + std::to_string(message_bytes) + " B, buffer of " +
           std::to_string(b->config().receive_buffer_bytes) + " B, policy " +
           std::to_string(static_cast<int>(b->config().policy));
  }
};

// When each of `messages` equal messages arrives, in ns, from the rules alone: a frame starts when the one before has
// left and the bytes in flight leave room for it; bytes are in flight until their frame (draining) or their message
// (holding) has arrived and its credit has come back.
std::vector<double> expected_arrivals(const link_config& c, std::int64_t size, std::int64_t messages) {
  std::vector<double> arrivals, credit_back;
  std::vector<std::int64_t> payloads;
  std::int64_t in_flight = 0;
  std::size_t oldest = 0;
  double free_at = 0;
  for (std::int64_t m = 0; m < messages; ++m) {
    for (std::int64_t left = size; left > 0;) {
      const std::int64_t payload = std::min(left, c.frame_payload_bytes);
      left -= payload;
      double start = free_at;
      while (in_flight + payload > c.receive_buffer_bytes) {
        start = std::max(start, credit_back[oldest]);
        in_flight -= payloads[oldest++];
      }
      free_at = start + frame_ns(payload);
      in_flight += payload;
      payloads.push_back(payload);
      credit_back.push_back(free_at + c.latency_ns + c.credit_latency_ns);
    }
    arrivals.push_back(free_at + c.latency_ns);
    if (c.policy == buffer_policy::hold_until_release) {
      const auto frames = static_cast<std::size_t>((size + c.frame_payload_bytes - 1) / c.frame_payload_bytes);
      std::fill(credit_back.end() - static_cast<std::ptrdiff_t>(frames), credit_back.end(), credit_back.back());
    }
  }
  return arrivals;
}

}  // namespace

TEST_CASE("throughput of single frames is the smaller of the rate and credits per round trip") {
  std::vector<saturated_link> links;
  std::vector<double> expected;
  for (const std::int64_t size : {64, 256, 1000, 4096}) {
    for (const double part : {0.25, 0.5, 0.9, 0.97, 1.0, 1.03, 1.1, 2.0}) {
      link_config c = scale_up_link();
      c.frame_payload_bytes = 4096;
      const double round_trip_ns = frame_ns(size) + 1000;
      const double rate = static_cast<double>(size) / frame_ns(size);
      c.receive_buffer_bytes = std::lround(part * rate * round_trip_ns);
      // Whole round trips, so that no burst is counted half.
      const std::int64_t in_flight = c.receive_buffer_bytes / size;
      links.emplace_back(c, size, in_flight * (2000 / in_flight + 1) + 1);
      expected.push_back(std::min(rate, static_cast<double>(in_flight * size) / round_trip_ns));
    }
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < links.size(); ++i) {
    INFO(links[i].description());
    CHECK(links[i].throughput() == Approx(expected[i]).epsilon(0.0005));
  }
}

TEST_CASE("throughput of messages of many frames has the same knee within 2 percent") {
  std::vector<saturated_link> links;
  std::vector<double> expected;
  for (const std::int64_t size : {5'000, 65'536, 1'000'000}) {
    for (const double part : {0.5, 0.9, 0.97, 1.0, 1.03, 1.1, 2.0}) {
      link_config c = scale_up_link();
      c.frame_payload_bytes = 1024;
      c.policy = buffer_policy::drain_on_arrival;
      const double frames = std::ceil(static_cast<double>(size) / 1024);
      const double message_ns = (static_cast<double>(size) + frames * 38) / 100;
      const double rate = static_cast<double>(size) / message_ns;
      const double round_trip_ns = message_ns / frames + 1000;
      c.receive_buffer_bytes = std::lround(part * rate * round_trip_ns);
      links.emplace_back(c, size, 2 + 20'000'000 / size);
      expected.push_back(std::min(rate, static_cast<double>(c.receive_buffer_bytes) / round_trip_ns));
    }
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < links.size(); ++i) {
    INFO(links[i].description());
    CHECK(links[i].throughput() == Approx(expected[i]).epsilon(0.02));
  }
}

TEST_CASE("every message of a saturated link arrives when the rules say") {
  std::vector<saturated_link> links;
  for (const auto policy : {buffer_policy::drain_on_arrival, buffer_policy::hold_until_release}) {
    for (const std::int64_t size : {46, 700, 1500, 4000, 10'000}) {
      for (const std::int64_t buffer : {10'000, 20'001, 60'000, 90'000, 200'000}) {
        link_config c = scale_up_link();
        c.receive_buffer_bytes = buffer;
        c.policy = policy;
        links.emplace_back(c, size, 500);
      }
    }
  }
  sc_core::sc_start();
  for (const saturated_link& link : links) {
    INFO(link.description());
    const std::vector<double> expected = expected_arrivals(link.a->config(), link.message_bytes, 500);
    REQUIRE(link.arrivals->size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      REQUIRE(link.arrivals->at(i) == ns(expected[i]));
  }
}
