#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/link/link_bench.h"

using namespace scribeline::link;
using scribeline::base::bytes;

TEST_CASE("Ethernet adds 38 bytes to a frame and pads it to 64 before preamble and gap") {
  const link_config c;
  CHECK(wire_bytes(c, 1500) == 1538);
  CHECK(wire_bytes(c, 46) == 84);
  CHECK(wire_bytes(c, 1) == 84);
}

TEST_CASE("64 byte frames at 51.2 Tb/s make the published line rate of 76.19 G packets per second") {
  link_config c;
  c.lane_gbps = 51'200;
  const double bits = static_cast<double>(wire_bytes(c, 46)) * 8;
  CHECK(c.lane_gbps / bits == Approx(76.19).epsilon(0.0001));
}

TEST_CASE("a message on an idle link takes its frames and the latency") {
  link_config c = one_lane();
  CHECK(zero_load_latency(c, bytes{1000}) == ns(83.04 + 2000));
  // 3500 = 1500 + 1500 + 500
  CHECK(serialisation_time(c, bytes{3500}) == ns((1538 + 1538 + 538) * 0.08));
  CHECK(serialisation_time(c, bytes{3000}) == ns((1538 + 1538) * 0.08));
  c.lanes = 12;
  // 20480 / 12 = 1706.67, so 1707 per lane: 1500 + 207
  CHECK(serialisation_time(c, bytes{20480}) == ns((1538 + 245) * 0.08));
}

TEST_CASE("a parameter that cannot be is refused by name") {
  const auto problem = [](auto change) {
    link_config c;
    change(c);
    return c.problem();
  };
  CHECK(link_config{}.problem().empty());
  CHECK(problem([](link_config& c) { c.lanes = 0; }) == "lanes = 0: must be 1 or more");
  CHECK(problem([](link_config& c) { c.lane_gbps = 0; }) == "lane_gbps = 0: must be 0.001 to 1e6");
  CHECK(problem([](link_config& c) { c.lane_gbps = std::nan(""); }) == "lane_gbps = nan: must be 0.001 to 1e6");
  CHECK(problem([](link_config& c) { c.latency_ns = INFINITY; }) == "latency_ns = inf: must be 0 to 1e12");
  CHECK(problem([](link_config& c) { c.latency_ns = -1; }) == "latency_ns = -1: must be 0 to 1e12");
  CHECK(problem([](link_config& c) { c.credit_latency_ns = -1; }) == "credit_latency_ns = -1: must be 0 to 1e12");
  CHECK(problem([](link_config& c) { c.frame_payload_bytes = 0; }) == "frame_payload_bytes = 0: must be 1 or more");
  CHECK(problem([](link_config& c) { c.frame_overhead_bytes = -1; }) == "frame_overhead_bytes = -1: must be 0 or more");
  CHECK(problem([](link_config& c) { c.min_frame_payload_bytes = 1501; }) ==
        "min_frame_payload_bytes = 1501: must be 0 to frame_payload_bytes = 1500");
  CHECK(problem([](link_config& c) { c.virtual_channels = 33; }) == "virtual_channels = 33: must be 1 to 32");
  CHECK(problem([](link_config& c) {
          c.lanes = 12;
          c.receive_buffer_bytes = 17'999;
        }) ==
        "receive_buffer_bytes = 17999: a frame of 1500 B on each of 12 lanes would never fit, it takes at least 18000");
}
