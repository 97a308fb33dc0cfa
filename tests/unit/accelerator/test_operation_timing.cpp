#include <catch2/catch.hpp>

#include "rtl_tlm/accelerator/operation_timing.h"
#include "rtl_tlm/base/random.h"
#include "tests/unit/accelerator/small_accelerator.h"

using namespace scribeline;
using namespace scribeline::accelerator;

namespace {

operation_cost cost_of(const descriptor& d, const launch_arguments& a = {},
                       const accelerator_config& c = small_accelerator()) {
  fixed_network network(100);
  operation_timing timing(c, network);
  timing.begin();
  return timing.next(d, a);
}

launch_arguments pass(std::uint64_t tokens, std::uint64_t sequences, std::uint64_t context) {
  launch_arguments a;
  a.tokens = tokens;
  a.sequences = sequences;
  a.context = context;
  return a;
}

}  // namespace

TEST_CASE("a product of one token is bound by its weights: start, latency, on-chip stages, then all slices read") {
  const operation_cost cost = cost_of(product(8000, 10));
  CHECK(cost.start_ns == Approx(5 + 10));
  CHECK(cost.on_chip_ns == Approx(4 * 1));
  CHECK(cost.work_ns == Approx(8000 / 400.0));
  CHECK(cost.total_ns() == Approx(39));
  CHECK(cost.binds == bound_by::hbm);
  CHECK(cost.hbm_bytes == 8000);
  CHECK(cost.macs == 10);
}

TEST_CASE("the slice with most pieces sets the time to read") {
  CHECK(cost_of(product(1500, 0)).work_ns == Approx(10));  // pieces of 1000 and 500 B on two of four slices
  CHECK(cost_of(product(500, 0)).work_ns == Approx(5));
  CHECK(cost_of(product(4000, 0)).work_ns == Approx(10));
  CHECK(cost_of(product(4500, 0)).work_ns == Approx(15));
}

TEST_CASE("fewer tokens than a tile cost as much as the tile, more are proportional") {
  const double one = cost_of(product(4, 1'000'000), pass(1, 1, 0)).work_ns;
  CHECK(one == Approx(8 * 1000));  // 1e6 multiply-accumulates a token, 1000 per ns
  CHECK(cost_of(product(4, 1'000'000), pass(8, 8, 0)).work_ns == Approx(one));
  CHECK(cost_of(product(4, 1'000'000), pass(64, 64, 0)).work_ns == Approx(8 * one));
  CHECK(cost_of(product(4, 1'000'000), pass(8, 8, 0)).binds == bound_by::matrix);
}

TEST_CASE("narrow weights run at their own rate") {
  descriptor d = product(4, 1'000'000);
  const auto eight_tokens = pass(8, 8, 0);
  for (const auto& [bits, ns] : {std::pair{32, 8000.0}, {16, 8000.0}, {8, 4000.0}, {6, 4000.0}, {4, 2000.0}}) {
    d.weight_bits = static_cast<std::uint8_t>(bits);
    CHECK(cost_of(d, eight_tokens).work_ns == Approx(ns));
  }
}

TEST_CASE("attention reads every sequence's entries once and multiplies for every token") {
  descriptor d;
  d.op = opcode::attention;
  d.entry_bytes = 40;
  d.macs_per_entry = 100;
  // Decode: token at position 99 sees 100 entries, in each of 2 sequences.
  operation_cost cost = cost_of(d, pass(2, 2, 99));
  CHECK(cost.hbm_bytes == 2 * 100 * 40);
  CHECK(cost.macs == 2 * 100 * 100);
  // A chunk of 9 tokens after 100: 109 entries read, each token sees 105 on average.
  cost = cost_of(d, pass(9, 1, 100));
  CHECK(cost.hbm_bytes == 109 * 40);
  CHECK(cost.macs == 9 * 105 * 100);
}

TEST_CASE("windows and compressed entries limit what attention reads") {
  descriptor d;
  d.op = opcode::attention;
  d.entry_bytes = 1;
  d.entry_limit = 16;
  CHECK(cost_of(d, pass(1, 1, 7)).hbm_bytes == 8);
  CHECK(cost_of(d, pass(1, 1, 1000)).hbm_bytes == 16);
  CHECK(cost_of(d, pass(4, 1, 1000)).hbm_bytes == 16 + 3);  // the window moves with the tokens
  d.entry_limit = 0;
  d.positions_per_entry = 4;
  CHECK(cost_of(d, pass(1, 1, 1000)).hbm_bytes == 250);
}

TEST_CASE("state is read and written once per sequence") {
  descriptor d;
  d.op = opcode::attention;
  d.state_bytes = 600;
  CHECK(cost_of(d, pass(12, 3, 0)).hbm_bytes == 3 * 2 * 600);
}

