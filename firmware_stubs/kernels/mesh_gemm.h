// Matrix times matrix on a square mesh by compute-shift, as MeshGEMM of WaferLLM (OSDI'25, arXiv 2502.04563) does it.
//
// Rows and columns are folded rings: in each of P steps a core multiplies the tiles it holds while it passes its A tile
// to the next core of its row ring and its B tile to the next core of its column ring, at most two hops away. In the
// first step the core of column rank i and row rank j holds A(j, i + j) and B(i + j, i), ranks modulo P (Cannon's
// alignment); after P steps every tile is back where it was, and C(j, i) is where it was computed.
#pragma once

#include "firmware_stubs/kernels/gemm_tiles.h"

namespace scribeline::kernels {

// Marks begin and end as collectives do. k n multiply-adds over m elements per core and step. Throws
// std::invalid_argument for a side of less than 2.
fabric::program mesh_gemm(const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                          const gemm_schedule& schedule = {});

// The position on a line of rank i + j, for the core of column rank i and row rank j: the tile column of A and the tile
// row of B in the alignment of the first step, counted as positions.
int aligned_position(fabric::coordinate core, int side);

}  // namespace scribeline::kernels
