// Data movement without arithmetic: scatter, gather, multicast from the edge, and single messages.
#pragma once

#include "firmware_stubs/collectives/phase.h"

namespace scribeline::collectives {

// The root of every line sends chunk i (at chunk.address + i * bytes) to position i, which stores it at target_address.
// One color: behind each chunk a control word switches its receiver to let the next ones pass. Position 0 keeps its own
// chunk where it is. Whole words.
void add_scatter(const phase& in, const lines& on, const vector_spec& chunk, int target_address);

// Position i of every line sends its vector to the root, which stores it at target_address + i * bytes (i >= 1). One
// color; cores nearer to the root go first. Whole words.
void add_gather(const phase& in, const lines& on, const vector_spec& chunk, int target_address);

// `v` enters the program through the west edge in the row `row`, reaches the rectangle and is stored by all its cores.
// Words come from outside from cycle first_cycle on. The rectangle must include that row. One color.
void add_edge_multicast(const phase& in, int row, const fabric::region& cores, const vector_spec& v,
                        std::int64_t first_cycle);

// A message from core to core: along the row, then along the column.
struct point_to_point {
  fabric::coordinate from;
  fabric::coordinate to;
};

// Programs that together deliver all messages, each with as many as its colors allow: messages that meet at a router
// have different colors. At most one message leaves and one enters each core of a program. All begin at once.
std::vector<fabric::program> point_to_point_programs(const fabric::fabric_chip& chip, int columns, int rows,
                                                     const std::vector<point_to_point>& messages, const vector_spec& v,
                                                     int target_address);

}  // namespace scribeline::collectives
