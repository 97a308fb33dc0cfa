// What no firmware and no mapping can beat on this machine.
//
// A pass needs, in every stage, its multiply-accumulates at the vector units' peak on all cores and its weights and
// cache read once at the SRAM ports' width on all cores, whichever takes longer; and between stages of different
// wafers one message over the link. Fabric distance, firmware and imbalance are left out: a lower bound.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/wafer_chain/chain_config.h"
#include "platforms/wafer_chain/chain_plan.h"

namespace scribeline::platforms {

struct pass_bound {
  double link_ps = 0;     // latency and serialisation of every off-wafer hop, both host links included
  double compute_ps = 0;  // stages bound by multiply-accumulates
  double sram_ps = 0;     // stages bound by SRAM reads
  double slowest_stage_ps = 0;
  std::string slowest_stage;

  double total_ps() const { return link_ps + compute_ps + sram_ps; }
  // "off-wafer links", "multiply-accumulate rate" or "SRAM bandwidth": the largest part.
  const char* binds() const;
};

// Of a pass of `tokens` tokens with `context` positions cached.
pass_bound bound_of_pass(const chain_config& config, const chain_plan& plan, std::uint64_t tokens,
                         std::uint64_t context);

// Least time of a message over one link: latency and serialisation of its frames.
double least_link_ps(const link::link_config& link, std::int64_t bytes);

}  // namespace scribeline::platforms
