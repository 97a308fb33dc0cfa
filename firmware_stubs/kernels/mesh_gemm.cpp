#include "firmware_stubs/kernels/mesh_gemm.h"

#include "firmware_stubs/kernels/compute_shift.h"

namespace scribeline::kernels {

fabric::program mesh_gemm(const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                          const gemm_schedule& schedule) {
  return compute_shift_gemm("MeshGEMM", ring_kind::folded, chip, side, tiles, schedule);
}

int aligned_position(fabric::coordinate core, int side) {
  const int i = rank_on(ring_kind::folded, core.column, side);
  const int j = rank_on(ring_kind::folded, core.row, side);
  return position_on(ring_kind::folded, (i + j) % side, side);
}

}  // namespace scribeline::kernels
