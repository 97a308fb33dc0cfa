// Every row of the transition table in llr_transmitter.h, from the table, not from the code.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "rtl_tlm/link/llr_transmitter.h"

using namespace scribeline::link;
using state = llr_transmitter::state;

namespace {

constexpr std::int64_t frame_bytes = 1000;

llr_config room_for(std::int64_t frames) {
  llr_config c;
  c.on = true;
  c.replay_buffer_bytes = frames * frame_bytes;
  c.replay_limit = 3;
  return c;
}

struct sender {
  llr_config config;
  llr_transmitter llr{config};
  frame_pool pool;

  explicit sender(std::int64_t room = 8, std::uint32_t start = 100) : config(room_for(room)) {
    llr.start_at(llr_sequence{start});
  }
  sender(const sender&) = delete;
  void add(int n) {
    for (int i = 0; i < n; ++i) {
      frame* f = pool.allocate();
      llr.add(*f, frame_bytes);
      f->release();
    }
  }
  std::uint32_t replayed() {
    const std::uint32_t n = llr.replay_front().what->sequence.number();
    llr.replay_front_sent();
    return n;
  }
  std::vector<std::uint32_t> kept() {
    std::vector<std::uint32_t> numbers;
    for (std::int64_t i = 0; i < llr.frames(); ++i)
      numbers.push_back(llr.at(i).sequence.number());
    return numbers;
  }
};

bool ack(sender& s, std::uint32_t n) {
  return s.llr.ack(llr_sequence{n});
}
bool nack(sender& s, std::uint32_t n) {
  return s.llr.nack(llr_sequence{n});
}

struct row {
  std::string name;
  std::function<void(sender&)> before;  // from: normal, frames 100 to 103 kept
  std::function<bool(sender&)> event;
  bool restarts_timer;
  state next;
  std::vector<std::uint32_t> kept;
  int replays;
  std::uint32_t cursor;  // first frame of the replay; in state replay
};

const auto nothing = [](sender&) {};
const auto replaying_102 = [](sender& s) { nack(s, 102); };
const auto replaying_101_from_100 = [](sender& s) {
  s.llr.timeout();
  s.replayed();
};
std::function<bool(sender&)> acks(std::uint32_t n) {
  return [n](sender& s) { return ack(s, n); };
}
std::function<bool(sender&)> nacks(std::uint32_t n) {
  return [n](sender& s) { return nack(s, n); };
}
std::function<bool(sender&)> ends(std::uint32_t n) {
  return [n](sender& s) {
    s.llr.end(llr_sequence{n});
    return false;
  };
}
const auto timeout = [](sender& s) { return s.llr.timeout(); };
const auto replay_sent = [](sender& s) {
  s.replayed();
  return false;
};
const auto three_timeouts = [](sender& s) {
  for (int i = 0; i < 3; ++i)
    s.llr.timeout();
};

}  // namespace

