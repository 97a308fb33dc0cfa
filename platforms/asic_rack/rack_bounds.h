// What no firmware and no network can beat on a rack of these accelerators.
//
// A pass needs, in every stage, each weight it uses and the cache it reads once from the HBM of all ranks of the group
// at the full rate, and its multiply-accumulates at the full matrix rate of the weights' width on all ranks, whichever
// takes longer. Exchanges, starts, imbalance, replicated work and efficiencies are left out: a lower bound.
#pragma once

#include <cstdint>

#include "platforms/asic_rack/rack_plan.h"

namespace scribeline::platforms {

struct rack_bound {
  double hbm_ps = 0;     // stages bound by HBM
  double matrix_ps = 0;  // stages bound by the matrix rate
  double slowest_stage_ps = 0;

  double total_ps() const { return hbm_ps + matrix_ps; }
  const char* binds() const { return hbm_ps >= matrix_ps ? "HBM bandwidth" : "matrix rate"; }
};

// Of a pass of `sequences` requests in all, `tokens` new tokens each with `context` positions cached.
rack_bound bound_of_pass(const rack_config& config, const rack_plan& plan, std::uint64_t sequences,
                         std::uint64_t tokens, std::uint64_t context);

}  // namespace scribeline::platforms
