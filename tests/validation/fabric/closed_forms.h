// The closed forms of HPDC'24 beside the wavelet engine on WSE-2.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/formula/formula.h"
#include "tests/validation/fabric/wse2_reduce.h"

namespace scribeline::validation {

// What every program spends between its marks besides the collective: timestamp 5, role test 3, set-up 4 cycles, and
// the completion and dispatch of the end task, 9 cycles; the forms count the last word, the marks the cycle after it.
inline constexpr std::int64_t launch_cycles = 5 + 3 + 4 + 9 - 1;
// Last word of a phase to the first one of the next: completion 3, dispatch 6, role test 3, set-up 4, less the cycle in
// which a dependent operation would follow anyway.
inline constexpr std::int64_t phase_gap_cycles = 3 + 6 + 3 + 4 - 1;

// Longer programs run on the burst engine.
inline constexpr std::int64_t most_word_hops = 60'000'000;

struct form_comparison {
  std::string pattern;
  std::int64_t form;       // the published form
  std::int64_t explained;  // with what it leaves out
  std::int64_t engine;
  std::string left_out;
  bool by_bursts = false;  // run by the burst engine: the wavelet engine would take minutes
};

inline std::vector<collectives::reduce_plan> form_plans() {
  using collectives::reduce_kind;
  return {{reduce_kind::chain}, {reduce_kind::star}, {reduce_kind::tree}, {reduce_kind::two_phase}};
}

inline std::int64_t engine_cycles(const fabric::program& p, const fabric::fabric_chip& chip) {
  const fabric::run_result result = run_to_the_end(p, chip);
  return (result.at({0, 0}, collectives::end_mark) - result.at({0, 0}, collectives::begin_mark)).value() -
         launch_cycles;
}

inline std::int64_t burst_cycles(const fabric::program& p, const fabric::fabric_chip& chip) {
  const fabric::run_result result = fabric::burst_engine(p, chip).run();
  if (result.outcome != fabric::run_outcome::finished) throw std::runtime_error(p.name + ": " + result.explanation);
  return (result.at({0, 0}, collectives::end_mark) - result.at({0, 0}, collectives::begin_mark)).value() -
         launch_cycles;
}

// The same of a broadcast, which ends at the last core to have all words.
inline std::int64_t broadcast_cycles(const fabric::program& p, const fabric::fabric_chip& chip) {
  const fabric::run_result result = run_to_the_end(p, chip);
  base::cycles last;
  for (const fabric::timestamp_record& record : result.timestamps)
    if (record.mark == collectives::end_mark) last = std::max(last, record.cycle);
  return (last - result.at({0, 0}, collectives::begin_mark)).value() - launch_cycles;
}

inline std::int64_t tree_levels(int cores) {
  std::int64_t levels = 0;
  while ((1 << levels) < cores)
    ++levels;
  return levels;
}

inline form_comparison compare_line(int cores, int words, const collectives::reduce_plan& plan) {
  using collectives::reduce_kind;
  const fabric::fabric_timing t = fabric::wse2_timing();
  const fabric::fabric_chip chip = fabric::wse2_chip();
  const collectives::vector_spec v{fabric::element_type::fp32, words, 0};
  form_comparison c;
  c.engine = engine_cycles(collectives::reduce_rows(chip, cores, 1, v, plan), chip);
  switch (plan.kind) {
    case reduce_kind::chain:
      c.pattern = "chain";
      c.form = c.explained = fabric::chain(t, words, cores).value();
      break;
    case reduce_kind::star:
      c.pattern = "star";
      c.form = fabric::star(t, words, cores).value();
      c.explained = (words + 1) * (cores - 1) + 5;
      c.left_out = "a control word behind every message";
      break;
    case reduce_kind::tree: {
      const std::int64_t levels = tree_levels(cores);
      c.pattern = "tree";
      c.form = fabric::tree(t, words, cores).value();
      c.explained = words * levels + cores - 1 + 5 * levels + phase_gap_cycles * (levels - 1);
      c.left_out = "rounds follow each other: distances and phase gaps add up";
      break;
    }
    default: {
      const std::int64_t group = fabric::best_group(t, words, cores).group;
      const std::int64_t groups = (cores + group - 1) / group;
      c.pattern = fmt::format("two-phase, groups of {}", group);
      c.form = fabric::two_phase(t, words, cores, group).value();
      c.explained = 2 * words + cores - 1 + 5 * (group - 1 + groups - 1) + phase_gap_cycles;
      c.left_out = "the second phase waits for all of the first, phase gap";
      if (group == 1 || groups == 1) c.explained = fabric::chain(t, words, cores).value();
    }
  }
  return c;
}

inline form_comparison compare_broadcast_square(int side, int words) {
  const fabric::fabric_chip chip = fabric::wse2_chip();
  form_comparison c;
  c.pattern = "broadcast";
  c.form = c.explained = fabric::broadcast_2d(fabric::wse2_timing(), words, side, side).value();
  c.engine = broadcast_cycles(collectives::broadcast(chip, side, side, {fabric::element_type::fp32, words, 0}), chip);
  return c;
}

inline form_comparison compare_broadcast_line(int cores, int words) {
  const fabric::fabric_chip chip = fabric::wse2_chip();
  form_comparison c;
  c.pattern = "broadcast";
  c.form = c.explained = fabric::broadcast(fabric::wse2_timing(), words, cores).value();
  c.engine = broadcast_cycles(collectives::broadcast(chip, cores, 1, {fabric::element_type::fp32, words, 0}), chip);
  return c;
}

// X-Y with chains, two phases, trees and stars, snake and broadcast, with phase gaps in the form. Programs of more than
// 60 million word-hops, and snakes from 256 x 256 cores on, run on the burst engine; stars only up to 64 x 64.
inline std::vector<form_comparison> compare_rectangle(int side, int words) {
  using collectives::reduce_kind;
  const fabric::fabric_timing t = fabric::wse2_timing();
  const fabric::fabric_chip chip = fabric::wse2_chip();
  const collectives::vector_spec v{fabric::element_type::fp32, words, 0};
  std::vector<form_comparison> all;
  const auto add = [&](const std::string& name, std::int64_t form, std::int64_t explained, const fabric::program& p,
                       std::int64_t hops_per_word_and_core = 1) {
    const bool by_bursts =
        std::int64_t{side} * side * words * hops_per_word_and_core > most_word_hops || (name == "snake" && side >= 256);
    const std::int64_t cycles = by_bursts ? burst_cycles(p, chip) : engine_cycles(p, chip);
    all.push_back({name, form, explained, cycles, "", by_bursts});
  };
  const collectives::reduce_plan chain{reduce_kind::chain};
  const collectives::reduce_plan two_phase{reduce_kind::two_phase};
  const std::int64_t chains = fabric::reduce_xy(t, words, side, side, fabric::reduce_pattern::chain).value();
  add("X-Y chain", chains, chains + phase_gap_cycles, collectives::reduce_xy(chip, side, side, v, chain, chain));
  const std::int64_t group = fabric::best_group(t, words, side).group;
  const std::int64_t groups = (side + group - 1) / group;
  const std::int64_t once = group == 1 || groups == 1
                                ? fabric::chain(t, words, side).value()
                                : 2 * words + side - 1 + 5 * (group - 1 + groups - 1) + phase_gap_cycles;
  add("X-Y two-phase", fabric::reduce_xy(t, words, side, side, fabric::reduce_pattern::two_phase, group).value(),
      2 * once + phase_gap_cycles, collectives::reduce_xy(chip, side, side, v, two_phase, two_phase));
  const auto xy_form = [&](fabric::reduce_pattern pattern) {
    return fabric::reduce_xy(t, words, side, side, pattern).value();
  };
  const collectives::reduce_plan tree{reduce_kind::tree};
  const std::int64_t levels = tree_levels(side);
  const std::int64_t one_tree = words * levels + side - 1 + 5 * levels + phase_gap_cycles * (levels - 1);
  add("X-Y tree", xy_form(fabric::reduce_pattern::tree), 2 * one_tree + phase_gap_cycles,
      collectives::reduce_xy(chip, side, side, v, tree, tree), levels / 2);
  if (side <= 64) {
    const collectives::reduce_plan star{reduce_kind::star};
    add("X-Y star", xy_form(fabric::reduce_pattern::star), 2 * ((words + 1) * (side - 1) + 5) + phase_gap_cycles,
        collectives::reduce_xy(chip, side, side, v, star, star), side / 2);
  }
  const std::int64_t snake = fabric::reduce_snake(t, words, side, side).value();
  add("snake", snake, snake, collectives::reduce_snake(chip, side, side, v));
  return all;
}

}  // namespace scribeline::validation
