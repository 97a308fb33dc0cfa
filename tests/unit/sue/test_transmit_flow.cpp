#include <catch2/catch.hpp>
#include <vector>

#include "rtl_tlm/sue/transmit_flow.h"

using namespace scribeline;
using namespace scribeline::sue;

namespace {

segment transfer(transfer_id id, std::int64_t bytes) {
  segment s;
  s.id = id;
  s.bytes = s.transfer_bytes = bytes;
  return s;
}

struct flow_bench {
  endpoint_config config;
  base::object_pool<pdu> pool;
  std::vector<transfer_id> done;
  transmit_flow flow{config, pool};

  bool acknowledge(std::int64_t psn) {
    return flow.acknowledge(psn, [this](const segment& s) { done.push_back(s.id); });
  }
};

}  // namespace

TEST_CASE("a PDU takes what is there and fits") {
  flow_bench b;
  b.flow.add(transfer(1, 256));
  b.flow.add(transfer(2, 256));
  const pdu& p = b.flow.take();
  CHECK(p.psn == 0);
  CHECK(p.bytes == 512);
  CHECK(p.transactions == 2);
  CHECK(p.segments.size() == 2);
  CHECK_FALSE(b.flow.may_send());
}

TEST_CASE("a transfer is cut into PDUs of whole transactions, the last of which may be short") {
  flow_bench b;
  b.flow.add(transfer(1, 10'000));
  CHECK(b.flow.take().bytes == 4096);
  CHECK(b.flow.take().bytes == 4096);
  const pdu& last = b.flow.take();
  CHECK(last.bytes == 1808);
  CHECK(last.transactions == 8);
  CHECK(last.segments.front().last);
  CHECK(b.flow.queued_bytes() == 0);
}

TEST_CASE("a transaction that does not fit waits for the next PDU") {
  flow_bench b;
  b.flow.add(transfer(1, 4000));
  b.flow.add(transfer(2, 256));
  const pdu& first = b.flow.take();
  CHECK(first.bytes == 4000);
  CHECK(b.flow.take().bytes == 256);
}

TEST_CASE("a long transfer fills a PDU that another began, up to its last whole transaction") {
  flow_bench b;
  b.flow.add(transfer(1, 100));
  b.flow.add(transfer(2, 8192));
  const pdu& first = b.flow.take();
  CHECK(first.bytes == 100 + 15 * 256);
  CHECK(first.transactions == 16);
  CHECK_FALSE(first.segments.back().last);
}

TEST_CASE("an acknowledgement is cumulative and completes transfers once") {
  flow_bench b;
  for (transfer_id id = 1; id <= 3; ++id)
    b.flow.add(transfer(id, 4096));
  while (b.flow.may_send())
    b.flow.take();
  CHECK(b.acknowledge(1));
  CHECK(b.done == std::vector<transfer_id>{1, 2});
  CHECK_FALSE(b.acknowledge(1));
  CHECK_FALSE(b.acknowledge(3));  // not sent
  CHECK(b.acknowledge(2));
  CHECK(b.done == std::vector<transfer_id>{1, 2, 3});
  CHECK_FALSE(b.flow.outstanding());
  CHECK(b.pool.in_flight() == 0);
}

TEST_CASE("going back sends the same PDUs again, before new ones") {
  flow_bench b;
  b.flow.add(transfer(1, 4 * 4096));
  for (int i = 0; i < 4; ++i)
    b.flow.take();
  b.flow.add(transfer(2, 256));
  CHECK(b.flow.go_back_to(2));
  CHECK(b.flow.take().psn == 2);
  CHECK(b.flow.take().psn == 3);
  const pdu& fresh = b.flow.take();
  CHECK(fresh.psn == 4);
  CHECK(fresh.segments.front().id == 2);
  CHECK_FALSE(b.flow.go_back_to(7));
  CHECK(b.acknowledge(1));
  CHECK_FALSE(b.flow.go_back_to(1));
}

TEST_CASE("an acknowledgement of the first copy ends the repetition") {
  flow_bench b;
  b.flow.add(transfer(1, 4 * 4096));
  for (int i = 0; i < 4; ++i)
    b.flow.take();
  b.flow.go_back();
  CHECK(b.flow.take().psn == 0);
  CHECK(b.acknowledge(3));
  CHECK_FALSE(b.flow.may_send());
  CHECK_FALSE(b.flow.outstanding());
}

TEST_CASE("the window bounds what is unacknowledged") {
  flow_bench b;
  b.config.window_pdus = 3;
  b.flow.add(transfer(1, 10 * 4096));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(b.flow.may_send());
    b.flow.take();
  }
  CHECK_FALSE(b.flow.may_send());
  b.acknowledge(0);
  CHECK(b.flow.may_send());
}
