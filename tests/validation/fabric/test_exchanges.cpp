// Exchanges between all cores of 64 x 64 finish, and none beats the words over the middle of the square.
#include <catch2/catch.hpp>

#include "tests/validation/fabric/exchanges.h"

using namespace scribeline;
using namespace scribeline::validation;

TEST_CASE("all-to-alls over 64 rows, then 64 columns respect the bisection bound") {
  const exchange_result e = exchange_rows_then_columns(fabric::wse3_chip(), 64, 1);
  INFO(e.cycles << " cycles, bound " << e.bound);
  CHECK(e.bound == 2 * 32 * 32);
  CHECK(e.cycles >= e.bound);
  // Step d of the ring passes 64 - d chunks on by one core: each chunk moves d times, over one link of its direction
  // of the folded line (all but the two at its ends skip a core).
  CHECK(e.word_hops == std::int64_t{2} * 64 * (63 * 64 / 2) * (2 * 63));
}

TEST_CASE("random permutations of 64 x 64 cores respect the bisection bound") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const exchange_result e = permute(fabric::wse3_chip(), 64, 32, seed);
    INFO("seed " << seed << ": " << e.cycles << " cycles in " << e.programs << " programs, bound " << e.bound);
    CHECK(e.cycles >= e.bound);
    std::int64_t distance = 0;
    for (const collectives::point_to_point& m : random_permutation(64, seed))
      distance += std::abs(m.to.column - m.from.column) + std::abs(m.to.row - m.from.row);
    CHECK(e.word_hops == 32 * distance);  // every message takes a shortest path, once
  }
}
