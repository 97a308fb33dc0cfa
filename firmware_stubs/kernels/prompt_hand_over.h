// From prefill to decode: a token's activation, split along the columns behind a prompt, becomes one that is split
// along the rows and known to whole rows, as decode and the head find it.
#pragma once

#include "firmware_stubs/kernels/prompt_stream.h"

namespace scribeline::kernels {

// Every core in the token's row sends its features along its column to the core on the diagonal, which multicasts them
// along its row. Marks begin and end as collectives do. Throws std::invalid_argument for streams of different shapes
// and a token that the prompt has no place for.
fabric::program hand_over(const fabric::fabric_chip& chip, const prompt_stream& from, const residual_stream& to,
                          int token);

}  // namespace scribeline::kernels
