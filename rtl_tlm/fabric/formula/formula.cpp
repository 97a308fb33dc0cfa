#include "rtl_tlm/fabric/formula/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "rtl_tlm/fabric/formula/formula_parts.h"

namespace scribeline::fabric {
namespace {

using base::cycles;
using formula_parts::real;
using formula_parts::require_line;
using formula_parts::whole;

constexpr std::int64_t unreachable_energy = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t ceil_log2(std::int64_t n) {
  std::int64_t levels = 0;
  while ((std::int64_t{1} << levels) < n)
    ++levels;
  return levels;
}

double chain_exact(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  return t.launch_cycles + t.word_cycles * real(words) + (t.stage_cycles() + t.hop_cycles) * real(cores - 1);
}

double two_phase_exact(const fabric_timing& t, std::int64_t words, std::int64_t cores, std::int64_t group) {
  const std::int64_t groups = base::ceil_div(cores, group);
  if (group == 1 || groups == 1) return chain_exact(t, words, cores);
  // Every core but the leaders sends one hop, every leader but the root `group` hops.
  const double energy = real(words) * real((cores - groups) + (groups - 1) * group);
  const double distance = t.hop_cycles * real(cores - 1);
  const double streaming =
      std::max(2 * t.word_cycles * real(words), t.word_cycles * energy / real(cores - 1) + distance);
  return t.launch_cycles + streaming + t.stage_cycles() * real(group - 1 + groups - 1) + t.phase_gap_cycles;
}

// Rows of E*(P, D) for D = 1, 2, ...: the last message into the root comes from core i, which has collected the cores
// behind it with depth D - 1: E*(P, D) = min over i of E*(i, D) + E*(P - i, D - 1) + i. The sum is convex in i, so the
// best i only moves forward with P.
class energy_rows {
 public:
  explicit energy_rows(std::int64_t cores) : row_(static_cast<std::size_t>(cores) + 1, unreachable_energy) {
    row_[1] = 0;
  }

  void deepen() {
    std::vector<std::int64_t> next(row_.size(), unreachable_energy);
    next[1] = 0;
    std::size_t split = 1;
    for (std::size_t cores = 2; cores < row_.size(); ++cores) {
      const auto energy = [&](std::size_t i) {
        return std::min(unreachable_energy, next[i] + row_[cores - i] + static_cast<std::int64_t>(i));
      };
      while (split + 1 < cores && energy(split + 1) <= energy(split))
        ++split;
      next[cores] = energy(split);
    }
    row_.swap(next);
  }

  std::int64_t energy() const { return row_.back(); }

 private:
  std::vector<std::int64_t> row_;
};

}  // namespace

std::string_view name(reduce_pattern pattern) {
  switch (pattern) {
    case reduce_pattern::chain:
      return "chain";
    case reduce_pattern::star:
      return "star";
    case reduce_pattern::tree:
      return "tree";
    case reduce_pattern::two_phase:
      return "two_phase";
  }
  return "unknown";
}

cycles message(const fabric_timing& t, std::int64_t words, std::int64_t hops, std::int64_t turns) {
  require_line(words, 1);
  return whole(t.launch_cycles + t.stage_cycles() + t.hop_cycles * real(hops) + t.word_cycles * real(words) +
               t.turn_cycles * real(turns));
}

cycles relay(const fabric_timing& t, std::int64_t words, std::int64_t hops) {
  require_line(words, 1);
  const double per_hop = t.relay_word_cycles * real(words) + t.stage_cycles() + t.hop_cycles + t.relay_gap_cycles;
  return whole(t.relay_launch_cycles + per_hop * real(hops));
}

cycles chain(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  return cores == 1 ? cycles{0} : whole(chain_exact(t, words, cores));
}

cycles star(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  if (cores == 1) return cycles{0};
  return whole(t.launch_cycles + t.word_cycles * real(words) * real(cores - 1) + t.stage_cycles());
}

cycles tree(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  if (cores == 1) return cycles{0};
  const double levels = real(ceil_log2(cores));
  const double contention = t.word_cycles * real(words) * levels;
  const double energy_per_link = t.word_cycles * real(words) * real(cores) / (2 * real(cores - 1)) * levels;
  const double streaming = std::max(contention, energy_per_link + t.hop_cycles * real(cores - 1));
  return whole(t.launch_cycles + streaming + t.stage_cycles() * levels + t.phase_gap_cycles * (levels - 1));
}

cycles two_phase(const fabric_timing& t, std::int64_t words, std::int64_t cores, std::int64_t group) {
  require_line(words, cores);
  if (group < 1 || group > cores)
    throw std::invalid_argument(fmt::format("group of {} cores in a line of {}: give 1..{}", group, cores, cores));
  return cores == 1 ? cycles{0} : whole(two_phase_exact(t, words, cores, group));
}

cycles broadcast(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  return broadcast_2d(t, words, cores, 1);
}

reduce_choice best_group(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  reduce_choice best{reduce_pattern::two_phase, 1, two_phase(t, words, cores, 1)};
  for (std::int64_t group = 2; group <= cores; ++group) {
    const cycles candidate = two_phase(t, words, cores, group);
    if (candidate < best.cycles) best = {reduce_pattern::two_phase, group, candidate};
  }
  return best;
}

reduce_choice best_pattern(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  reduce_choice best{reduce_pattern::chain, 0, chain(t, words, cores)};
  for (const reduce_choice& candidate :
       {reduce_choice{reduce_pattern::star, 0, star(t, words, cores)},
        reduce_choice{reduce_pattern::tree, 0, tree(t, words, cores)}, best_group(t, words, cores)})
    if (candidate.cycles < best.cycles) best = candidate;
  return best;
}

cycles reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores, reduce_pattern pattern,
              std::int64_t group) {
  switch (pattern) {
    case reduce_pattern::chain:
      return chain(t, words, cores);
    case reduce_pattern::star:
      return star(t, words, cores);
    case reduce_pattern::tree:
      return tree(t, words, cores);
    case reduce_pattern::two_phase:
      return two_phase(t, words, cores, group);
  }
  throw std::invalid_argument("unknown reduce pattern");
}

