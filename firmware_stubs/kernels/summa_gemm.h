// Matrix times matrix on a square mesh by SUMMA (van de Geijn and Watts, 1997): in step s column s broadcasts its tiles
// of A along the rows, row s its tiles of B along the columns, and every core multiplies what arrived.
//
// The core at column i and row j holds A(j, i), B(j, i) and C(j, i): nothing has to be aligned. Routers multicast, and
// the right to broadcast goes from core to core with a control word behind the tile, so tiles follow each other without
// a gap. A core receives the next tile while it multiplies the last one, into the second and third of its buffers; its
// own tile stays in the first.
#pragma once

#include "firmware_stubs/kernels/gemm_tiles.h"

namespace scribeline::kernels {

// As mesh_gemm().
fabric::program summa_gemm(const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                           const gemm_schedule& schedule = {});

}  // namespace scribeline::kernels
