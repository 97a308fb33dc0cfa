#include <catch2/catch.hpp>
#include <cmath>

#include "firmware_stubs/network_collectives/closed_form_network.h"
#include "firmware_stubs/network_collectives/expert_routing.h"
#include "rtl_tlm/accelerator/accelerator_config.h"

using namespace scribeline;
using namespace scribeline::network_collectives;

namespace {

accelerator::scale_up_config small_network() {
  accelerator::scale_up_config n{};
  n.gbytes_per_s = 20;
  n.payload_share = 1;
  n.one_way_ns = 100;
  n.two_sided = {1000, 2000, 10, 0.5, 0.25, 300, 2, 7};
  return n;
}

// Chance that none of `top_k` different experts lies on a rank with `experts / ranks` of them.
double missed(int experts, int ranks, int top_k) {
  double p = 1;
  for (int i = 0; i < top_k; ++i)
    p *= (experts - experts / ranks - i) / static_cast<double>(experts - i);
  return p;
}

}  // namespace

TEST_CASE("dispatch, combine and what comes before, by hand") {
  const auto n = small_network();
  token_load load;
  load.ranks = 8;
  load.tokens = 10;
  load.bytes = 4000;
  CHECK(prepare_ns(n.two_sided, load) == Approx(300 + 2 * 10));
  CHECK(dispatch_ns(n, n.two_sided, load) == Approx(1000 + 3 * 10 + 100 + 4000 / 10.0));
  CHECK(combine_ns(n, n.two_sided, load) == Approx(2000 + 3 * 10 + 100 + 4000 / 5.0));
  load.low_precision = true;
  CHECK(combine_ns(n, n.two_sided, load) == Approx(2000 + 3 * 10 + 100 + 7 * 10 + 4000 / 5.0));
  load.ranks = 1;
  CHECK(prepare_ns(n.two_sided, load) + dispatch_ns(n, n.two_sided, load) + combine_ns(n, n.two_sided, load) == 0);
}

TEST_CASE("the faster library is taken, and dispatch and combine agree on it") {
  auto n = small_network();
  CHECK(&fastest_library(n, {}) == &n.two_sided);
  n.one_sided = {2500, 2500, 0, 0.9, 0.9, 0, 0, 0};
  token_load load;
  load.ranks = 8;
  load.bytes = 1e9;  // must not matter: dispatch and combine differ in it
  load.round_trip_bytes = 2000;
  CHECK(&fastest_library(n, load) == &n.two_sided);
  load.round_trip_bytes = 40'000;
  CHECK(&fastest_library(n, load) == &n.one_sided);
  n.one_sided = {};
  n.two_sided = {};
  CHECK_THROWS_AS(fastest_library(n, load), std::logic_error);
}

TEST_CASE("balanced routing reaches as many ranks as there are experts to a token, the own one for free") {
  CHECK(balanced_copies(2, 8) == Approx(1));
  CHECK(balanced_copies(8, 8) == Approx(7));
  CHECK(balanced_copies(16, 8) == Approx(7.5));
}

TEST_CASE("copies of a token are counted once per rank, and not for its own") {
  expert_routing routing(256, 8, 16, 0, 1);
  const auto& load = routing.load(16 * 1024);
  const double expected = 1024 * 15 * (1 - missed(256, 16, 8));
  CHECK(load.mean_copies == Approx(expected).epsilon(0.01));
  CHECK(load.busiest_copies >= load.mean_copies);
  CHECK(load.mean_pairs == Approx(1024 * 8));
}

TEST_CASE("one rank has every pair and the experts that at least one token picked") {
  expert_routing routing(64, 6, 1, 0, 1);
  const auto& one = routing.load(1);
  CHECK(one.busiest_pairs == 6);
  CHECK(one.busiest_experts == 6);
  CHECK(one.busiest_copies == 0);
  const auto& many = routing.load(32);
  CHECK(many.mean_pairs == 6 * 32);
  CHECK(many.mean_experts == Approx(64 * (1 - std::pow(1 - 6.0 / 64, 32))).epsilon(0.02));
}

TEST_CASE("a token more or a rank less never leaves the busiest rank with fewer pairs than the mean") {
  for (const std::uint32_t ranks : {2u, 7u, 64u, 128u})
    for (const std::uint64_t tokens : {1ull, 3ull, 100ull, 5000ull}) {
      expert_routing routing(128, 4, ranks, 0, 3);
      const auto& load = routing.load(tokens);
      CAPTURE(ranks, tokens);
      CHECK(load.mean_pairs == Approx(4.0 * static_cast<double>(tokens) / ranks));
      CHECK(load.busiest_pairs >= load.mean_pairs);
      CHECK(load.busiest_experts >= load.mean_experts);
      CHECK(load.mean_copies <= load.busiest_copies);
    }
}

TEST_CASE("skew loads the busiest rank more, and equal seeds give equal loads") {
  expert_routing even(256, 8, 32, 0, 5), skewed(256, 8, 32, 1, 5), again(256, 8, 32, 1, 5), other(256, 8, 32, 1, 6);
  CHECK(skewed.load(2048).busiest_pairs > 1.5 * even.load(2048).busiest_pairs);
  CHECK(skewed.load(2048).busiest_pairs == again.load(2048).busiest_pairs);
  CHECK(skewed.load(2048).busiest_pairs != other.load(2048).busiest_pairs);
}

TEST_CASE("routings that cannot be are refused") {
  CHECK_THROWS_AS(expert_routing(8, 9, 1, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(expert_routing(8, 2, 0, 0, 1), std::invalid_argument);
}

TEST_CASE("the network answers an exchange of tokens with prepare and dispatch, then combine") {
  const auto n = small_network();
  closed_form_network network(n);
  accelerator::exchange e;
  e.op = accelerator::opcode::dispatch;
  e.ranks = 8;
  e.bytes = 4000;
  e.tokens = 10;
  CHECK(network.nanoseconds(e) == Approx(320 + 1530));
  e.op = accelerator::opcode::combine;
  CHECK(network.nanoseconds(e) == Approx(2930));
  CHECK(network.bytes_sent(e) == 4000);
}