TEST_CASE("a chip that runs ahead hides weights behind an exchange, up to half its L1") {
  accelerator_config c = small_accelerator();
  c.runs_ahead = true;
  fixed_network network(20);
  operation_timing timing(c, network);
  descriptor d = product(12'000, 0);
  d.flags = flag::known_ahead;
  timing.begin();
  timing.next(exchange_of(opcode::all_reduce, 64, 8), {});
  const operation_cost cost = timing.next(d, {});
  CHECK(cost.start_ns == Approx(5));  // no latency either
  CHECK(cost.work_ns == Approx(12'000 / 400.0 - 20));

  fixed_network slow(1e6);
  operation_timing capped(c, slow);
  capped.begin();
  capped.next(exchange_of(opcode::all_reduce, 64, 8), {});
  CHECK(capped.next(product(40'000, 0), {}).work_ns == Approx(100));  // unknown until its turn
  CHECK(capped.next(descriptor(d), {}).work_ns == Approx(0));
  capped.begin();
  capped.next(exchange_of(opcode::all_reduce, 64, 8), {});
  d.weight_bytes = 40'000;
  CHECK(capped.next(d, {}).work_ns == Approx((40'000 - 20'000) / 400.0));
}

TEST_CASE("a chip that does not run ahead reads everything in its turn") {
  fixed_network network(1e6);
  operation_timing timing(small_accelerator(), network);
  descriptor d = product(8000, 0);
  d.flags = flag::known_ahead;
  timing.begin();
  timing.next(exchange_of(opcode::all_reduce, 64, 8), {});
  CHECK(timing.next(d, {}).work_ns == Approx(20));
}

TEST_CASE("expert work takes as long as the busiest rank's, and the excess over the mean is waiting") {
  descriptor d = product(4000, 1000);
  d.scaled_by = scale::experts;
  launch_arguments a;
  a.milli_experts = 5000;
  a.milli_pairs = 5000;
  a.mean_milli_experts = 2000;
  a.mean_milli_pairs = 2000;
  const operation_cost cost = cost_of(d, a);
  CHECK(cost.work_ns == Approx(2 * 10));
  CHECK(cost.wait_ns == Approx(3 * 10));
  CHECK(cost.hbm_bytes == 2 * 4000);
}

TEST_CASE("exchanges ask the network for what the whole group moves") {
  fixed_network network(100);
  operation_timing timing(small_accelerator(), network);
  launch_arguments a = pass(6, 2, 0);
  a.milli_copies = 2500;
  descriptor gather = exchange_of(opcode::all_gather, 10, 8);
  gather.scaled_by = scale::sequences;
  timing.begin();
  CHECK(timing.next(exchange_of(opcode::all_reduce, 10, 4), a).network_ns == 100);
  timing.next(gather, a);
  timing.next(exchange_of(opcode::dispatch, 10, 8), a);
  REQUIRE(network.asked.size() == 3);
  CHECK(network.asked[0].bytes == 60);
  CHECK(network.asked[0].ranks == 4);
  CHECK(network.asked[1].bytes == 20);
  CHECK(network.asked[2].bytes == 25);
  CHECK(network.asked[2].tokens == 6);
}

TEST_CASE("a product of many tokens is cut into a grid so that least goes through a slice's port") {
  accelerator_config c = small_accelerator();
  c.on_chip_gbytes_per_s = 1;
  c.tflops_16bit = 1e9;
  descriptor d = product(4000, 1);
  d.input_bytes = 1000;
  // One token: every slice gets the whole operand. 16 tokens: 4 x 1 blocks, 4000 B of operand and three quarters of the
  // weights through each port.
  CHECK(cost_of(d, pass(1, 1, 0), c).work_ns == Approx(1000));
  CHECK(cost_of(d, pass(16, 16, 0), c).work_ns == Approx(16000.0 / 4 + 3000));
  CHECK(cost_of(d, pass(16, 16, 0), c).binds == bound_by::on_chip);
}

TEST_CASE("descriptors that cannot be are refused, and larger groups than the domain") {
  const accelerator_config c = small_accelerator();
  CHECK(can_run(product(1, 1), c));
  descriptor d = product(1, 1);
  d.op = static_cast<opcode>(0);
  CHECK_FALSE(can_run(d, c));
  d.op = static_cast<opcode>(9);
  CHECK_FALSE(can_run(d, c));
  d = product(1, 1);
  d.scaled_by = static_cast<scale>(4);
  CHECK_FALSE(can_run(d, c));
  d = product(1, 1);
  d.positions_per_entry = 0;
  CHECK_FALSE(can_run(d, c));
  CHECK(can_run(exchange_of(opcode::all_reduce, 1, 8), c));
  CHECK_FALSE(can_run(exchange_of(opcode::all_reduce, 1, 9), c));
}

TEST_CASE("no operation beats the roofline, whatever its sizes") {
  constexpr std::uint64_t seed = 20261201;
  INFO("seed " << seed);
  base::random_stream random(seed);
  const accelerator_config c = small_accelerator();
  for (int i = 0; i < 500; ++i) {
    descriptor d = product(random.below(1'000'000), random.below(1'000'000));
    d.weight_bits = static_cast<std::uint8_t>(4 << random.below(3));
    d.input_bytes = static_cast<std::uint32_t>(random.below(10'000));
    const operation_cost cost = cost_of(d, pass(1 + random.below(100), 1, random.below(1000)));
    CAPTURE(i, d.weight_bytes, d.macs_per_token);
    CHECK(cost.work_ns >= cost.hbm_bytes / c.hbm_gbytes_per_s * (1 - 1e-9));
    CHECK(cost.work_ns >= cost.macs / (c.tera_macs(d.weight_bits) * 1000) * (1 - 1e-9));
    CHECK(cost.wait_ns == 0);
  }
}
