#include <catch2/catch.hpp>

#include "rtl_tlm/wafer/launch_timing.h"
#include "tests/unit/wafer/counting_kernels.h"
#include "tests/unit/wafer/small_wafer.h"

using namespace scribeline::wafer;
namespace fabric = scribeline::fabric;

namespace {

double cycles(const descriptor& d, const launch_arguments& arguments = {}) {
  launch_timing timing(small_wafer());
  return timing.cost_of(d, arguments).cycles;
}

double count(scribeline::base::cycles c) {
  return static_cast<double>(c.value());
}

}  // namespace

TEST_CASE("a product is as many vector operations as its shorter extent, each of the longer one's length") {
  // 3 operations of 10 + 100 / 2 cycles, whichever extent comes first.
  CHECK(cycles(product(100, 3)) == 180);
  CHECK(cycles(product(3, 100)) == 180);
  // 300 multiply-accumulates on each of 10 cores, 4 B each.
  launch_timing timing(small_wafer());
  const auto cost = timing.cost_of(product(100, 3), {});
  CHECK(cost.binds == bound_by::compute);
  CHECK(cost.macs == 3000);
  CHECK(cost.sram_bytes == 12000);
  CHECK(cost.word_hops == 0);
}

TEST_CASE("each kind of arithmetic has its own rate") {
  descriptor d = product(100, 3);
  d.work = arithmetic::fma_fp32;
  CHECK(cycles(d) == 3 * (10 + 200));
  d.work = arithmetic::copy_fp16;
  CHECK(cycles(d) == 3 * (10 + 25));
  launch_timing timing(small_wafer());
  CHECK(timing.cost_of(d, {}).macs == 0);  // moves are no multiply-accumulates
}

TEST_CASE("tokens multiply the work, and become the inner loop when they are the longest extent") {
  CHECK(cycles(product(100, 3, scale::tokens), {2, 0, 1}) == 360);
  CHECK(cycles(product(2, 3, scale::tokens), {40, 0, 1}) == 6 * (10 + 20));
  CHECK(cycles(product(100, 3), {40, 0, 1}) == 180);  // not scaled
  CHECK(cycles(product(100, 3, scale::tokens), {0, 0, 1}) == 0);
}

TEST_CASE("packed weights are expanded once a launch and multiplied once a token") {
  descriptor d = product(100, 3, scale::tokens);
  d.work = arithmetic::dequant_fma_fp16;
  // Expanding: 3 operations of 10 + 100 / 4 cycles. Multiplying: 3 operations of 60 cycles a token.
  CHECK(cycles(d, {1, 0, 1}) == 105 + 180);
  CHECK(cycles(d, {2, 0, 1}) == 105 + 360);
}

TEST_CASE("a pass of more tokens than a core holds goes in rounds: shorter vectors, weights expanded again") {
  descriptor d = product(10, 3, scale::tokens);
  d.token_tile = 40;
  CHECK(cycles(d, {40, 0, 1}) == 30 * (10 + 20));
  CHECK(cycles(d, {80, 0, 1}) == 60 * (10 + 20));
  d.work = arithmetic::dequant_fma_fp16;
  // Expanding 3 operations of 10 + 10 / 4 cycles, in each of three rounds.
  CHECK(cycles(d, {100, 0, 1}) == 3 * 37.5 + 75 * (10 + 20));
  d.token_tile = 0;
  CHECK(cycles(d, {100, 0, 1}) == 37.5 + 30 * (10 + 50));
  // The rounds of a collective follow one another closely.
  wafer_config chip = small_wafer();
  chip.fabric.phase_gap_cycles = 15;
  launch_timing timing(chip);
  descriptor c = collective(opcode::broadcast, 16, 2, scale::tokens);
  c.token_tile = 40;
  CHECK(timing.cost_of(c, {100, 0, 1}).cycles == count(fabric::broadcast(chip.fabric, 100, 16)) + 2 * 15);
}

TEST_CASE("cores with the same data share the tokens, rounded up") {
  descriptor d = product(100, 3, scale::tokens);
  d.token_divisor = 4;
  CHECK(cycles(d, {1, 0, 1}) == 180);
  CHECK(cycles(d, {4, 0, 1}) == 180);
  CHECK(cycles(d, {5, 0, 1}) == 360);
  descriptor c = collective(opcode::reduce, 16, 2, scale::tokens);
  c.token_divisor = 4;
  CHECK(cycles(c, {9, 0, 1}) == count(fabric::best_pattern(small_wafer().fabric, 3, 16).cycles));
}

TEST_CASE("an operand that serves all queries of a round makes one long vector of them") {
  descriptor d = product(20, 3, scale::tokens);
  CHECK(cycles(d, {5, 0, 1}) == 15 * (10 + 10));
  d.tokens_join_a = 1;
  CHECK(cycles(d, {5, 0, 1}) == 3 * (10 + 50));
  d.token_tile = 2;  // rounds of 2, 2 and 1 tokens, counted as whole ones are
  CHECK(cycles(d, {5, 0, 1}) == 7.5 * (10 + 20));
}

