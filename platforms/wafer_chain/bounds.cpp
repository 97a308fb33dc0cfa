#include "platforms/wafer_chain/bounds.h"

#include <algorithm>

#include "firmware_stubs/plan/work.h"

namespace scribeline::platforms {

const char* pass_bound::binds() const {
  if (link_ps >= compute_ps && link_ps >= sram_ps) return "off-wafer links";
  return compute_ps >= sram_ps ? "multiply-accumulate rate" : "SRAM bandwidth";
}

double least_link_ps(const link::link_config& link, std::int64_t bytes) {
  const std::int64_t share = link::lane_share(base::bytes{bytes}, link.lanes);
  const std::int64_t full_frames = share / link.frame_payload_bytes;
  const std::int64_t rest = share % link.frame_payload_bytes;
  std::int64_t wire = full_frames * link::wire_bytes(link, link.frame_payload_bytes);
  if (rest > 0 || full_frames == 0) wire += link::wire_bytes(link, rest);
  return link.latency_ns * 1000 + static_cast<double>(wire) * 8000 / link.lane_gbps;
}

pass_bound bound_of_pass(const chain_config& config, const chain_plan& plan, std::uint64_t tokens,
                         std::uint64_t context) {
  const auto& chip = config.wafer;
  const double cores = static_cast<double>(chip.cores());
  const double cycle_ps = 1000 / chip.clock_ghz;
  constexpr std::int64_t token_bytes = 4;
  const auto n = static_cast<std::int64_t>(tokens);

  pass_bound bound;
  bound.link_ps = least_link_ps(config.link, n * token_bytes);  // from the host
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const auto& layer = plan.stages[s].layer;
    // Of a draft stage at least one guess.
    const std::uint64_t worked_on = layer.what == plan::layer_plan::stage::draft ? 1 : tokens;
    const plan::work work = plan::work_of(layer, worked_on, context);
    const double compute = work.macs / (cores * chip.vector.peak_fma_fp16_per_cycle) * cycle_ps;
    const double read = static_cast<double>((work.weight_bytes_read + work.cache_bytes_read).value());
    const double sram = read / (cores * chip.vector.sram_bytes_per_cycle) * cycle_ps;
    (compute >= sram ? bound.compute_ps : bound.sram_ps) += std::max(compute, sram);
    if (std::max(compute, sram) > bound.slowest_stage_ps) {
      bound.slowest_stage_ps = std::max(compute, sram);
      bound.slowest_stage = layer.name;
    }
    const bool last = s + 1 == plan.stages.size();
    if (last) bound.link_ps += least_link_ps(config.link, n * token_bytes);  // to the host
    if (!last && plan.stages[s + 1].wafer != plan.stages[s].wafer) {
      bound.link_ps += least_link_ps(config.link, n * static_cast<std::int64_t>(output_bytes_per_token(plan, s)));
    }
  }
  return bound;
}

}  // namespace scribeline::platforms
