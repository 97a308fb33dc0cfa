// The softmax of a core's scores in three parts, between the all-reduces of the maximum and of the weighed values: see
// stage_program.h. Operations run along the queries or the positions of the core, whichever are more. Private to the
// kernels library.
#pragma once

#include "firmware_stubs/kernels/operation_list.h"

namespace scribeline::kernels {

struct softmax_extents {
  int queries = 1;
  int positions = 1;
  int tokens = 1;
};

// Scale, mask, maximum over positions.
void add_softmax_maximum(operation_list& list, const softmax_extents& e);
// Subtract the maximum, exponentiate, sum over positions.
void add_softmax_exponential(operation_list& list, const softmax_extents& e);
// Values of all queries, `elements` together, by the sums of their exponentials.
void add_softmax_division(operation_list& list, const softmax_extents& e, int elements);

}  // namespace scribeline::kernels