TEST_CASE("expert work grows with the pairs of the busiest group, expanding included") {
  descriptor d = product(100, 3, scale::expert_load);
  d.work = arithmetic::dequant_fma_fp16;
  CHECK(cycles(d, {1, 0, 4}) == 4 * (105 + 180));
  // Four pairs of two experts: two matrices are expanded.
  CHECK(cycles(d, {1, 0, 4, 2}) == 2 * 105 + 4 * 180);
}

TEST_CASE("expert work counts the events of all its token-expert pairs, not those of the busiest group") {
  descriptor d = product(100, 3, scale::expert_load);
  d.pairs_per_token = 13;
  launch_timing timing(small_wafer());
  const auto cost = timing.cost_of(d, {2, 0, 4});
  CHECK(cost.cycles == 4 * 180);      // the busiest group multiplies for 4 pairs
  CHECK(cost.macs == 2 * 13 * 3000);  // 10 cores of a group for each of 26 pairs
  CHECK(cost.sram_bytes == 2 * 13 * 12000);

  descriptor c = collective(opcode::reduce, 16, 7, scale::expert_load);
  c.pairs_per_token = 13;
  // 26 pairs of 7 elements are 91 words, over 15 hops on each of 3 lines.
  CHECK(timing.cost_of(c, {2, 0, 4}).word_hops == 3 * 15 * 26 * 3.5);
}

TEST_CASE("attention work grows with the positions a core holds, rounded up, and its own chunk counts half") {
  descriptor d = product(4, 2, scale::tokens | scale::positions);
  d.positions_divisor = 8;
  // 99 cached and the token itself: 100 over 8 cores = 13, the longest extent.
  CHECK(cycles(d, {1, 99, 1}) == 8 * (10 + 6.5));
  // 96 cached, 7 tokens: 100 on average.
  CHECK(cycles(d, {7, 96, 1}) == 8 * 7 * (10 + 6.5));
  CHECK(cycles(d, {1, 0, 1}) == 2 * (10 + 2));  // one position, longest extent 4

  d.positions_limit = 50;  // a window: 50 over 8 cores = 7
  CHECK(cycles(d, {1, 99, 1}) == 8 * (10 + 3.5));
  CHECK(cycles(d, {1, 1000000, 1}) == 8 * (10 + 3.5));
  CHECK(cycles(d, {1, 15, 1}) == 4 * (10 + 2));  // shorter than the window: 16 over 8 cores = 2
}

TEST_CASE("work that needs more bytes than the ports give is bound by SRAM") {
  wafer_config slow = small_wafer();
  slow.vector.sram_bytes_per_cycle = 2;
  launch_timing timing(slow);
  const auto cost = timing.cost_of(product(100, 3), {});
  CHECK(cost.cycles == 300 * 4 / 2);
  CHECK(cost.binds == bound_by::sram);
}

TEST_CASE("communication takes what the closed forms say, for 32-bit words rounded up") {
  const auto t = small_wafer().fabric;
  // 7 elements of 2 B are 4 words. A message: 5 cycles of ramps and datapath, 10 hops, 4 words.
  CHECK(cycles(collective(opcode::transfer, 10, 7)) == 19);
  CHECK(cycles(collective(opcode::reduce, 16, 7)) == count(fabric::best_pattern(t, 4, 16).cycles));
  CHECK(cycles(collective(opcode::broadcast, 16, 7)) == count(fabric::broadcast(t, 4, 16)));
  CHECK(cycles(collective(opcode::all_reduce, 16, 7)) == count(fabric::all_reduce(t, 4, 16)));
  descriptor wide = collective(opcode::reduce, 16, 7);
  wide.element_bytes = 4;
  CHECK(cycles(wide) == count(fabric::best_pattern(t, 7, 16).cycles));
  CHECK(cycles(collective(opcode::reduce, 16, 7, scale::tokens), {3, 0, 1}) ==
        count(fabric::best_pattern(t, 11, 16).cycles));
  descriptor scores = collective(opcode::reduce, 16, 7, scale::tokens | scale::positions);
  scores.positions_divisor = 8;
  CHECK(cycles(scores, {3, 98, 1}) == count(fabric::best_pattern(t, 137, 16).cycles));  // 7 x 3 x 13 elements
}

TEST_CASE("chains of distant cores meet in the middle of their line") {
  const auto t = small_wafer().fabric;
  auto far = t;
  far.hop_cycles = 6 * t.hop_cycles;
  descriptor d = collective(opcode::reduce, 2, 7);
  d.extent_a = 6;
  CHECK(cycles(d) == count(fabric::chain(far, 4, 2)));
  d.line = 3;  // the middle adds 4 words of either side
  CHECK(cycles(d) == count(fabric::chain(far, 4, 2)) + 4);
  d.line = 4;  // those of the shorter side are there 6 cycles before
  CHECK(cycles(d) == count(fabric::chain(far, 4, 3)));
  d.elements = 20;
  CHECK(cycles(d) == count(fabric::chain(far, 10, 3)) + 4);
  d.elements = 7;
  launch_timing timing(small_wafer());
  CHECK(timing.cost_of(d, {}).word_hops == 3 * 18 * 4);
  CHECK(can_run(d, small_wafer()));
  d.line = 5;  // longer than the wafer
  CHECK_FALSE(can_run(d, small_wafer()));
  d.line = 3;
  d.op = opcode::broadcast;
  CHECK_FALSE(can_run(d, small_wafer()));
}

