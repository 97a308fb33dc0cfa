// The choice among the products on a square mesh.
#pragma once

#include <string_view>

#include "firmware_stubs/kernels/gemm_tiles.h"

namespace scribeline::kernels {

enum class gemm_algorithm { mesh, cannon, summa };

std::string_view name(gemm_algorithm algorithm);

// The program of mesh_gemm.h, cannon_gemm.h or summa_gemm.h.
fabric::program gemm(gemm_algorithm algorithm, const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                     const gemm_schedule& schedule = {});

}  // namespace scribeline::kernels
