// In steady state a frame costs no allocation. This binary counts every call of operator new.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "tests/unit/link/link_bench.h"

namespace {
std::int64_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc{};
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

using namespace scribeline::link;

TEST_CASE("frames and credits allocate nothing once the pools have grown") {
  link_config c = one_lane();
  c.lanes = 12;
  c.receive_buffer_bytes = 12 * 6000;
  port a{"a", c}, b{"b", c};
  connect(a, b);
  std::int64_t messages = 0;
  const auto send_back = [&messages](port& p) {
    p.on_message([&p, &messages](delivery& d) {
      ++messages;
      p.release(d);
      p.send(d.content);
    });
  };
  send_back(a);
  send_back(b);
  // More than the credits of one direction, so that some always wait.
  for (int i = 0; i < 5; ++i)
    a.send(message_of(30'000));
  sc_core::sc_start(ns(1'000'000));
  const std::int64_t messages_before = messages;
  const std::int64_t allocations_before = allocations;
  REQUIRE(allocations_before > 0);
  sc_core::sc_start(ns(2'000'000));
  const std::int64_t allocated = allocations - allocations_before;
  CHECK(messages - messages_before > 2000);
  CHECK(allocated == 0);
}

TEST_CASE("retry, acknowledgements and periodic credits allocate nothing either") {
  link_config c = scale_up_ethernet(800);
  c.latency_ns = c.credit_latency_ns = 200;
  c.flow.credit_update_ns = 100;
  c.virtual_channels = 4;
  port a{"a", c}, b{"b", c};
  connect(a, b);
  std::int64_t messages = 0;
  b.on_message([&](delivery& d) {
    ++messages;
    b.release(d);
    a.send(d.content);
  });
  for (int i = 0; i < 200; ++i)
    a.send(message_of(4096, 0, i % 4));
  sc_core::sc_start(ns(100'000));
  const std::int64_t messages_before = messages;
  const std::int64_t allocations_before = allocations;
  sc_core::sc_start(ns(200'000));
  const std::int64_t allocated = allocations - allocations_before;
  CHECK(messages - messages_before > 4000);
  CHECK(allocated == 0);
}
