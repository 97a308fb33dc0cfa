#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "rtl_tlm/sue/receive_flow.h"

using namespace scribeline;
using namespace scribeline::sue;

namespace {

struct flow_bench {
  endpoint_config config;
  base::object_pool<pdu> pool;
  std::vector<pdu*> sent;
  receive_flow flow{config, 2};
  plane_set both = plane_set::first(2);

  ~flow_bench() {
    for (pdu* const p : sent)
      p->release();
  }
  verdict arrive(std::int64_t psn, int plane = 0) {
    pdu* const p = allocate(pool);
    p->psn = psn;
    sent.push_back(p);
    return flow.accept(*p, psn, plane);
  }
  // PSNs that follow in order.
  std::vector<std::int64_t> held() {
    std::vector<std::int64_t> psns;
    while (pdu* const p = flow.next_held()) {
      psns.push_back(p->psn);
      p->release();
    }
    return psns;
  }
};

}  // namespace

TEST_CASE("PDUs out of order wait, and follow in order, once") {
  flow_bench b;
  CHECK(b.arrive(0) == verdict::in_order);
  CHECK(b.arrive(2) == verdict::held);
  CHECK(b.arrive(3) == verdict::held);
  CHECK(b.arrive(2) == verdict::duplicate);
  CHECK(b.arrive(0) == verdict::duplicate);
  CHECK(b.held().empty());
  CHECK(b.arrive(1) == verdict::in_order);
  CHECK(b.held() == std::vector<std::int64_t>{2, 3});
  CHECK(b.flow.expected() == 4);
}

TEST_CASE("what lies beyond the reorder buffer is dropped") {
  flow_bench b;
  b.config.reorder_pdus = 2;
  CHECK(b.arrive(1) == verdict::held);
  CHECK(b.arrive(2) == verdict::held);
  CHECK(b.arrive(3) == verdict::no_room);
  CHECK(b.arrive(0) == verdict::in_order);
  CHECK(b.held() == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("without a reorder buffer only the PDU expected is taken: plain go-back-N") {
  flow_bench b;
  b.config.reorder_pdus = 0;
  CHECK(b.arrive(1) == verdict::no_room);
  CHECK(b.arrive(0) == verdict::in_order);
  CHECK(b.arrive(1) == verdict::in_order);
}

TEST_CASE("a PDU counts as lost when every plane in use has overtaken it, and is asked for once") {
  flow_bench b;
  b.arrive(1, 0);
  CHECK_FALSE(b.flow.nack_due(b.both));  // it may come over plane 1
  b.arrive(2, 1);
  CHECK(b.flow.nack_due(b.both));
  CHECK_FALSE(b.flow.nack_due(b.both));
  b.arrive(0, 0);
  b.held();
  CHECK(b.flow.expected() == 3);
  CHECK_FALSE(b.flow.nack_due(b.both));
}

TEST_CASE("a plane that is down is not waited for") {
  flow_bench b;
  plane_set second;
  second.insert(1);
  b.arrive(1, 1);
  CHECK_FALSE(b.flow.nack_due(b.both));
  CHECK(b.flow.nack_due(second));
}

TEST_CASE("a flow that holds PDUs may end after the senders whose they are") {
  const endpoint_config config;
  auto pool = std::make_unique<base::object_pool<pdu>>();
  receive_flow flow(config, 1);
  pdu* const early = allocate(*pool);
  flow.accept(*early, 3, 0);
  CHECK(pool->in_flight() == 1);
  pool.reset();  // under the address sanitizer, touching `early` from here on fails
}
