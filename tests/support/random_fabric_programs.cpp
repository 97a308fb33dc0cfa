#include "tests/support/random_fabric_programs.h"

#include <array>

#include "tests/support/random_patterns.h"

namespace scribeline::tests {

random_case make_random_case(std::uint64_t seed, std::int64_t word_hops) {
  random_numbers random(seed);
  random_case result;
  result.chip = random.chance(50) ? wse2_chip() : wse3_chip();
  const recipe r{random, result, {random.log_between(4, 32), random.log_between(4, 32)}, word_hops};
  using maker = void (*)(const recipe&);
  constexpr std::array<maker, 16> makers{
      row_chains,         messages,     broadcasts, stars,          trees,        neighbour_exchanges,
      random_permutation, shared_rows,  all_to_all, all_reduce,     late_readers, short_messages,
      blocking_exchanges, wrong_counts, merges,     copied_messages};
  makers[seed % makers.size()](r);
  result.pattern = result.code.name;
  return result;
}

}  // namespace scribeline::tests
