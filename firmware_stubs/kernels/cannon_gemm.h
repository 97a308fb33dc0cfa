// Matrix times matrix on a square mesh by Cannon's algorithm: compute-shift as in mesh_gemm.h, but ranks are positions.
//
// Neighbours of a ring are one hop apart, except for the last and the first core of a line: a mesh has no link between
// them, so that tile travels back across the line in every step.
#pragma once

#include "firmware_stubs/kernels/gemm_tiles.h"

namespace scribeline::kernels {

// As mesh_gemm().
fabric::program cannon_gemm(const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                            const gemm_schedule& schedule = {});

}  // namespace scribeline::kernels
