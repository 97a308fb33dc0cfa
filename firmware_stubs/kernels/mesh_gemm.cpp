#include "firmware_stubs/kernels/mesh_gemm.h"

#include "firmware_stubs/kernels/compute_shift.h"

namespace scribeline::kernels {

fabric::program mesh_gemm(const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                          const gemm_schedule& schedule) {
  return compute_shift_gemm("MeshGEMM", ring_kind::folded, chip, side, tiles, schedule);
}

}  // namespace scribeline::kernels
