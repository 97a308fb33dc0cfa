#include <catch2/catch.hpp>

#include "tests/unit/sue/pair_bench.h"

using namespace scribeline;
using namespace scribeline::sue;
using sc_core::sc_start;

namespace {

// Both sides read from each other more than all queues hold.
std::size_t responses_of_reads_both_ways(int response_channel) {
  endpoint_config c;
  c.response_channel = response_channel;
  c.response_queue_bytes = 4096;
  c.retry_timeout_ns = 1e9;
  link::link_config l = link_for(c);
  l.receive_buffer_bytes = 2 * l.frame_payload_bytes;
  endpoint_pair p{c, l};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    p.a->read(1, base::bytes{2048}, i);
    p.b->read(0, base::bytes{2048}, i);
  }
  sc_start(nanoseconds(1'000'000));
  if (p.at_a.size() < 2000) CHECK_FALSE(p.a->why_blocked().empty());
  return p.at_a.size() + p.at_b.size();
}

}  // namespace

TEST_CASE("requests that wait for room for their responses do not hold back responses") {
  CHECK(responses_of_reads_both_ways(1) == 4000);
}

TEST_CASE("with one channel for both, requests and responses wait for each other for ever") {
  CHECK(responses_of_reads_both_ways(0) < 4000);
}
