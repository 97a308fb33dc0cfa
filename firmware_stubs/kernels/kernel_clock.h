// How long kernels take on a large mesh, by simulating what is different on it once.
//
// Word by word or stream by stream, as the engine is. In a kernel with an all-reduce all lines do the same at the same
// time and no word crosses from one to another, so one line of the mesh is simulated. In a MeshGEMM of aligned tiles
// all steps and, up to the parity of their positions, all cores are alike and words go two hops at most, so a corner of
// the mesh is simulated for a few steps: the rest takes what every further one of them takes. Alignment, Cannon and
// SUMMA have ways across whole lines: two whole meshes of up to 33 cores a side are simulated, and every further core
// of a side adds what the cores between them do. Kernels that were timed before are not simulated again.
#pragma once

#include <array>
#include <map>

#include "firmware_stubs/kernels/gemm_algorithm.h"
#include "firmware_stubs/kernels/mesh_kernel.h"
#include "rtl_tlm/base/units.h"
#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/run.h"

namespace scribeline::kernels {

struct kernel_time {
  base::cycles total;    // from the first core that begins to the last that is done
  base::cycles compute;  // of it, the core's own work; the rest is call and communication
};

class kernel_clock {
 public:
  kernel_clock(const fabric::fabric_chip& chip, int columns, int rows,
               fabric::engine_kind engine = fabric::engine_kind::wavelet)
      : chip_(chip), columns_(columns), rows_(rows), engine_(engine) {}

  // Word-hops simulated so far.
  std::int64_t word_hops() const { return word_hops_; }

  // Throws std::invalid_argument as program_of() does and for `steps` of other products than a MeshGEMM of aligned
  // tiles, base::no_progress when a program stands still.
  kernel_time time(const mesh_kernel& kernel, const all_reduce_style& style);
  kernel_time time(const gemm_tiles& tiles, const gemm_schedule& schedule,
                   gemm_algorithm algorithm = gemm_algorithm::mesh);

 private:
  base::cycles run(const fabric::program& p);
  base::cycles gemm_on_corner(const gemm_tiles& tiles, const gemm_schedule& schedule);
  base::cycles gemm_on_whole_meshes(const gemm_tiles& tiles, const gemm_schedule& schedule, gemm_algorithm algorithm);

  fabric::fabric_chip chip_;
  int columns_;
  int rows_;
  fabric::engine_kind engine_;
  std::int64_t word_hops_ = 0;
  std::map<std::array<std::int64_t, 11>, kernel_time> gemms_;
};

}  // namespace scribeline::kernels
