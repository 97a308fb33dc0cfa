// Collectives on folded rings.
#pragma once

#include "firmware_stubs/collectives/folded_ring.h"
#include "firmware_stubs/collectives/phase.h"

namespace scribeline::collectives {

// All-reduce in 2 (P - 1) steps of P-th parts: first every rank collects the sum of one part (reduce-scatter), then the
// parts go round (all-gather). Optimal in words per link, at the price of 2 (P - 1) latencies. The elements must divide
// by the length of the lines, and a part must fill whole words. Both next tasks follow when a core has all parts.
void add_ring_all_reduce(const phase& in, const lines& on, const vector_spec& v);

// All-to-all in P - 1 steps: every core sends a chunk of `chunk` to every core of its line. Chunks are addressed by
// distance on the ring, d = 1..P-1: the one for the core d ranks further at v.address + d * bytes, the one that came
// from the core d ranks before at result_address + d * bytes. Step d moves P - d chunks; they are staged in two buffers
// of P chunks at staging_address.
struct all_to_all_spec {
  vector_spec chunk;  // whole words
  int staging_address = 0;
  int result_address = 0;
};
void add_all_to_all(const phase& in, const lines& on, const all_to_all_spec& spec);

}  // namespace scribeline::collectives
