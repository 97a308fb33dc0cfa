#include <catch2/catch.hpp>

#include "tests/unit/scale_up_domain/domain_bench.h"

using namespace scribeline;
using namespace scribeline::platforms;

namespace {

scale_up_config with_trains(scale_up_config c, int pdus) {
  c.endpoint.train_pdus = pdus;
  return c;
}

}  // namespace

TEST_CASE("a train is as long as its PDUs with headers and gaps") {
  sue::endpoint_config c;
  CHECK(sue::frame_bytes(c, 1) == 19);
  CHECK(sue::frame_bytes(c, 4096) == 4114);
  CHECK(sue::frame_bytes(c, 4097) == 4114 + 20 + 64);  // filled up, as the link does with a frame of 19 B
  CHECK(sue::frame_bytes(c, 3 * 4096) == 3 * 4114 + 2 * 20);
  c.pdu_bytes = c.transaction_bytes = 32;  // padded to 64 B
  CHECK(sue::frame_bytes(c, 64) == 64 + 20 + 64);
}

TEST_CASE("a transfer that nothing crosses takes the same time in trains") {
  scale_up_config c;
  watched_domain packets(c);
  scale_up_domain trains("trains", with_trains(c, 32));
  sc_core::sc_time at;
  trains.rank(5).on_arrival([&at](const sue::arrival&) { at = sc_core::sc_time_stamp(); });
  packets.net.rank(0).send(5, base::bytes{1'000'000});
  trains.rank(0).send(5, base::bytes{1'000'000});
  packets.run();
  REQUIRE(packets.arrivals.size() == 1);
  CHECK(ns(at) == Approx(ns(packets.arrivals[0].at)).epsilon(1e-6));
  CHECK(trains.plane(0).statistics().frames_out * 20 < packets.net.plane(0).statistics().frames_out);
}

TEST_CASE("an incast in trains ends when it ends in packets") {
  scale_up_config c;
  watched_domain packets(c);
  scale_up_domain trains("trains", with_trains(c, 32));
  sc_core::sc_time last;
  trains.rank(0).on_arrival([&last](const sue::arrival&) { last = sc_core::sc_time_stamp(); });
  for (int r = 1; r < 8; ++r) {
    packets.net.rank(r).send(0, base::bytes{2'000'000});
    trains.rank(r).send(0, base::bytes{2'000'000});
  }
  packets.run();
  CHECK(ns(last) == Approx(ns(packets.arrivals.back().at)).epsilon(1e-6));
}

TEST_CASE("trains do not go with errors of single frames") {
  scale_up_config c = with_trains(scale_up_config{}, 8);
  CHECK(c.problem().empty());
  c.link.errors.bit_error_rate = 1e-9;
  CHECK_THAT(c.problem(), Catch::Contains("train_pdus > 1"));
}
