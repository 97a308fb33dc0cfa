#include "firmware_stubs/kernels/gemm_algorithm.h"

#include "firmware_stubs/kernels/cannon_gemm.h"
#include "firmware_stubs/kernels/mesh_gemm.h"
#include "firmware_stubs/kernels/summa_gemm.h"

namespace scribeline::kernels {

std::string_view name(gemm_algorithm algorithm) {
  switch (algorithm) {
    case gemm_algorithm::mesh:
      return "MeshGEMM";
    case gemm_algorithm::cannon:
      return "Cannon";
    default:
      return "SUMMA";
  }
}

fabric::program gemm(gemm_algorithm algorithm, const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                     const gemm_schedule& schedule) {
  switch (algorithm) {
    case gemm_algorithm::mesh:
      return mesh_gemm(chip, side, tiles, schedule);
    case gemm_algorithm::cannon:
      return cannon_gemm(chip, side, tiles, schedule);
    default:
      return summa_gemm(chip, side, tiles, schedule);
  }
}

}  // namespace scribeline::kernels
