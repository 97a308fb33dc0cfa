#include <catch2/catch.hpp>

#include <limits>
#include <map>

#include "rtl_tlm/fabric/formula/formula.h"

using namespace scribeline::fabric;
using scribeline::base::cycles;

TEST_CASE("the WSE-2 timing gives the published closed forms") {
  const fabric_timing t = wse2_timing();
  // T_R = 2: (2 T_R + 1) = 5, (2 T_R + 2) = 6.
  CHECK(chain(t, 1024, 512) == cycles{1024 + 6 * 511});
  CHECK(star(t, 16, 512) == cycles{16 * 511 + 5});
  // 256 words, 512 cores: B log2 P = 2304 beats 256 * 512 / 1022 * 9 + 511 = 1665.25.
  CHECK(tree(t, 256, 512) == cycles{2304 + 45});
  // One word: 512 / 1022 * 9 + 511 = 515.51 beats 9.
  CHECK(tree(t, 1, 512) == cycles{516 + 45});
  CHECK(two_phase(t, 8192, 512, 32) == cycles{2 * 8192 + 5 * (31 + 15)});
  // 976 word-hops a word: 976 / 511 + 511 = 512.91.
  CHECK(two_phase(t, 1, 512, 32) == cycles{513 + 230});
  CHECK(broadcast(t, 256, 512) == cycles{256 + 512 + 4});
  CHECK(broadcast_2d(t, 256, 512, 128) == cycles{256 + 512 + 128 - 2 + 5});
  CHECK(reduce_xy(t, 100, 64, 32, reduce_pattern::chain) == cycles{100 + 6 * 63 + 100 + 6 * 31});
  CHECK(reduce_snake(t, 100, 8, 4) == chain(t, 100, 32));
  CHECK(all_reduce(t, 100, 64, reduce_pattern::chain) == cycles{100 + 6 * 63 + 100 + 64 + 4});
}

TEST_CASE("the measured WSE-2 overheads give the measured rows they come from") {
  const fabric_timing t = wse2_measured_timing();
  CHECK(chain(t, 1, 512) == cycles{3128});
  CHECK(chain(t, 8192, 512) == cycles{11319});
  CHECK(two_phase(t, 8192, 512, 32) == cycles{17201 - 511});  // the form lacks the distance here
}

TEST_CASE("the WSE-3 timing gives the measured message and relay fits") {
  const fabric_timing t = wse3_timing();
  CHECK(message(t, 6, 1) == cycles{42});  // 33 + 2 + 6.75
  CHECK(message(t, 6, 32) == cycles{104});
  CHECK(message(t, 8, 4, 1) == cycles{33 + 8 + 9 + 20});
  CHECK(relay(t, 100, 10) == cycles{1179});  // 1001 + 161 + 16.5
}

TEST_CASE("one core reduces for free and nonsense is refused") {
  const fabric_timing t = wse2_timing();
  CHECK(chain(t, 5, 1) == cycles{0});
  CHECK(all_reduce_2d(t, 5, 1, 1) == cycles{0});
  CHECK(reduce_lower_bound(t, 5, 1) == cycles{0});
  CHECK_THROWS_AS(chain(t, -1, 4), std::invalid_argument);
  CHECK_THROWS_AS(star(t, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(two_phase(t, 1, 8, 9), std::invalid_argument);
}

TEST_CASE("the chosen pattern is the fastest and changes with the vector length") {
  const fabric_timing t = wse2_timing();
  for (const std::int64_t words : {1, 8, 64, 512, 4096, 65536}) {
    const reduce_choice best = best_pattern(t, words, 512);
    INFO("words " << words << ", chosen " << name(best.pattern) << ", group " << best.group);
    CHECK(best.cycles <= chain(t, words, 512));
    CHECK(best.cycles <= star(t, words, 512));
    CHECK(best.cycles <= tree(t, words, 512));
    for (std::int64_t group = 1; group <= 512; ++group)
      CHECK(best.cycles <= two_phase(t, words, 512, group));
    CHECK(best.cycles == reduce(t, words, 512, best.pattern, best.group));
  }
  CHECK(best_pattern(t, 1, 512).pattern == reduce_pattern::star);
  CHECK(best_pattern(t, 256, 512).pattern == reduce_pattern::two_phase);
  CHECK(best_pattern(t, 65536, 512).pattern == reduce_pattern::chain);
}

namespace {

// The definition, without the convexity that the library relies on.
std::int64_t exhaustive_energy(std::int64_t cores, std::int64_t depth,
                               std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>& known) {
  if (cores == 1) return 0;
  if (depth == 0) return std::numeric_limits<std::int64_t>::max() / 4;
  const auto found = known.find({cores, depth});
  if (found != known.end()) return found->second;
  std::int64_t best = std::numeric_limits<std::int64_t>::max() / 4;
  for (std::int64_t i = 1; i < cores; ++i)
    best = std::min(best, exhaustive_energy(i, depth, known) + exhaustive_energy(cores - i, depth - 1, known) + i);
  return known[{cores, depth}] = best;
}

}  // namespace

TEST_CASE("the least energy of a reduce tree agrees with an exhaustive search") {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> known;
  for (std::int64_t cores = 1; cores <= 96; ++cores)
    for (std::int64_t depth = 1; depth <= 96; depth += depth < 12 ? 1 : 7) {
      INFO("cores " << cores << ", depth " << depth);
      CHECK(least_reduce_energy(cores, depth) == exhaustive_energy(cores, depth, known));
    }
  CHECK(least_reduce_energy(512, 1) == 512 * 511 / 2);  // a star
  CHECK(least_reduce_energy(512, 511) == 511);          // a chain
}

TEST_CASE("no pattern beats the lower bound") {
  const fabric_timing t = wse2_timing();
  for (std::int64_t cores = 2; cores <= 1024; cores *= 2)
    for (std::int64_t words = 1; words <= 65536; words *= 8) {
      INFO("cores " << cores << ", words " << words);
      const cycles bound = reduce_lower_bound(t, words, cores);
      CHECK(chain(t, words, cores) >= bound);
      CHECK(tree(t, words, cores) >= bound);
      CHECK(best_group(t, words, cores).cycles >= bound);
    }
}
