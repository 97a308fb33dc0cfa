#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "firmware_stubs/kernels/expert_load.h"
#include "rtl_tlm/base/random.h"

using scribeline::base::random_stream;
using scribeline::kernels::expert_load;

TEST_CASE("one group gets every token-expert pair, shared experts included") {
  expert_load load(64, 2, 6, 1, 7);
  CHECK(load.busiest_group(1, 0, 1) == 8);
  CHECK(load.busiest_group(1, 0, 5) == 40);
}

TEST_CASE("with a group for every expert one token loads each of its groups once") {
  expert_load load(64, 0, 6, 64, 7);
  for (std::uint64_t position = 0; position < 1000; ++position)
    REQUIRE(load.busiest_group(3, position, 1) == 1);
}

TEST_CASE("a model that uses all its experts loads every group evenly") {
  expert_load load(12, 0, 12, 4, 7);
  CHECK(load.busiest_group(1, 0, 1) == 3);
  CHECK(load.busiest_group(1, 0, 10) == 30);
}

TEST_CASE("shared experts are dealt to groups behind the routed ones") {
  // 4 routed experts in 5 groups; the fifth group has only the shared one, which every token uses.
  expert_load load(4, 1, 1, 5, 7);
  CHECK(load.busiest_group(1, 0, 9) == 9);
}

TEST_CASE("the busiest group has at least its share and at most every pair") {
  const std::uint64_t seed = 20260801;
  INFO("seed " << seed);
  auto random = random_stream(seed);
  for (int i = 0; i < 300; ++i) {
    const auto routed = static_cast<std::uint32_t>(1 + random.below(300));
    const auto top_k = static_cast<std::uint32_t>(1 + random.below(routed));
    const auto shared = static_cast<std::uint32_t>(random.below(3));
    const auto groups = static_cast<std::uint32_t>(1 + random.below(routed + shared));
    const auto tokens = 1 + random.below(20);
    INFO(routed << " routed, " << shared << " shared, top " << top_k << ", " << groups << " groups, " << tokens
                << " tokens");
    expert_load load(routed, shared, top_k, groups, random.next());
    const auto busiest = load.busiest_group(random.next(), random.below(1000), tokens);
    const std::uint64_t pairs = tokens * (top_k + shared);
    CHECK(busiest >= (pairs + groups - 1) / groups);
    CHECK(busiest <= pairs);
    // A token picks an expert once: a group gets at most its experts from each token.
    CHECK(busiest <= tokens * ((routed + shared + groups - 1) / groups));
  }
}

TEST_CASE("different experts are picked uniformly: two of eight meet in one of two groups with chance 3/7") {
  expert_load load(8, 0, 2, 2, 11);
  CHECK(load.mean_busiest(20000) == Approx(1 + 3.0 / 7).margin(0.02));
  // Top 12 of 288 dealt to 288 groups never collide, to 1 group always.
  CHECK(expert_load(288, 0, 12, 288, 1).mean_busiest(100) == 1);
  CHECK(expert_load(288, 0, 12, 1, 1).mean_busiest(100) == 12);
}

TEST_CASE("the load of a pass depends on seed, request and position only, not on what was asked before") {
  expert_load forwards(288, 1, 12, 40, 5), backwards(288, 1, 12, 40, 5);
  std::vector<std::uint64_t> a(50), b(50);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = forwards.busiest_group(i % 3, i, 4);
  for (std::size_t i = a.size(); i-- > 0;)
    b[i] = backwards.busiest_group(i % 3, i, 4);
  CHECK(a == b);

  const auto draws = [](std::uint64_t seed, std::uint64_t request) {
    expert_load load(288, 1, 12, 40, seed);
    std::vector<std::uint64_t> all;
    for (std::uint64_t position = 0; position < 50; ++position)
      all.push_back(load.busiest_group(request, position, 1));
    return all;
  };
  CHECK(draws(5, 0) == draws(5, 0));
  CHECK(draws(5, 0) != draws(6, 0));
  CHECK(draws(5, 0) != draws(5, 1));
}

TEST_CASE("a pass of several tokens is the sum of its tokens: chunks draw what single tokens draw") {
  // One expert of two, in two groups: the busiest of n tokens is at least n / 2 and its parity tells the split.
  expert_load load(2, 0, 1, 2, 9);
  const auto together = load.busiest_group(4, 100, 64);
  CHECK(together >= 32);
  CHECK(together <= 64);
  CHECK(together < 50);  // 64 fair coins: 50 or more of one side has a chance below 1e-5
}

TEST_CASE("an impossible choice of experts is refused") {
  CHECK_THROWS_AS(expert_load(8, 0, 9, 2, 1), std::invalid_argument);
  CHECK_THROWS_AS(expert_load(8, 0, 2, 0, 1), std::invalid_argument);
}
