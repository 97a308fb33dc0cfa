// Closed forms for the collectives that HPDC'24 has none for, in the same cost model (formula.h): words that the
// busiest datapath or link passes, hops of the longest way, ramps once per dependent message. A core that takes words
// into its SRAM and sends others from there passes both through its one datapath, so they add up. What the model
// leaves out is the cores' own work between messages: set-ups, completions, loops.
//
// One line of cores; `words` is the vector of every core, or one chunk. One core needs no communication: zero cycles.
#pragma once

#include <cstdint>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/fabric/formula/formula.h"

namespace scribeline::fabric {

// 2 (P - 1) steps of a P-th of the vector to a neighbour at most two hops away, received and sent.
base::cycles ring_all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores);

// Both halves of a group chain to its centre, the centres to the centre of the line, each time two vectors into one
// core; then a flood both ways.
base::cycles two_tree_all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores, std::int64_t groups);

// The root sends P - 1 chunks and a control word behind each; the last one goes to the farthest core.
base::cycles scatter(const fabric_timing& t, std::int64_t words, std::int64_t cores);
// The root receives P - 1 chunks.
base::cycles gather(const fabric_timing& t, std::int64_t words, std::int64_t cores);
// P - 1 steps round a ring; step d passes P - d chunks to a neighbour at most two hops away, received and sent.
base::cycles ring_all_to_all(const fabric_timing& t, std::int64_t words, std::int64_t cores);

// From a router at the edge to the farthest core of a rectangle that begins there.
base::cycles edge_multicast(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows);

}  // namespace scribeline::fabric
