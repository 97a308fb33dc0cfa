// Broadcasts: the vector of a root is copied to all cores by multicast; routers copy words to their core and onward.
#pragma once

#include "firmware_stubs/collectives/phase.h"

namespace scribeline::collectives {

// From the root of every line to its other cores. One color.
void add_line_broadcast(const phase& in, const lines& on, const vector_spec& v);

// From a corner of a rectangle to all its cores, along the corner's column and from there along all rows, as one
// stream. One color. next.root is for the corner.
void add_rectangle_broadcast(const phase& in, const fabric::region& cores, const vector_spec& v, bool from_east = false,
                             bool from_south = false);

}  // namespace scribeline::collectives
