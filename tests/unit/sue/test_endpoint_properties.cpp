// Random traffic over links that lose frames: every transfer arrives once, whole, and in its order.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "rtl_tlm/base/random.h"
#include "tests/unit/sue/pair_bench.h"

using namespace scribeline;
using namespace scribeline::sue;
using sc_core::sc_start;

namespace {

struct sent_transfer {
  std::int64_t bytes;
  std::uint64_t tag;
};

// One pair of endpoints with its own random configuration and traffic, in both directions.
class random_pair {
 public:
  random_pair(std::uint64_t seed, spraying spray) : seed_(seed), random_(seed) {
    endpoint_config c;
    c.spray = spray;
    c.planes = 1 + static_cast<int>(random_.below(4));
    c.window_pdus = 1 + static_cast<std::int64_t>(random_.below(64));
    c.reorder_pdus = static_cast<std::int64_t>(random_.below(64));
    c.ack_every = 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(c.window_pdus)));
    c.retry_timeout_ns = 5'000;
    c.retry_limit = 1000;
    link::link_config l = link_for(c);
    l.errors.frame_error_rate = 0.001 * static_cast<double>(random_.below(100));
    l.errors.seed = seed;
    l.llr.on = random_.below(2) == 1;
    pair_ = std::make_unique<endpoint_pair>(c, l);
    for (int i = 0; i < 150; ++i) {
      sent_a_.push_back(send(*pair_->a, 1, i));
      sent_b_.push_back(send(*pair_->b, 0, i));
    }
    pair_->a->read(1, base::bytes{100'000}, 77);
  }

  void check() const {
    CAPTURE(seed_, pair_->a->why_blocked(), pair_->b->why_blocked());
    check_side(sent_a_, pair_->at_b);
    std::vector<noted_arrival> sends;
    int responses = 0;
    for (const noted_arrival& n : pair_->at_a) {
      if (n.what.kind == transfer_kind::send)
        sends.push_back(n);
      else
        ++responses;
    }
    CHECK(responses == 1);
    check_side(sent_b_, sends);
    CHECK(pair_->completed.size() == sent_a_.size() + 1);
    CHECK(pair_->a->is_idle());
    CHECK(pair_->b->is_idle());
  }

  endpoint_pair& pair() { return *pair_; }

 private:
  sent_transfer send(endpoint& from, int to, int number) {
    const std::int64_t bytes = 1 + static_cast<std::int64_t>(random_.below(random_.below(2) == 0 ? 300 : 30'000));
    const auto tag = static_cast<std::uint64_t>(number);
    from.send(to, base::bytes{bytes}, tag, nanoseconds(20 * number));
    return {bytes, tag};
  }

  void check_side(const std::vector<sent_transfer>& sent, const std::vector<noted_arrival>& arrived) const {
    REQUIRE(arrived.size() == sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      REQUIRE(arrived[i].what.tag == sent[i].tag);
      REQUIRE(arrived[i].what.size.value() == sent[i].bytes);
    }
  }

  std::uint64_t seed_;
  base::random_stream random_;
  std::unique_ptr<endpoint_pair> pair_;
  std::vector<sent_transfer> sent_a_, sent_b_;
};

void check_many(std::uint64_t first_seed, spraying spray) {
  std::vector<std::unique_ptr<random_pair>> pairs;
  for (std::uint64_t seed = first_seed; seed < first_seed + 30; ++seed)
    pairs.push_back(std::make_unique<random_pair>(seed, spray));
  sc_start(nanoseconds(20'000'000));
  for (const auto& p : pairs)
    p->check();
}

}  // namespace

TEST_CASE("sprayed PDUs over links that lose frames arrive once and in order") {
  check_many(1000, spraying::per_pdu);
}

TEST_CASE("PDUs of one plane a destination over links that lose frames arrive once and in order") {
  check_many(2000, spraying::per_destination);
}

TEST_CASE("planes that go down one after the other lose nothing") {
  endpoint_config c;
  c.planes = 3;
  c.retry_timeout_ns = 20'000;
  endpoint_pair p{c};
  for (std::uint64_t i = 0; i < 300; ++i) {
    p.a->send(1, base::bytes{10'000}, i);
    p.b->send(0, base::bytes{7'000}, i);
  }
  sc_start(nanoseconds(2'000));
  p.a->ports[1].take_down();
  sc_start(nanoseconds(1'000));
  p.b->ports[2].take_down();
  sc_start(nanoseconds(500'000));
  REQUIRE(p.at_b.size() == 300);
  REQUIRE(p.at_a.size() == 300);
  for (std::uint64_t i = 0; i < 300; ++i) {
    CHECK(p.at_b[i].what.tag == i);
    CHECK(p.at_a[i].what.tag == i);
  }
  CHECK(p.completed.size() == 300);
  CHECK(p.a->statistics().pdus_repeated > 0);
  CHECK(p.a->is_idle());
}
