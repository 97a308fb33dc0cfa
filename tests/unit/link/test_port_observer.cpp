#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/unit/link/traffic.h"

using namespace scribeline::link;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

struct note_taker : port_observer {
  std::vector<std::string> notes;

  void note(const std::string& what) { notes.push_back(std::to_string(sc_time_stamp().value()) + " " + what); }
  void transmit_started(const frame& f, const sc_time& until) override {
    note("busy until " + std::to_string(until.value()) + " with " + std::to_string(f.content.request));
  }
  void transmit_idle() override { note("idle"); }
  void queue_depth(int, std::int64_t messages) override { note("queue " + std::to_string(messages)); }
  void credits(int, std::int64_t bytes) override { note("credits " + std::to_string(bytes)); }
  void receive_buffer(int, std::int64_t bytes) override { note("buffer " + std::to_string(bytes)); }
  void message_arrived(const delivery& d) override { note("arrived " + std::to_string(d.content.request)); }
};

}  // namespace

TEST_CASE("an observer of the sending port sees queue, transmitter and credits change at their times") {
  link_config c = one_lane();
  c.frame_payload_bytes = 1000;
  c.receive_buffer_bytes = 1000;
  link_bench bench{c};
  note_taker notes;
  bench.a.observe(&notes);
  bench.run_for(1000);
  bench.a.send(message_of(1000, 7));
  bench.a.send(message_of(1000, 8));
  bench.run();
  CHECK(notes.notes ==
        std::vector<std::string>{"0 credits 1000", "1000000 queue 1", "1000000 busy until 1083040 with 7",
                                 "1000000 credits 0", "1000000 queue 0", "1000000 queue 1", "1083040 idle",
                                 // Arrival after 2083.04 ns, credit back 500 ns later.
                                 "3583040 credits 1000", "3583040 busy until 3666080 with 8", "3583040 credits 0",
                                 "3583040 queue 0", "3666080 idle", "6166080 credits 1000"});
}

TEST_CASE("an observer of the receiving port sees its buffer fill and empty") {
  link_bench bench{one_lane()};
  note_taker notes;
  bench.b.observe(&notes);
  bench.releases = false;
  bench.a.send(message_of(2000, 7));
  bench.run();
  bench.b.release(bench.arrived[0]);
  CHECK(notes.notes == std::vector<std::string>{"0 credits 65536", "2123040 buffer 1500", "2166080 buffer 2000",
                                                "2166080 arrived 7", "2166080 buffer 0"});
}

namespace {

// Twice the same link, one of them observed.
struct twins {
  port plain_a, plain_b, seen_a, seen_b;
  note_taker notes_a, notes_b;
  std::vector<sc_time> plain, seen;

  twins(const std::string& name, const link_config& c)
      : plain_a((name + "_plain_a").c_str(), c),
        plain_b((name + "_plain_b").c_str(), c),
        seen_a((name + "_seen_a").c_str(), c),
        seen_b((name + "_seen_b").c_str(), c) {
    connect(plain_a, plain_b);
    connect(seen_a, seen_b);
    seen_a.observe(&notes_a);
    seen_b.observe(&notes_b);
    plain_b.on_message([this](delivery& d) {
      plain.push_back(d.arrived_at);
      plain_b.release(d);
    });
    seen_b.on_message([this](delivery& d) {
      seen.push_back(d.arrived_at);
      seen_b.release(d);
    });
  }
};

}  // namespace

TEST_CASE("an observer changes no time") {
  const std::uint32_t seed = 77;
  INFO("seed " << seed);
  random_source random{seed};
  std::vector<std::unique_ptr<twins>> pairs;
  for (int i = 0; i < 10; ++i)
    pairs.push_back(std::make_unique<twins>("pair" + std::to_string(i), random_config(random)));
  for (int i = 0; i < 200; ++i) {
    for (const auto& pair : pairs) {
      const link_config& c = pair->plain_a.config();
      const int channel = static_cast<int>(random.below(c.virtual_channels));
      const message m = message_of(random.between(1, c.lane_buffer_bytes() * c.lanes), 0, channel);
      const sc_time delay = ns(static_cast<double>(random.below(2000)));
      pair->plain_a.send(m, delay);
      pair->seen_a.send(m, delay);
    }
    sc_core::sc_start(ns(static_cast<double>(1 + random.below(1000))));
  }
  sc_core::sc_start();
  for (const auto& pair : pairs) {
    CHECK(pair->plain.size() == 200);
    CHECK(pair->plain == pair->seen);
    CHECK(pair->notes_a.notes.size() > 400);
    CHECK(pair->notes_b.notes.size() > 400);
  }
}

TEST_CASE("an observer sees retry at work") {
  struct retry_notes : note_taker {
    void transmit_started(const frame& f, const sc_time&) override {
      note("frame " + std::to_string(f.sequence.number()) + (f.corrupt ? " to be lost" : ""));
    }
    void transmit_idle() override {}
    void queue_depth(int, std::int64_t) override {}
    void credits(int, std::int64_t) override {}
    void receive_buffer(int, std::int64_t) override {}
    void message_arrived(const delivery&) override { note("arrived"); }
    void replaying(bool on) override { note(on ? "replays" : "sends"); }
    void replay_buffer(std::int64_t frames, std::int64_t bytes) override {
      note("keeps " + std::to_string(frames) + " = " + std::to_string(bytes));
    }
    void discarding(bool on) override { note(on ? "discards" : "takes"); }
    void link_down() override { note("down"); }
  };
  link_config c = one_lane();
  c.llr.on = true;
  c.llr.ack_frames = 1;
  c.llr.replay_limit = 1;
  c.llr.replay_timeout_ns = 5000;
  link_config deaf = c;
  deaf.errors.frame_error_rate = 1;
  link_bench bench{deaf, c};
  retry_notes sender, receiver;
  bench.a.observe(&sender);
  bench.b.observe(&receiver);
  bench.a.send(message_of(1000, 1));
  bench.run();
  // Bad at 2083.04 ns; its NACK is back 2000 ns later. The replay is bad, too, and is not asked for again: the timer
  // ends the link.
  CHECK(sender.notes == std::vector<std::string>{"0 frame 0 to be lost", "0 keeps 1 = 1038", "4083040 replays",
                                                 "4083040 frame 0 to be lost", "4083040 sends", "9083040 down"});
  CHECK(receiver.notes == std::vector<std::string>{"2083040 discards", "9083040 down"});
}
