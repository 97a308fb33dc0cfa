#include "firmware_stubs/kernels/cannon_gemm.h"

#include "firmware_stubs/kernels/compute_shift.h"

namespace scribeline::kernels {

fabric::program cannon_gemm(const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                            const gemm_schedule& schedule) {
  return compute_shift_gemm("Cannon", ring_kind::wrapped, chip, side, tiles, schedule);
}

}  // namespace scribeline::kernels
