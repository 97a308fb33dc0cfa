// Exchanges between all cores of a square beside the bound of its middle: FFT-like all-to-alls and random permutations.
//
// Colors and their routes are static and there are 24 of them, so a random permutation is not one program. Messages go
// along their row, then along their column, and those that meet at a router need different colors; what finds no free
// color waits for the next program. Within a program nothing is switched and nothing waits for a control word.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "firmware_stubs/collectives/collective.h"
#include "tests/validation/fabric/wse2_reduce.h"

namespace scribeline::validation {

struct exchange_result {
  int programs = 0;
  std::int64_t cycles = 0;  // of the programs one after the other
  std::int64_t bound = 0;   // words over the middle of the square, per link and direction
  std::int64_t word_hops = 0;
};

// Every core sends `words` to every core of its row, then to every core of its column, as a 2-D FFT does.
inline exchange_result exchange_rows_then_columns(const fabric::fabric_chip& chip, int side, int words) {
  collectives::all_to_all_spec spec;
  spec.chunk = {fabric::element_type::fp32, words, 0};
  spec.staging_address = side * spec.chunk.bytes();
  spec.result_address = 3 * side * spec.chunk.bytes();
  exchange_result all;
  for (const collectives::axis along : {collectives::axis::row, collectives::axis::column}) {
    const fabric::run_result result = run_to_the_end(collectives::all_to_all(chip, side, side, along, spec), chip);
    ++all.programs;
    all.cycles += result.cycles.value();
    all.word_hops += result.word_hops;
    // Of each line, half of the cores send to the other half over one link.
    all.bound += std::int64_t{side / 2} * (side - side / 2) * words;
  }
  return all;
}

// Seeded: every core sends `words` to one core and receives from one.
inline std::vector<collectives::point_to_point> random_permutation(int side, std::uint64_t seed) {
  std::vector<int> targets(static_cast<std::size_t>(side * side));
  std::iota(targets.begin(), targets.end(), 0);
  std::uint64_t state = 88172645463325252u + seed;  // xorshift
  for (std::size_t i = targets.size(); i-- > 1;) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::swap(targets[i], targets[state % (i + 1)]);
  }
  std::vector<collectives::point_to_point> messages;
  for (int i = 0; i < side * side; ++i) {
    const int to = targets[static_cast<std::size_t>(i)];
    messages.push_back({{i % side, i / side}, {to % side, to / side}});
  }
  return messages;
}

// The most words that must cross one of the two middles in one direction, over `side` links.
inline std::int64_t bisection_bound(const std::vector<collectives::point_to_point>& messages, int side, int words) {
  std::int64_t east = 0, west = 0, south = 0, north = 0;
  const int middle = side / 2;
  for (const collectives::point_to_point& m : messages) {
    east += m.from.column < middle && m.to.column >= middle ? 1 : 0;
    west += m.from.column >= middle && m.to.column < middle ? 1 : 0;
    south += m.from.row < middle && m.to.row >= middle ? 1 : 0;
    north += m.from.row >= middle && m.to.row < middle ? 1 : 0;
  }
  return (std::max({east, west, south, north}) * words + side - 1) / side;
}

inline exchange_result permute(const fabric::fabric_chip& chip, int side, int words, std::uint64_t seed) {
  const std::vector<collectives::point_to_point> messages = random_permutation(side, seed);
  const collectives::vector_spec v{fabric::element_type::fp32, words, 0};
  exchange_result all;
  all.bound = bisection_bound(messages, side, words);
  for (const fabric::program& p : collectives::point_to_point_programs(chip, side, side, messages, v, 16 * 1024)) {
    const fabric::run_result result = run_to_the_end(p, chip);
    ++all.programs;
    all.cycles += result.cycles.value();
    all.word_hops += result.word_hops;
  }
  return all;
}

}  // namespace scribeline::validation
