#include <catch2/catch.hpp>
#include <string>

#include "tests/support/report_text.h"
#include "tests/unit/sue/pair_bench.h"

using namespace scribeline;
using namespace scribeline::sue;
using Catch::Contains;
using sc_core::sc_start;
using test_support::report_text;

TEST_CASE("transfers that cannot be are refused by name") {
  endpoint_pair p{endpoint_config{}};
  CHECK_THAT(report_text([&] { p.a->send(1, base::bytes{0}); }), Contains("a transfer of 0 B"));
  CHECK_THAT(report_text([&] { p.a->send(0, base::bytes{1}); }), Contains("a transfer to itself"));
  CHECK_THAT(report_text([&] { p.a->send(1024, base::bytes{1}); }), Contains("ranks are 0 to 1023"));
  CHECK_THAT(report_text([&] { p.a->read(-1, base::bytes{1}); }), Contains("rank -1"));
}

TEST_CASE("configurations that cannot be are refused by key") {
  const auto problem = [](auto&& change) {
    endpoint_config c;
    change(c);
    return c.problem();
  };
  CHECK(endpoint_config{}.problem().empty());
  CHECK_THAT(problem([](auto& c) { c.planes = 0; }), Contains("planes = 0"));
  CHECK_THAT(problem([](auto& c) { c.pdu_bytes = 100; }), Contains("pdu_bytes = 100"));
  CHECK_THAT(problem([](auto& c) { c.window_pdus = 40'000; }), Contains("window_pdus = 40000"));
  CHECK_THAT(problem([](auto& c) { c.retry_timeout_ns = 1; }), Contains("retry_timeout_ns = 1"));
  CHECK_THAT(problem([](auto& c) { c.response_channel = 4; }), Contains("channel 4"));
  endpoint_config c;
  link::link_config l = link_for(c);
  l.virtual_channels = 2;
  CHECK_THAT(report_text([&] { endpoint e("narrow", 0, c, l); }), Contains("virtual_channels = 2"));
}

TEST_CASE("a rank that does not answer is unreachable after the retry limit") {
  endpoint_config c;
  c.retry_timeout_ns = 5'000;
  c.retry_limit = 3;
  link::link_config l = link_for(c);
  l.errors.frame_error_rate = 1;  // nothing arrives
  l.flow.resync_ns = 0;
  endpoint_pair p{c, l};
  p.a->send(1, base::bytes{100});
  const std::string message = report_text([] { sc_start(nanoseconds(1'000'000)); });
  CHECK_THAT(message, Contains("/scribeline/sue/unreachable"));
  CHECK_THAT(message, Contains("rank 1 has not acknowledged PDU 0 on channel 0 after 3 repetitions"));
  // First copy at 50 ns, then three more, then the end: 4 x 5 us.
  CHECK(sc_core::sc_time_stamp() == nanoseconds(50 + 4 * 5'000));
  CHECK_THAT(p.a->why_blocked(), Contains("rank 1 owes rank 0"));
}

TEST_CASE("the last plane that goes down leaves its transfers unreachable") {
  endpoint_pair p{endpoint_config{}};
  p.a->send(1, base::bytes{1 << 20});
  sc_start(nanoseconds(1000));
  p.a->ports[0].take_down();
  CHECK_THAT(report_text([] { sc_start(nanoseconds(1000)); }), Contains("no plane is left to rank 1"));
}
