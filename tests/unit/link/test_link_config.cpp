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
  CHECK(problem([](link_config& c) { c.serdes_lanes = 0; }) == "serdes_lanes = 0: must be 1 or more");
  CHECK(problem([](link_config& c) { c.flow.credit_update_ns = -1; }) ==
        "flow.credit_update_ns = -1: must be 0 to 1e12");
  CHECK(problem([](link_config& c) { c.flow.resync_ns = -1; }) == "flow.resync_ns = -1: must be 0 to 1e12");
}

TEST_CASE("parameters of pause flow control that cannot be are refused by name") {
  const auto problem = [](auto change) {
    link_config c;
    c.flow.kind = flow_control::pause;
    c.latency_ns = 1000;
    change(c);
    return c.problem();
  };
  CHECK(problem([](link_config&) {}).empty());
  // 1000 ns x 12.5 B and two frames are 15,500 B.
  CHECK(problem([](link_config& c) { c.receive_buffer_bytes = 15'000; }) ==
        "receive_buffer_bytes = 15000: the headroom for pause flow control alone takes 15500, or give "
        "flow.pause_above_bytes");
  CHECK(problem([](link_config& c) { c.flow.credit_update_ns = 10; }) ==
        "flow.credit_update_ns = 10: pause flow control has no credits");
  CHECK(
      problem([](link_config& c) {
        c.flow.pause_above_bytes = 10'000;
        c.flow.resume_at_bytes = 20'000;
      }) ==
      "flow.resume_at_bytes = 20000 and flow.pause_above_bytes = 10000: must rise up to receive_buffer_bytes = 65536");
}

TEST_CASE("parameters of errors and retry that cannot be are refused by name") {
  const auto problem = [](auto change) {
    link_config c;
    c.llr.on = true;
    c.latency_ns = 1000;
    change(c);
    return c.problem();
  };
  CHECK(problem([](link_config&) {}).empty());
  CHECK(problem([](link_config& c) { c.errors.bit_error_rate = 0.6; }) ==
        "errors.bit_error_rate = 0.6: must be 0 to 0.5");
  CHECK(problem([](link_config& c) { c.errors.frame_error_rate = std::nan(""); }) ==
        "errors.frame_error_rate = nan: must be 0 to 1");
  CHECK(problem([](link_config& c) { c.errors.bit_error_rate = c.errors.frame_error_rate = 0.1; }) ==
        "errors.bit_error_rate = 0.1 and frame_error_rate = 0.1: give one of them");
  CHECK(problem([](link_config& c) { c.errors.control_error_rate = 2; }) ==
        "errors.control_error_rate = 2: must be 0 to 1");
  CHECK(problem([](link_config& c) { c.errors.fec_latency_ns = -1; }) ==
        "errors.fec_latency_ns = -1: must be 0 to 1e12");
  CHECK(problem([](link_config& c) { c.llr.replay_buffer_bytes = 1537; }) ==
        "llr.replay_buffer_bytes = 1537: a frame takes up to 1538");
  CHECK(problem([](link_config& c) { c.llr.replay_limit = 0; }) == "llr.replay_limit = 0: must be 1 or more");
  CHECK(problem([](link_config& c) { c.llr.ack_frames = 0; }) == "llr.ack_frames = 0: must be 1 to 262144");
  CHECK(problem([](link_config& c) { c.llr.ack_delay_ns = -1; }) == "llr.ack_delay_ns = -1: must be 0 to 1e12");
  // 1000 ns there and back, two frames of 123.04 ns, 500 ns of delay.
  CHECK(problem([](link_config& c) { c.llr.replay_timeout_ns = 2746.08; }) ==
        "llr.replay_timeout_ns = 2746.08: must be more than the 2746.08 ns until an acknowledgement is back");
  CHECK(problem([](link_config& c) { c.llr.replay_timeout_ns = 2746.1; }).empty());
}
