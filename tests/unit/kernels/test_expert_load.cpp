#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "firmware_stubs/kernels/expert_load.h"
#include "rtl_tlm/base/random.h"

using scribeline::base::random_stream;
using scribeline::kernels::expert_load;
using scribeline::kernels::group_load;

TEST_CASE("one group gets every token-expert pair") {
  expert_load load(64, 6, 1, 16, 7);
  CHECK(load.busiest_group(1, 0, 1).pairs == 6);
  CHECK(load.busiest_group(1, 0, 5).pairs == 30);
}

TEST_CASE("with a group for every expert one token loads each of its groups once") {
  expert_load load(64, 6, 64, 16, 7);
  for (std::uint64_t position = 0; position < 1000; ++position)
    REQUIRE(load.busiest_group(3, position, 1).pairs == 1);
}

TEST_CASE("a model that uses all its experts loads every group evenly") {
  expert_load load(12, 12, 4, 16, 7);
  CHECK(load.busiest_group(1, 0, 1).pairs == 3);
  CHECK(load.busiest_group(1, 0, 10).pairs == 30);
}

TEST_CASE("an expert's matrix is expanded once for a tile of its tokens") {
  // Every token uses all 12 experts, 3 in each group: one matrix each for up to 16 tokens, two for up to 32.
  expert_load load(12, 12, 4, 16, 7);
  CHECK(load.busiest_group(1, 0, 1).matrices == 3);
  CHECK(load.busiest_group(1, 0, 16).matrices == 3);
  CHECK(load.busiest_group(1, 0, 17).matrices == 6);
  CHECK(load.busiest_group(1, 0, 40).matrices == 9);
  // In tiles of one token every pair expands.
  expert_load single(12, 12, 4, 1, 7);
  CHECK(single.busiest_group(1, 0, 40).matrices == single.busiest_group(1, 0, 40).pairs);
}

TEST_CASE("the busiest group has at least its share and at most every pair") {
  const std::uint64_t seed = 20260801;
  INFO("seed " << seed);
  auto random = random_stream(seed);
  for (int i = 0; i < 300; ++i) {
    const auto routed = static_cast<std::uint32_t>(1 + random.below(300));
    const auto top_k = static_cast<std::uint32_t>(1 + random.below(routed));
    const auto groups = static_cast<std::uint32_t>(1 + random.below(routed));
    const auto tile = static_cast<std::uint32_t>(1 + random.below(20));
    const auto tokens = 1 + random.below(20);
    INFO(routed << " routed, top " << top_k << ", " << groups << " groups, " << tokens << " tokens in tiles of "
                << tile);
    expert_load load(routed, top_k, groups, tile, random.next());
    const auto busiest = load.busiest_group(random.next(), random.below(1000), tokens);
    const std::uint64_t pairs = tokens * top_k;
    CHECK(busiest.pairs >= (pairs + groups - 1) / groups);
    CHECK(busiest.pairs <= pairs);
    // A token picks an expert once: a group gets at most its experts from each token.
    CHECK(busiest.pairs <= tokens * ((routed + groups - 1) / groups));
    CHECK(busiest.matrices <= busiest.pairs);
    CHECK(busiest.matrices >= (busiest.pairs + tile - 1) / tile);
  }
}

TEST_CASE("more tokens never load the busiest group less") {
  expert_load load(96, 5, 12, 8, 3);
  group_load before;
  for (std::uint64_t tokens = 1; tokens < 200; ++tokens) {
    const auto now = load.busiest_group(2, 50, tokens);
    REQUIRE(now.pairs >= before.pairs);
    before = now;
  }
}

TEST_CASE("different experts are picked uniformly: two of eight meet in one of two groups with chance 3/7") {
  expert_load load(8, 2, 2, 16, 11);
  double sum = 0;
  for (std::uint64_t i = 0; i < 20000; ++i)
    sum += static_cast<double>(load.busiest_group(i, 0, 1).pairs);
  CHECK(sum / 20000 == Approx(1 + 3.0 / 7).margin(0.02));
  // Top 12 of 288 dealt to 288 groups never collide, to 1 group always.
  CHECK(expert_load(288, 12, 288, 16, 1).mean_busiest(100, 1).pairs == 1);
  CHECK(expert_load(288, 12, 1, 16, 1).mean_busiest(100, 1).pairs == 12);
  CHECK(expert_load(288, 12, 1, 16, 1).mean_busiest(100, 3).pairs == 36);
}

TEST_CASE("the load of a pass depends on seed, request and position only, not on what was asked before") {
  expert_load forwards(288, 12, 40, 16, 5), backwards(288, 12, 40, 16, 5);
  std::vector<std::uint64_t> a(50), b(50);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = forwards.busiest_group(i % 3, i, 4).pairs;
  for (std::size_t i = a.size(); i-- > 0;)
    b[i] = backwards.busiest_group(i % 3, i, 4).pairs;
  CHECK(a == b);

  const auto draws = [](std::uint64_t seed, std::uint64_t request) {
    expert_load load(288, 12, 40, 16, seed);
    std::vector<std::uint64_t> all;
    for (std::uint64_t position = 0; position < 50; ++position)
      all.push_back(load.busiest_group(request, position, 1).pairs);
    return all;
  };
  CHECK(draws(5, 0) == draws(5, 0));
  CHECK(draws(5, 0) != draws(6, 0));
  CHECK(draws(5, 0) != draws(5, 1));
}

TEST_CASE("a pass of several tokens is the sum of its tokens: chunks draw what single tokens draw") {
  // One expert of two, in two groups: the busiest of n tokens is at least n / 2 and its parity tells the split.
  expert_load load(2, 1, 2, 16, 9);
  const auto together = load.busiest_group(4, 100, 64).pairs;
  CHECK(together >= 32);
  CHECK(together <= 64);
  CHECK(together < 50);  // 64 fair coins: 50 or more of one side has a chance below 1e-5
}

TEST_CASE("an impossible choice of experts is refused") {
  CHECK_THROWS_AS(expert_load(8, 9, 2, 16, 1), std::invalid_argument);
  CHECK_THROWS_AS(expert_load(8, 2, 0, 16, 1), std::invalid_argument);
  CHECK_THROWS_AS(expert_load(8, 2, 2, 0, 1), std::invalid_argument);
}
