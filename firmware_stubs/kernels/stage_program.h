// Turns the operations of a pipeline stage into launch descriptors for a wafer.
//
// Layout of the work. A dense product of `inputs` x `outputs` on a region of C x R cores splits its inputs along one
// axis and its outputs along the other; every core multiplies its tile, and the partial sums are all-reduced along
// the input axis. The result is then split along the other axis and replicated along the first, which is what the
// next product needs with the axes swapped, so a chain of products needs no transposition. Products that do not
// depend on each other (query and latent projections, gate and up) share one all-reduce.
// One matrix per head (`copies` > 1): heads lie in bands along the input axis, sums run inside a band, and a
// broadcast makes the results known to the whole line.
// Attention: the cache is split by element along one axis and by position along the other; with several bands each
// band holds all elements of its own positions, which makes the sums over elements shorter and those over positions
// longer. Scores are summed over elements. Each core then weighs its values with its own sum of exponentials, scaled to
// the maximum over all positions, so that values and sums travel together (as in flash decoding).
// Experts: a pass is multicast over the block, each group of cores multiplies for the experts it holds, one
// token-expert pair after the other, and the results are summed on the way back to the region. Shared experts are
// dealt to groups like routed ones.
//
// Not modelled: overlap of communication and computation; the transposition of the residual stream, which runs
// beside the first projection.
//
// Operations without a kernel here (recurrences, convolutions, sparse indices, compressors) throw
// base::bad_input naming the operation and the layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware_stubs/kernels/stage_map.h"
#include "firmware_stubs/plan/operation.h"
#include "rtl_tlm/base/units.h"
#include "rtl_tlm/wafer/descriptor.h"

namespace scribeline::kernels {

// What routing the stage needs, if it has experts.
struct expert_layout {
  std::uint32_t routed = 0;
  std::uint32_t shared = 0;  // as many routed experts as the shared ones are in work, rounded up
  std::uint32_t top_k = 0;
  explicit operator bool() const { return routed != 0; }
};

// SRAM the stage takes, on top of code.
struct stage_memory {
  base::bytes region_weights{0};    // spread over the region
  base::bytes block_weights{0};     // spread over the block: experts, padded to equal groups
  base::bytes buffers_per_core{0};  // of the region: activations in flight
};

struct stage_program {
  std::vector<wafer::descriptor> descriptors;
  std::vector<std::string> operations;  // names, by descriptor::operation
  expert_layout experts;
  stage_memory memory;
};

expert_layout experts_of(const plan::layer_plan& layer);

// `most_tokens` is the largest pass the stage must buffer.
stage_program compile(const plan::layer_plan& layer, const stage_map& map, std::uint64_t most_tokens);

}  // namespace scribeline::kernels
