#include <catch2/catch.hpp>

#include "rtl_tlm/base/payload_pool.h"

using namespace scribeline::base;

TEST_CASE("a released payload is recycled, clean") {
  generic_payload_pool pool;
  tlm::tlm_generic_payload* first = pool.allocate();
  first->set_address(0x1234);
  first->set_response_status(tlm::TLM_OK_RESPONSE);
  CHECK(first->get_ref_count() == 1);
  first->acquire();
  first->release();
  CHECK(pool.in_flight() == 1);
  first->release();
  CHECK(pool.in_flight() == 0);

  tlm::tlm_generic_payload* second = pool.allocate();
  CHECK(second == first);
  CHECK(pool.capacity() == 1);
  second->release();
}

TEST_CASE("an object pool hands out reset objects and grows only to the peak in flight") {
  struct frame {
    int sequence = 0;
    void reset() { sequence = 0; }
  };
  object_pool<frame> pool;
  frame* a = pool.allocate();
  frame* b = pool.allocate();
  a->sequence = 7;
  CHECK(pool.in_flight() == 2);
  pool.free(a);
  CHECK(pool.allocate()->sequence == 0);
  CHECK(pool.capacity() == 2);
  pool.free(b);
}
