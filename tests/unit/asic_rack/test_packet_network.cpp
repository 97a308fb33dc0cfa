#include <catch2/catch.hpp>

#include "platforms/asic_rack/packet_network.h"
#include "rtl_tlm/accelerator/accelerator_config.h"
#include "rtl_tlm/base/error.h"

using namespace scribeline;
using namespace scribeline::platforms;
using accelerator::opcode;

namespace {

bool never() {
  return false;
}

accelerator::exchange exchange_of(opcode op, std::uint32_t ranks, double bytes) {
  accelerator::exchange e;
  e.op = op;
  e.ranks = ranks;
  e.bytes = bytes;
  e.round_trip_bytes = 2 * bytes;
  e.tokens = 1;
  return e;
}

accelerator::scale_up_config asic_network() {
  return accelerator::find_accelerator_preset("jalapeno")->config.network;
}

}  // namespace

// Destinations take turns PDU by PDU and meet at receivers, which the closed forms leave out.
TEST_CASE("long exchanges of packets take up to a quarter more than the closed form, short ones no less than latency") {
  const auto config = asic_network();
  packet_network network("network", config, 8);
  for (const opcode op : {opcode::all_reduce, opcode::all_gather, opcode::dispatch, opcode::combine})
    for (const double bytes : {256.0, 16384.0, 4e6}) {
      const auto e = exchange_of(op, 8, bytes);
      network.measure(e, never);
      CAPTURE(static_cast<int>(op), bytes, network.comparisons().back().closed_form_ns);
      CHECK(network.nanoseconds(e) >= config.start_ns + config.one_way_ns);
      if (bytes < 1e6) continue;
      CHECK(network.nanoseconds(e) > 0.98 * network.comparisons().back().closed_form_ns);
      CHECK(network.nanoseconds(e) < 1.25 * network.comparisons().back().closed_form_ns);
    }
}

TEST_CASE("a short one-shot takes start, latency and a frame's time, to the nanosecond or so") {
  const auto config = asic_network();
  packet_network network("network", config, 2);
  const auto e = exchange_of(opcode::all_reduce, 2, 256);
  network.measure(e, never);
  // 256 B + 10 + 8 of headers + check sequence, preamble and gap at 75 B/ns of one plane, forwarded before it is over.
  CHECK(network.nanoseconds(e) == Approx(config.start_ns + config.one_way_ns + (256 + 18 + 20) / 75.0).margin(2));
}

TEST_CASE("equal exchanges are simulated once, and one rank needs no network") {
  packet_network network("network", asic_network(), 4);
  network.measure(exchange_of(opcode::all_reduce, 4, 1000), never);
  network.measure(exchange_of(opcode::all_reduce, 4, 1000), never);
  network.measure(exchange_of(opcode::all_reduce, 1, 1000), never);
  network.measure(exchange_of(opcode::all_reduce, 2, 1000), never);
  CHECK(network.comparisons().size() == 2);
  CHECK(network.nanoseconds(exchange_of(opcode::all_reduce, 1, 1000)) == 0);
  CHECK_THROWS_AS(network.nanoseconds(exchange_of(opcode::all_reduce, 4, 2000)), std::logic_error);
}

TEST_CASE("every algorithm ends: ring, two-shot and the switch's reduction") {
  auto config = asic_network();
  config.staged_bytes_group = 1000;  // rings beyond
  packet_network rings("rings", config, 4);
  const auto gather = exchange_of(opcode::all_gather, 4, 400'000);
  const auto reduce = exchange_of(opcode::all_reduce, 4, 400'000);
  rings.measure(gather, never);
  rings.measure(reduce, never);
  CHECK(rings.nanoseconds(gather) == Approx(rings.comparisons()[0].closed_form_ns).epsilon(0.3));
  CHECK(rings.nanoseconds(reduce) == Approx(rings.comparisons()[1].closed_form_ns).epsilon(0.3));
  CHECK(rings.nanoseconds(reduce) > rings.nanoseconds(gather));
}

TEST_CASE("a switch that reduces beats two exchanges of the ranks for long vectors") {
  auto config = asic_network();
  packet_network plain("plain", config, 8);
  config.reduces_in_switch = true;
  packet_network reducing("reducing", config, 8);
  const auto e = exchange_of(opcode::all_reduce, 8, 4e6);
  plain.measure(e, never);
  reducing.measure(e, never);
  CHECK(reducing.nanoseconds(e) < plain.nanoseconds(e));
}

TEST_CASE("networks that are no scale-up Ethernet, or faster than their parts, are refused") {
  CHECK_THROWS_AS(packet_network("nvlink", accelerator::find_accelerator_preset("h200")->config.network, 8),
                  base::bad_input);
  auto config = asic_network();
  config.one_way_ns = 400;
  CHECK_THROWS_AS(packet_network("fast", config, 8), base::bad_input);
}
