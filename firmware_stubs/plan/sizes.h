// Sums over a plan: parameters, bytes of weights, bytes a request keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware_stubs/plan/operation.h"

namespace scribeline::plan {

// Parameters, each counted once (a tied head counts with the embedding).
std::uint64_t total_parameters(const std::vector<layer_plan>& plan);
// Parameters one token touches: active experts only, one row of the embedding table, the whole head.
std::uint64_t active_parameters_per_token(const std::vector<layer_plan>& plan);

// Bytes of weights resident for a stage, shared ones included: what a machine that runs only this stage holds.
base::bytes weight_bytes(const layer_plan& layer);
// The same of all stages, shared weights once.
base::bytes weight_bytes(const std::vector<layer_plan>& plan);

// What one request keeps in memory.
struct request_memory {
  base::bytes cache{0};   // grows with the context
  base::bytes window{0};  // grows until the window or chunk is full
  base::bytes state{0};   // the same at any length

  base::bytes total() const { return cache + window + state; }
  request_memory& operator+=(const request_memory& other);
};

// With `context` positions cached. A chunk that is being prefilled needs its own positions on top of a window.
request_memory request_bytes(const layer_plan& layer, std::uint64_t context);
request_memory request_bytes(const std::vector<layer_plan>& plan, std::uint64_t context);

// Growth of the cache per token over all layers, windows and states left out.
double cache_bytes_per_token(const std::vector<layer_plan>& plan);

}  // namespace scribeline::plan