cycles reduce_lower_bound(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  if (cores == 1) return cycles{0};
  const double links = real(cores - 1);
  const double distance = t.hop_cycles * links;
  double best = std::numeric_limits<double>::infinity();
  energy_rows rows(cores);
  for (std::int64_t depth = 1; depth < cores; ++depth) {
    rows.deepen();
    const double deep = distance + t.stage_cycles() * real(depth);
    // The energy is never below one hop per core, so deeper trees cannot win once this exceeds the best.
    if (deep + t.word_cycles * real(words) >= best) break;
    best = std::min(best, deep + t.word_cycles * real(words) * real(rows.energy()) / links);
  }
  return whole(best);
}

std::int64_t least_reduce_energy(std::int64_t cores, std::int64_t depth) {
  require_line(0, cores);
  if (cores == 1) return 0;
  if (depth < 1) throw std::invalid_argument(fmt::format("{} cores cannot be reduced with depth {}", cores, depth));
  energy_rows rows(cores);
  for (std::int64_t d = 0; d < std::min(depth, cores - 1); ++d)
    rows.deepen();
  return rows.energy();
}

namespace {

// Two collectives one after the other: launched once, with a gap between dependent phases where both exist.
cycles in_sequence(const fabric_timing& t, cycles first, cycles second) {
  if (first == cycles{0} || second == cycles{0}) return first + second;
  return whole(real((first + second).value()) - t.launch_cycles + t.phase_gap_cycles);
}

}  // namespace

cycles all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores, reduce_pattern pattern,
                  std::int64_t group) {
  return in_sequence(t, reduce(t, words, cores, pattern, group), broadcast(t, words, cores));
}

cycles all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  return in_sequence(t, best_pattern(t, words, cores).cycles, broadcast(t, words, cores));
}

cycles broadcast_2d(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows) {
  require_line(words, columns);
  require_line(words, rows);
  if (columns == 1 && rows == 1) return cycles{0};
  return whole(t.launch_cycles + t.word_cycles * real(words) + t.hop_cycles * real(columns + rows - 2) +
               t.stage_cycles());
}

cycles reduce_xy(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows) {
  return in_sequence(t, best_pattern(t, words, columns).cycles, best_pattern(t, words, rows).cycles);
}

cycles reduce_xy(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows,
                 reduce_pattern pattern, std::int64_t group) {
  return in_sequence(t, reduce(t, words, columns, pattern, group), reduce(t, words, rows, pattern, group));
}

cycles reduce_snake(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows) {
  require_line(words, rows);
  return chain(t, words, columns * rows);
}

cycles all_reduce_2d(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows) {
  const cycles reduced = std::min(reduce_xy(t, words, columns, rows), reduce_snake(t, words, columns, rows));
  return in_sequence(t, reduced, broadcast_2d(t, words, columns, rows));
}

}  // namespace scribeline::fabric
