// Messages that carry their bytes: what arrives is put together from the frames that got through.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "tests/unit/link/link_bench.h"
#include "tests/unit/link/traffic.h"

using namespace scribeline;
using namespace scribeline::link;
using Catch::Matchers::Contains;

namespace {

message_data random_bytes(random_source& random, std::int64_t size) {
  message_data bytes;
  for (std::int64_t i = 0; i < size; ++i)
    bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
  return bytes;
}

message with_data(const message_data& bytes, int virtual_channel = 0) {
  message m = message_of(static_cast<std::int64_t>(bytes.size()), 0, virtual_channel);
  m.data = std::make_shared<const message_data>(bytes);
  return m;
}

// What arrived on every virtual channel, in order.
std::vector<std::vector<message_data>> by_channel(const std::vector<delivery>& arrived, int channels) {
  std::vector<std::vector<message_data>> all(static_cast<std::size_t>(channels));
  for (const delivery& d : arrived)
    all[static_cast<std::size_t>(d.content.virtual_channel)].push_back(*d.content.data);
  return all;
}

struct random_messages {
  random_messages(std::uint32_t seed, bool retry) : random(seed), config(random_config(random)) {
    if (retry) {
      config.errors.frame_error_rate = 0.1;
      config.llr.on = true;
    }
    bench = std::make_unique<link_bench>(config, config, "link" + std::to_string(seed));
    sent.resize(static_cast<std::size_t>(config.virtual_channels));
    const std::int64_t longest = std::min<std::int64_t>(20'000, config.longest_held_bytes() * config.lanes);
    for (int i = 0; i < 60; ++i) {
      const auto v = static_cast<int>(random.below(config.virtual_channels));
      sent[static_cast<std::size_t>(v)].push_back(random_bytes(random, random.between(1, longest)));
      bench->a.send(with_data(sent[static_cast<std::size_t>(v)].back(), v));
    }
  }

  random_source random;
  link_config config;
  std::unique_ptr<link_bench> bench;
  std::vector<std::vector<message_data>> sent;
};

void check_random_messages(std::uint32_t first_seed, bool retry) {
  std::vector<std::unique_ptr<random_messages>> all;
  for (std::uint32_t seed = first_seed; seed < first_seed + 20; ++seed)
    all.push_back(std::make_unique<random_messages>(seed, retry));
  sc_core::sc_start(ns(1e8));
  std::int64_t replayed = 0;
  for (const auto& one : all) {
    INFO(one->bench->a.name());
    CHECK((by_channel(one->bench->arrived, one->config.virtual_channels) == one->sent));
    replayed += one->bench->a.statistics().frames_replayed;
  }
  CHECK((replayed > 0) == retry);
}

}  // namespace

TEST_CASE("the bytes of a message arrive as they were sent, over lanes, frames and channels") {
  check_random_messages(1, false);
}

TEST_CASE("with bad frames and retry the bytes still arrive as they were sent") {
  check_random_messages(101, true);
}

TEST_CASE("messages of two channels whose frames take turns keep their own bytes") {
  link_config c = one_lane();
  c.virtual_channels = 2;
  link_bench bench(c);
  random_source random(3);
  const message_data first = random_bytes(random, 9000), second = random_bytes(random, 7000);
  bench.a.send(with_data(first, 0));
  bench.a.send(with_data(second, 1));
  bench.run();
  REQUIRE(bench.arrived.size() == 2);
  CHECK((*bench.arrived[0].content.data == second));
  CHECK((*bench.arrived[1].content.data == first));
}

TEST_CASE("without retry a message that lost a frame does not arrive, and spoils none behind it") {
  link_config c = one_lane();
  c.errors.frame_error_rate = 0.2;
  c.policy = buffer_policy::drain_on_arrival;
  link_bench bench(c);
  bench.releases = false;
  random_source random(4);
  std::vector<message_data> sent;
  for (int i = 0; i < 100; ++i) {
    sent.push_back(random_bytes(random, 4000));
    message m = with_data(sent.back());
    m.request = static_cast<std::uint64_t>(i);
    bench.a.send(m);
  }
  bench.run_for(1e6);
  CHECK(bench.b.statistics().messages_broken > 0);
  CHECK(bench.arrived.size() > 20);
  CHECK(bench.arrived.size() < 90);
  for (const delivery& d : bench.arrived)
    CHECK((*d.content.data == sent[d.content.request]));
}

TEST_CASE("a message without data arrives without, and data changes no time") {
  link_bench plain(one_lane(), one_lane(), "plain"), loaded(one_lane(), one_lane(), "loaded");
  random_source random(6);
  for (int i = 0; i < 5; ++i) {
    const message_data bytes = random_bytes(random, 1000 * (i + 1));
    plain.a.send(message_of(static_cast<std::int64_t>(bytes.size())));
    loaded.a.send(with_data(bytes));
  }
  plain.run();
  REQUIRE(plain.arrived.size() == 5);
  REQUIRE(loaded.arrived.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(plain.arrival(i) == loaded.arrival(i));
    CHECK(plain.arrived[i].content.data == nullptr);
  }
}

TEST_CASE("data of another size than the message is refused") {
  link_bench bench(one_lane());
  message m = with_data({1, 2, 3});
  m.size = base::bytes{4};
  std::string text;
  try {
    bench.a.send(m);
  } catch (const sc_core::sc_report& report) {
    text = report.what();
  }
  CHECK_THAT(text, Contains("a message of 4 B with 3 B of data"));
}
