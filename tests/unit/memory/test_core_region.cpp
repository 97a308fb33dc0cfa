#include <catch2/catch.hpp>
#include <random>

#include "rtl_tlm/memory/core_region.h"

using namespace scribeline::memory;

TEST_CASE("a run of cores is the rest of a row, whole rows and the beginning of a row") {
  // On a wafer 6 columns wide: 2 cores of row 1, rows 2 and 3, 1 core of row 4.
  const core_set run{{1, 4}, 15, 6};
  CHECK(run.cores() == 15);
  CHECK(run.first() == core_coordinates{1, 4});
  CHECK_FALSE(run.contains({1, 3}));
  CHECK(run.contains({1, 5}));
  CHECK(run.contains({2, 0}));
  CHECK(run.contains({3, 5}));
  CHECK(run.contains({4, 0}));
  CHECK_FALSE(run.contains({4, 1}));

  CHECK(core_set{{2, 0}, 12, 6}.rectangles().size() == 1);
  CHECK(core_set{{2, 3}, 2, 6}.rectangles().size() == 1);
}

TEST_CASE("intersection and difference hold exactly the cores they should") {
  const std::uint32_t seed = 20240607;
  INFO("seed " << seed);
  std::mt19937 random{seed};
  const std::uint32_t side = 9;
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto random_set = [&]() {
    core_set set;
    if (below(2) == 0) {
      const core_coordinates first{below(side), below(side)};
      set = core_set{first, 1 + below(side * side - (first.row * side + first.column)), side};
    } else {
      const std::uint32_t row = below(side), column = below(side);
      set = core_set{core_rectangle{row, column, 1 + below(side - row), 1 + below(side - column)}};
    }
    return set;
  };
  for (int round = 0; round < 300; ++round) {
    const core_set a = random_set();
    const core_set b = random_set().difference(random_set());
    const core_set both = a.intersection(b);
    const core_set rest = a.difference(b);
    std::int64_t in_both = 0, in_rest = 0;
    for (std::uint32_t row = 0; row < side; ++row)
      for (std::uint32_t column = 0; column < side; ++column) {
        const core_coordinates c{row, column};
        REQUIRE(both.contains(c) == (a.contains(c) && b.contains(c)));
        REQUIRE(rest.contains(c) == (a.contains(c) && !b.contains(c)));
        in_both += both.contains(c) ? 1 : 0;
        in_rest += rest.contains(c) ? 1 : 0;
      }
    // Equal to the sum over rectangles only if these are disjoint.
    REQUIRE(both.cores() == in_both);
    REQUIRE(rest.cores() == in_rest);
  }
}
