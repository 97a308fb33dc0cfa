// Every row of the transition table in llr_receiver.h, from the table, not from the code.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "rtl_tlm/link/llr_receiver.h"

using namespace scribeline::link;
using state = llr_receiver::state;

namespace {

constexpr llr_sequence number(std::uint32_t n) {
  return llr_sequence{n};
}

struct row {
  std::string name;
  std::function<void(llr_receiver&)> before;  // from: normal, 100 expected
  std::function<llr_verdict(llr_receiver&)> frame;
  llr_verdict verdict;
  state next;
  std::uint32_t expected;
};

const auto nothing = [](llr_receiver&) {};
const auto bad = [](llr_receiver& r) { return r.bad(); };
std::function<llr_verdict(llr_receiver&)> good(std::uint32_t n) {
  return [n](llr_receiver& r) { return r.good(number(n)); };
}
// State discard after a bad frame: nothing seen since.
const auto after_bad = [](llr_receiver& r) { r.bad(); };
// State discard after 100 was lost; 102 and 103 seen since.
const auto after_gap = [](llr_receiver& r) {
  r.good(number(102));
  r.good(number(103));
};

}  // namespace

TEST_CASE("20-bit sequence numbers wrap and compare by the shorter way") {
  CHECK(llr_sequence{1u << 20} == number(0));
  CHECK(number((1u << 20) - 1).next() == number(0));
  CHECK(number(0).previous() == number((1u << 20) - 1));
  CHECK(distance(number((1u << 20) - 2), number(3)) == 5);
  CHECK(before(number((1u << 20) - 2), number(3)));
  CHECK_FALSE(before(number(3), number((1u << 20) - 2)));
  CHECK_FALSE(before(number(3), number(3)));
}

TEST_CASE("the receiver of retry follows its transition table") {
  const row table[] = {
      {"normal, expected", nothing, good(100), llr_verdict::deliver, state::normal, 101},
      {"normal, before expected", nothing, good(99), llr_verdict::duplicate, state::normal, 100},
      {"normal, far before expected", nothing, good(1), llr_verdict::duplicate, state::normal, 100},
      {"normal, one after expected", nothing, good(101), llr_verdict::nack, state::discard, 100},
      {"normal, far after expected", nothing, good(5000), llr_verdict::nack, state::discard, 100},
      {"normal, bad", nothing, bad, llr_verdict::nack, state::discard, 100},
      {"discard, expected", after_bad, good(100), llr_verdict::deliver, state::normal, 101},
      {"discard, expected, after others", after_gap, good(100), llr_verdict::deliver, state::normal, 101},
      {"discard, before expected", after_gap, good(99), llr_verdict::duplicate, state::discard, 100},
      {"discard, old stream after bad", after_bad, good(101), llr_verdict::discard, state::discard, 100},
      {"discard, old stream after gap", after_gap, good(104), llr_verdict::discard, state::discard, 100},
      {"discard, old stream with a hole", after_gap, good(110), llr_verdict::discard, state::discard, 100},
      {"discard, replay lost its first", after_gap, good(101), llr_verdict::nack, state::discard, 100},
      {"discard, replay lost its first, same number", after_gap, good(103), llr_verdict::nack, state::discard, 100},
      {"discard, bad", after_gap, bad, llr_verdict::discard, state::discard, 100},
  };
  for (const row& r : table) {
    INFO(r.name);
    llr_receiver receiver;
    receiver.start_at(number(100));
    r.before(receiver);
    CHECK(r.frame(receiver) == r.verdict);
    CHECK(receiver.current() == r.next);
    CHECK(receiver.expected() == number(r.expected));
  }
}

TEST_CASE("the receiver asks once for each replay that misses, not for each frame") {
  llr_receiver receiver;
  receiver.start_at(number(100));
  CHECK(receiver.bad() == llr_verdict::nack);
  for (std::uint32_t n = 101; n < 120; ++n)
    CHECK(receiver.good(number(n)) == llr_verdict::discard);
  // The replay loses 100 and 101.
  CHECK(receiver.bad() == llr_verdict::discard);
  CHECK(receiver.bad() == llr_verdict::discard);
  CHECK(receiver.good(number(102)) == llr_verdict::nack);
  for (std::uint32_t n = 103; n < 130; ++n)
    CHECK(receiver.good(number(n)) == llr_verdict::discard);
  CHECK(receiver.good(number(100)) == llr_verdict::deliver);
}

TEST_CASE("the receiver of retry does the same where numbers wrap") {
  llr_receiver receiver;
  const std::uint32_t last = llr_sequence::count - 1;
  receiver.start_at(number(last));
  CHECK(receiver.good(number(last)) == llr_verdict::deliver);
  CHECK(receiver.expected() == number(0));
  CHECK(receiver.good(number(last)) == llr_verdict::duplicate);
  CHECK(receiver.good(number(1)) == llr_verdict::nack);
  CHECK(receiver.good(number(2)) == llr_verdict::discard);
  CHECK(receiver.good(number(last)) == llr_verdict::duplicate);
  CHECK(receiver.good(number(0)) == llr_verdict::deliver);
  CHECK(receiver.good(number(1)) == llr_verdict::deliver);
}