TEST_CASE("the sender of retry follows its transition table") {
  using list = std::vector<std::uint32_t>;
  const list all = {100, 101, 102, 103};
  const row table[] = {
      {"normal, ACK of the first", nothing, acks(100), true, state::normal, {101, 102, 103}, 0, 0},
      {"normal, ACK of the last", nothing, acks(103), true, state::normal, {}, 0, 0},
      {"normal, ACK of what is not sent", nothing, acks(104), false, state::normal, all, 0, 0},
      {"normal, ACK of old", nothing, acks(99), false, state::normal, all, 0, 0},
      {"normal, NACK of the first", nothing, nacks(100), true, state::replay, all, 1, 100},
      {"normal, NACK in the middle", nothing, nacks(102), true, state::replay, {102, 103}, 1, 102},
      {"normal, NACK of next", nothing, nacks(104), true, state::normal, {}, 0, 0},
      {"normal, NACK of what cannot be", nothing, nacks(105), false, state::normal, all, 0, 0},
      {"normal, NACK of old", nothing, nacks(99), false, state::normal, all, 0, 0},
      {"normal, timeout", nothing, timeout, true, state::replay, all, 1, 100},
      {"replay, frame sent", replaying_102, replay_sent, false, state::replay, {102, 103}, 1, 103},
      {"replay, last frame sent",
       [](sender& s) {
         nack(s, 102);
         s.replayed();
       },
       replay_sent,
       false,
       state::normal,
       {102, 103},
       1,
       0},
      {"replay, ACK of one sent", replaying_101_from_100, acks(100), true, state::replay, {101, 102, 103}, 0, 101},
      {"replay, ACK beyond those sent", replaying_101_from_100, acks(102), true, state::replay, {103}, 0, 103},
      {"replay, ACK of all", replaying_101_from_100, acks(103), true, state::normal, {}, 0, 0},
      {"replay, ACK of old", replaying_102, acks(101), false, state::replay, {102, 103}, 1, 102},
      {"replay, NACK of the same", replaying_101_from_100, nacks(100), true, state::replay, all, 2, 100},
      {"replay, NACK of a later one", replaying_101_from_100, nacks(102), true, state::replay, {102, 103}, 1, 102},
      {"replay, NACK of next", replaying_101_from_100, nacks(104), true, state::normal, {}, 0, 0},
      {"replay, timeout", replaying_101_from_100, timeout, true, state::replay, all, 2, 100},
      {"replays at the limit, timeout", three_timeouts, timeout, false, state::down, all, 3, 0},
      {"replays at the limit, NACK", three_timeouts, nacks(100), false, state::down, all, 3, 0},
      {"replays at the limit, NACK with progress",
       three_timeouts,
       nacks(101),
       true,
       state::replay,
       {101, 102, 103},
       1,
       101},
      {"down, ACK",
       [](sender& s) {
         three_timeouts(s);
         s.llr.timeout();
       },
       acks(100), false, state::down, all, 3, 0},
      {"down, timeout",
       [](sender& s) {
         three_timeouts(s);
         s.llr.timeout();
       },
       timeout, false, state::down, all, 3, 0},
      {"normal, end", nothing, ends(102), false, state::down, {102, 103}, 0, 0},
      {"replay, end with all arrived", replaying_102, ends(104), false, state::down, {}, 0, 0},
      {"down, end",
       [](sender& s) {
         three_timeouts(s);
         s.llr.timeout();
       },
       ends(101),
       false,
       state::down,
       {101, 102, 103},
       0,
       0},
  };
  for (const row& r : table) {
    INFO(r.name);
    sender s;
    s.add(4);
    r.before(s);
    CHECK(r.event(s) == r.restarts_timer);
    CHECK(s.llr.current() == r.next);
    CHECK(s.kept() == r.kept);
    CHECK(s.llr.bytes() == static_cast<std::int64_t>(r.kept.size()) * frame_bytes);
    CHECK(s.llr.replays() == r.replays);
    if (r.next == state::replay) CHECK(s.llr.replay_front().what->sequence.number() == r.cursor);
    CHECK(s.pool.in_flight() == r.kept.size());
  }
}

TEST_CASE("an empty replay buffer has nothing to time out and takes no acknowledgement") {
  sender s;
  CHECK_FALSE(s.llr.timeout());
  CHECK_FALSE(ack(s, 100));
  CHECK_FALSE(ack(s, 99));
  CHECK(nack(s, 100));  // of next
  CHECK(s.llr.current() == state::normal);
}

TEST_CASE("new frames are numbered in turn and refused when the replay buffer is full or replays") {
  sender s{4};
  CHECK(s.llr.accepts(frame_bytes));
  s.add(3);
  CHECK(s.kept() == std::vector<std::uint32_t>{100, 101, 102});
  CHECK(s.llr.accepts(frame_bytes));
  CHECK_FALSE(s.llr.accepts(frame_bytes + 1));
  s.add(1);
  CHECK_FALSE(s.llr.accepts(1));
  ack(s, 101);
  CHECK(s.llr.accepts(2 * frame_bytes));
  nack(s, 102);
  CHECK_FALSE(s.llr.accepts(1));
  s.replayed();
  s.replayed();
  CHECK(s.llr.accepts(1));
  s.add(1);
  CHECK(s.kept() == std::vector<std::uint32_t>{102, 103, 104});
}

TEST_CASE("the sender of retry does the same where numbers wrap") {
  const std::uint32_t last = llr_sequence::count - 1;
  sender s{8, last - 1};
  s.add(4);
  CHECK(s.kept() == std::vector<std::uint32_t>{last - 1, last, 0, 1});
  CHECK(nack(s, 0));
  CHECK(s.kept() == std::vector<std::uint32_t>{0, 1});
  CHECK(s.replayed() == 0);
  CHECK_FALSE(ack(s, last));
  CHECK(ack(s, 1));
  CHECK(s.llr.next() == llr_sequence{2});
  CHECK(s.llr.current() == state::normal);
}
