// A chain through all cores of a rectangle, row by row in alternating direction.
#pragma once

#include "firmware_stubs/collectives/phase.h"

namespace scribeline::collectives {

// Reduces to the rectangle's north-west core: the first row runs east from it, the second one west, and so on. At least
// two columns and two rows. Two colors. Order: from the far end to the root.
void add_snake(const phase& in, const fabric::region& cores, const vector_spec& v);

}  // namespace scribeline::collectives
