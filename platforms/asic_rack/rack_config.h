// What a rack of accelerators is built from.
#pragma once

#include <cstdint>

#include "firmware_stubs/accelerator_kernels/parallelism.h"
#include "firmware_stubs/accelerator_kernels/rank_program.h"
#include "firmware_stubs/batch_serving/batch_host.h"
#include "firmware_stubs/model/model_spec.h"
#include "rtl_tlm/accelerator/accelerator_config.h"

namespace scribeline::platforms {

struct rack_config {
  model::model_spec model;
  accelerator::accelerator_config accelerator;
  accelerator_kernels::parallelism spread;
  accelerator_kernels::exchange_formats formats;
  double expert_skew = 0;              // see network_collectives/expert_routing.h
  double interrupt_latency_ns = 1000;  // assumption: a polling host over PCIe
  double host_step_ns = 2000;          // assumption: sampling stays on the chips, the host schedules ahead
  batch_serving::batch_workload load;
  std::uint64_t seed = 1;

  std::uint64_t longest_context() const { return load.prompt_tokens + load.output_tokens; }
  std::uint64_t sequences_per_replica() const { return load.users / static_cast<std::uint64_t>(spread.data); }
};

}  // namespace scribeline::platforms
