#include "platforms/asic_rack/rack_bounds.h"

#include <algorithm>
#include <cmath>

#include "firmware_stubs/plan/work.h"

namespace scribeline::platforms {

namespace {

// Tokens of a batch may all choose the same experts: the least a pass must read.
double least_weight_bytes(const plan::operation& op) {
  if (op.kind == plan::op_kind::embed) return 0;
  return static_cast<double>(op.weight_bytes.value()) * op.active_copies / op.copies;
}

}  // namespace

rack_bound bound_of_pass(const rack_config& config, const rack_plan& plan, std::uint64_t sequences,
                         std::uint64_t tokens, std::uint64_t context) {
  const auto& chip = config.accelerator;
  const double ranks = static_cast<double>(config.spread.group_ranks());
  const double users = static_cast<double>(sequences);
  rack_bound bound;
  for (const rack_stage& stage : plan.stages) {
    double hbm_bytes = 0, matrix_ps = 0;
    for (const auto& layer : stage.layers)
      for (const auto& op : layer.operations) {
        // Of a prompt only the last token needs logits.
        const plan::work w = plan::work_of(op, op.kind == plan::op_kind::head ? 1 : tokens, context);
        hbm_bytes += least_weight_bytes(op) + users * static_cast<double>(w.cache_bytes_read.value());
        const bool has_weights = op.weight_bytes.value() > 0 && op.kind != plan::op_kind::attention;
        const int bits = has_weights ? static_cast<int>(op.format.bits_per_weight) : 16;
        matrix_ps += users * w.macs / (chip.tera_macs(bits) * ranks);
      }
    const double hbm_ps = hbm_bytes / (chip.hbm_gbytes_per_s * ranks) * 1000;
    (hbm_ps >= matrix_ps ? bound.hbm_ps : bound.matrix_ps) += std::max(hbm_ps, matrix_ps);
    bound.slowest_stage_ps = std::max(bound.slowest_stage_ps, std::max(hbm_ps, matrix_ps));
  }
  return bound;
}

}  // namespace scribeline::platforms
