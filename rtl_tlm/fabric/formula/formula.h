// Closed forms for collectives on a wafer fabric.
//
// Source: "Near-Optimal Wafer-Scale Reduce", HPDC'24 (arXiv 2404.15888). A pattern with contention C (words through
// the busiest core), energy E (word-hops) over N links, distance L and depth D (dependent core-to-core messages) takes
//   T = max(C, E/N + L) + (2 T_R + 1) D
// on WSE-2, where a hop and a word cost one cycle and T_R = 2 is the ramp between core and router. Here every one of
// those cycles is a parameter, so that the same forms serve WSE-3; with wse2_timing() they are the published ones.
//
// Shapes: `words` is the vector length in 32-bit words on every core, `cores` a line of them, `columns` x `rows` a
// rectangle. Fractions are rounded up to a cycle once, at the end. One core needs no communication: zero cycles.
// A negative count or fewer than one core throws std::invalid_argument.
#pragma once

#include <cstdint>
#include <string_view>

#include "rtl_tlm/base/units.h"

namespace scribeline::fabric {

// What one message costs, all in cycles. Fractions are measured averages.
struct fabric_timing {
  double hop_cycles;           // router to neighbouring router
  double ramp_send_cycles;     // core to its router
  double ramp_receive_cycles;  // router to its core
  double execute_cycles;       // one word through the datapath of a core
  double word_cycles;          // streaming, per 32-bit word
  double phase_gap_cycles;     // last word of a vector operation -> first word of the one that depends on all of it
  double launch_cycles;        // once per collective: start, descriptors, completion, timestamps
  double turn_cycles;          // per corner of a message's path
  double relay_word_cycles;    // streaming, per word, when every core stores and forwards the whole vector
  double relay_gap_cycles;     // last word stored -> first word forwarded
  double relay_launch_cycles;  // once per relay

  // Depth cost of one dependent message between neighbours, without its hops: (2 T_R + 1) on WSE-2.
  constexpr double stage_cycles() const { return ramp_send_cycles + execute_cycles + ramp_receive_cycles; }
};

// The model of HPDC'24: hop 1, T_R = 2, one cycle per word, nothing for launch and phase changes.
constexpr fabric_timing wse2_timing() {
  return {1, 2, 2, 1, 1, 0, 0, 0, 1, 0, 0};
}

// The same with the two overheads that the measured rows of the authors show (512 x 1 cores): chain = B + 6 * 511 + 61
// gives the launch, two-phase = 2 B + 741 + 61 + 15 the gap between dependent phases.
constexpr fabric_timing wse2_measured_timing() {
  return {1, 2, 2, 1, 1, 15, 61, 0, 1, 15, 61};
}

// WSE-3 silicon (FABRICA, arXiv 2608.25124): message = 33 + 2 hops + 1.125 words + 20 turns,
// store-and-forward relay of B words over N hops = 1.001 N B + 16.1 N + 16.5. Ramps of about 7 (with the datapath) and
// 3 cycles leave 23 of the 33 for the launch and 4.1 of the 16.1 for the relay's gap. Assumption: a phase gap costs
// what it does on WSE-2, 15 cycles, which is also the measured set-up of a WSE-3 vector copy.
constexpr fabric_timing wse3_timing() {
  return {2, 6, 3, 1, 1.125, 15, 23, 20, 1.001, 4.1, 16.5};
}

// --- one line of cores ---------------------------------------------------------------------------------------------

// One message of `words` over `hops` links and `turns` corners.
base::cycles message(const fabric_timing& t, std::int64_t words, std::int64_t hops, std::int64_t turns = 0);

// Store and forward: each of `hops` cores receives the whole vector before it sends it on.
base::cycles relay(const fabric_timing& t, std::int64_t words, std::int64_t hops);

// Reduce to the first core of the line.
base::cycles chain(const fabric_timing& t, std::int64_t words, std::int64_t cores);
base::cycles star(const fabric_timing& t, std::int64_t words, std::int64_t cores);
base::cycles tree(const fabric_timing& t, std::int64_t words, std::int64_t cores);
// Chains of `group` cores, then a chain of the group leaders. `group` need not divide `cores`.
base::cycles two_phase(const fabric_timing& t, std::int64_t words, std::int64_t cores, std::int64_t group);

// Flood from one end of the line to the other.
base::cycles broadcast(const fabric_timing& t, std::int64_t words, std::int64_t cores);

enum class reduce_pattern { chain, star, tree, two_phase };
std::string_view name(reduce_pattern pattern);

struct reduce_choice {
  reduce_pattern pattern;
  std::int64_t group;  // cores per group of two_phase, otherwise 0
  base::cycles cycles;
};

// The two-phase reduce with its fastest group, the smallest one on a tie.
reduce_choice best_group(const fabric_timing& t, std::int64_t words, std::int64_t cores);
// The fastest of the four patterns, the first in the order of the enumeration on a tie.
reduce_choice best_pattern(const fabric_timing& t, std::int64_t words, std::int64_t cores);
base::cycles reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores, reduce_pattern pattern,
                    std::int64_t group = 0);

// Least time of a reduce of a line in the cost model of the paper: min over D of B E*(P, D) / (P - 1) + P - 1 +
// (2 T_R + 1) D, with E*(P, D) the least energy of a reduce tree whose depth is at most D. Without the launch. The
// model adds average link load and distance; a star of very few words overlaps the two and can stay below it.
base::cycles reduce_lower_bound(const fabric_timing& t, std::int64_t words, std::int64_t cores);

// E*(P, D), in word-hops per word of the vector; throws std::invalid_argument when P > 1 and D < 1.
std::int64_t least_reduce_energy(std::int64_t cores, std::int64_t depth);

// Reduce by the given pattern, then broadcast back.
base::cycles all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores, reduce_pattern pattern,
                        std::int64_t group = 0);
// With the fastest pattern.
base::cycles all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores);

// --- a rectangle of cores ------------------------------------------------------------------------------------------

base::cycles broadcast_2d(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows);
// All rows at once, then the column of the row roots, each with its fastest pattern.
base::cycles reduce_xy(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows);
// The same pattern in both dimensions.
base::cycles reduce_xy(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows,
                       reduce_pattern pattern, std::int64_t group = 0);
// One chain through all cores, boustrophedon.
base::cycles reduce_snake(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows);
// The faster of X-Y and snake, then a 2-D broadcast.
base::cycles all_reduce_2d(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows);

}  // namespace scribeline::fabric