TEST_CASE("the same collective costs the same whenever it is asked for, and different ones do not mix") {
  launch_timing timing(small_wafer());
  const auto t = small_wafer().fabric;
  for (int round = 0; round < 2; ++round) {
    for (const std::uint32_t line : {1u, 2u, 7u, 16u, 24u}) {
      for (const std::uint32_t elements : {1u, 2u, 30u, 4000u}) {
        INFO("line " << line << ", elements " << elements);
        const std::int64_t words = (elements + 1) / 2;
        CHECK(timing.cost_of(collective(opcode::reduce, line, elements), {}).cycles ==
              (line == 1 ? 0 : count(fabric::best_pattern(t, words, line).cycles)));
        CHECK(timing.cost_of(collective(opcode::transfer, line, elements), {}).cycles ==
              count(fabric::message(t, words, line)));
      }
    }
  }
}

TEST_CASE("word hops count what travels: nothing on a line of one core, both ways of an all-reduce") {
  launch_timing timing(small_wafer());
  const auto hops = [&](opcode op, std::uint32_t line) {
    return timing.cost_of(collective(op, line, 7), {}).word_hops;
  };
  CHECK(hops(opcode::transfer, 10) == 3 * 10 * 4);
  CHECK(hops(opcode::reduce, 16) == 3 * 15 * 4);
  CHECK(hops(opcode::all_reduce, 16) == 2 * 3 * 15 * 4);
  CHECK(hops(opcode::reduce, 1) == 0);
  CHECK(hops(opcode::all_reduce, 1) == 0);
}

TEST_CASE("a descriptor that no wafer of this size can run is told apart") {
  const wafer_config chip = small_wafer();
  CHECK(can_run(product(100, 3), chip));
  CHECK(can_run(collective(opcode::transfer, 24, 7), chip));
  const auto changed = [](descriptor d, auto change) {
    change(d);
    return d;
  };
  const descriptor p = product(100, 3);
  const descriptor c = collective(opcode::reduce, 16, 7);
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.op = static_cast<opcode>(0); }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.op = static_cast<opcode>(6); }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.work = static_cast<arithmetic>(0); }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.work = static_cast<arithmetic>(5); }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.scaled_by = 8; }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.extent_a = 0; }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.extent_b = 0; }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.positions_divisor = 0; }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.token_divisor = 0; }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.cores = 0; }), chip));
  CHECK_FALSE(can_run(changed(p, [](descriptor& d) { d.cores = 16 * 8 + 1; }), chip));
  CHECK_FALSE(can_run(changed(c, [](descriptor& d) { d.line = 0; }), chip));
  CHECK_FALSE(can_run(changed(c, [](descriptor& d) { d.line = 16 + 8 + 1; }), chip));
  CHECK_FALSE(can_run(changed(c, [](descriptor& d) { d.element_bytes = 0; }), chip));
  CHECK_FALSE(can_run(changed(c, [](descriptor& d) { d.extent_a = 0; }), chip));
}

TEST_CASE("a kernel is a run of vector work and the communication behind it") {
  const descriptor v = product(100, 3);
  const descriptor c = collective(opcode::reduce, 16, 7);
  const auto lengths = [](const std::vector<descriptor>& all) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < all.size(); i += found.back())
      found.push_back(kernel_length(&all[i], all.size() - i));
    return found;
  };
  using list = std::vector<std::size_t>;
  CHECK(lengths({v}) == list{1});
  CHECK(lengths({c, c}) == list{1, 1});
  CHECK(lengths({v, v, c, v}) == list{3, 1});
  CHECK(lengths({v, c, v, v}) == list{2, 2});
}

TEST_CASE("a wafer that simulates kernels takes their time from there and events from the closed form") {
  wafer_config chip = small_wafer();
  counting_kernels kernels;
  chip.kernels = &kernels;
  launch_timing timing(chip);
  const std::vector<descriptor> kernel = {product(100, 3), product(3, 100), collective(opcode::reduce, 16, 7)};
  std::vector<descriptor_cost> costs(kernel.size());
  timing.costs_of_kernel(kernel.data(), kernel.size(), {}, costs.data());
  double closed_form = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const descriptor_cost alone = timing.cost_of(kernel[i], {});
    CHECK(costs[i].cycles == 3);
    CHECK(costs[i].binds == bound_by::fabric);
    CHECK(costs[i].macs == alone.macs);
    CHECK(costs[i].sram_bytes == alone.sram_bytes);
    CHECK(costs[i].word_hops == alone.word_hops);
    closed_form += alone.cycles;
  }
  CHECK(kernels.closed_form == closed_form);
}
