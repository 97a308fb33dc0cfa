#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/unit/link/random_traffic.h"

using namespace scribeline::link;

TEST_CASE("random messages all arrive, once, in order, and never faster than the wire") {
  const std::uint32_t seed = 19'850'101;
  INFO("seed " << seed);
  random_source random{seed};
  std::vector<std::unique_ptr<random_traffic>> links;
  for (std::uint32_t i = 0; i < 40; ++i)
    links.push_back(std::make_unique<random_traffic>(("link" + std::to_string(i)).c_str(), random_config(random), i));
  sc_core::sc_start();
  for (const auto& link : links) {
    const link_config& c = link->config;
    INFO(link->name() << ": " << c.lanes << " lanes, buffer " << c.receive_buffer_bytes << " B");
    for (const auto& queue : link->expected)
      REQUIRE(queue.empty());
    REQUIRE(link->bytes_arrived == link->bytes_sent);

    const port_statistics sent = link->a.statistics();
    const port_statistics received = link->b.statistics();
    REQUIRE(sent.messages_sent == 300);
    REQUIRE(received.messages_received == 300);
    REQUIRE(sent.message_bytes_sent == received.message_bytes_received);
    REQUIRE(sent.frames_sent == received.frames_received);
    REQUIRE(received.peak_buffer_bytes <= c.receive_buffer_bytes);
    REQUIRE(link->a.why_blocked().empty());
    REQUIRE(link->b.why_blocked().empty());
  }
}

namespace {

// A link that loses frames, acknowledgements and credits.
link_config random_lossy_config(random_source& random) {
  link_config c = random_config(random);
  c.llr.on = true;
  c.errors.seed = static_cast<std::uint64_t>(random.below(1'000'000));
  if (random.below(2) == 0)
    c.errors.frame_error_rate = 0.002 * static_cast<double>(random.between(1, 100));
  else
    c.errors.bit_error_rate = 1e-7 * static_cast<double>(random.between(1, 100));
  c.errors.control_error_rate = 0.01 * static_cast<double>(random.between(1, 30));
  c.llr.cut_frame_on_nack = random.below(2) == 0;
  c.llr.ack_frames = static_cast<int>(random.between(1, 20));
  c.llr.ack_delay_ns = static_cast<double>(random.below(500));
  c.llr.ack_latency_ns = static_cast<double>(random.below(3000));
  c.llr.replay_buffer_bytes = wire_bytes(c, c.frame_payload_bytes) * random.between(1, 30);
  c.llr.replay_limit = 1000;
  c.llr.replay_timeout_ns = 8000 + 3 * frame_time(c, c.frame_payload_bytes).to_seconds() * 1e9;
  c.flow.resync_ns = static_cast<double>(random.between(100, 3000));
  if (random.below(3) == 0) {
    c.flow.kind = flow_control::pause;
    c.receive_buffer_bytes = 3 * c.receive_buffer_bytes + pause_headroom(c);
    c.errors.control_error_rate = 0;  // no headroom covers a lost pause
  } else if (random.below(2) == 0) {
    c.flow.credit_update_ns = static_cast<double>(random.between(10, 1000));
  }
  return c;
}

}  // namespace

TEST_CASE("random messages all arrive, once and in order, when anything on the wire may be lost") {
  const std::uint32_t seed = 20'261'201;
  INFO("seed " << seed);
  random_source random{seed};
  std::vector<std::unique_ptr<random_traffic>> links;
  for (std::uint32_t i = 0; i < 40; ++i)
    links.push_back(
        std::make_unique<random_traffic>(("link" + std::to_string(i)).c_str(), random_lossy_config(random), i));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  port_statistics sum;
  std::int64_t timeouts = 0;
  for (const auto& link : links) {
    const link_config& c = link->config;
    INFO(link->name() << ": " << c.lanes << " lanes, buffer " << c.receive_buffer_bytes << " B, frame error rate "
                      << c.errors.frame_error_rate << ", bit error rate " << c.errors.bit_error_rate);
    INFO(link->a.why_blocked() << link->b.why_blocked());
    for (const auto& queue : link->expected)
      REQUIRE(queue.empty());
    const port_statistics sent = link->a.statistics();
    const port_statistics received = link->b.statistics();
    REQUIRE(sent.messages_sent == 300);
    REQUIRE(received.messages_received == 300);
    REQUIRE(sent.message_bytes_sent == received.message_bytes_received);
    // Every frame is accounted for: arrived, bad, the same again, or in vain. Those cut off are none of them.
    REQUIRE(received.frames_received == sent.frames_sent - sent.frames_replayed);
    REQUIRE(received.peak_buffer_bytes <= c.receive_buffer_bytes);
    REQUIRE(received.frames_overflowed == 0);
    REQUIRE(received.messages_broken == 0);
    REQUIRE(link->a.why_blocked().empty());
    REQUIRE(link->b.why_blocked().empty());
    sum.frames_bad += received.frames_bad;
    sum.frames_repeated += received.frames_repeated;
    sum.credit_updates_lost += received.credit_updates_lost;
    timeouts += sent.replay_timeouts;
  }
  // All of it happened.
  CHECK(sum.frames_bad > 1000);
  CHECK(sum.frames_repeated > 100);
  CHECK(sum.credit_updates_lost > 100);
  CHECK(timeouts > 100);
}
