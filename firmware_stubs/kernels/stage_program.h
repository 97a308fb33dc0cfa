// Turns the operations of a pipeline stage into launch descriptors for a wafer.
//
// Layout of the work. A dense product of `inputs` x `outputs` on a region of C x R cores splits its inputs along one
// axis and its outputs along the other; every core multiplies its tile, and the partial sums are all-reduced along
// the input axis. The result is then split along the other axis and replicated along the first, which is what the
// next product needs with the axes swapped, so a chain of products needs no transposition. Products that do not
// depend on each other (query and latent projections, gate and up) share one all-reduce. A norm before a product
// adds its sum of squares to what the product sums: weights hold the norm's, and the outputs are scaled by its root
// afterwards, which spares an all-reduce. Scores of a router and mixing
// weights of residual streams are broadcast so that every line knows all of them; the cores of a line then share the
// ranking of the experts.
// One matrix per head (`copies` > 1): heads lie in bands along the input axis, sums run inside a band, and a
// broadcast makes the results known to the whole line. Norms of each head sum inside its band.
// Prompts: the tokens of a long pass go through a product in rounds of `token_tile`, so that the pipeline of an
// all-reduce is filled once and vector operations run along tokens. Between two operations they lie spread over the
// whole region: what an all-reduce broadcasts is broadcast when the next operation asks for it. Element-wise work,
// norms and softmaxes are done there, each core for its tokens, instead of by all cores that hold the same. Attention:
// the cache is split by element along one axis and by position along the other; with several bands each band holds all
// elements of its own positions, which makes the sums over elements shorter and those over positions longer. Scores are
// summed over elements. Each core then weighs its values with its own sum of exponentials, scaled to the maximum over
// all positions, so that values and sums travel together (as in flash decoding). Two kinds of entries of one softmax
// (window and compressed) share the sums over positions. A sparse index scores its keys in the same layout and finds
// the limit of its best entries in four rounds of 16-bin histograms; the picked entries lie where they are cached, so
// the core with most of them sets the time. Recurrences: heads lie in a grid over both axes, each with its keys along
// columns and its values along rows of its cell, or the other way round. A token reads its head's state once, sums over
// one of its sides (what the state holds for key and query travel together), and writes it back. Chunks use the
// chunk-wise form: one exchange for all tokens. Short convolutions and unfinished compressor entries live where the
// all-reduce before them has its roots. Experts: a pass is multicast along the rows of the block, then along its
// columns; each group of cores multiplies for the experts it holds, one token-expert pair after the other. Results are
// summed over the groups along columns, then along rows, each slice of the result in columns and rows of its own.
// Packed weights are expanded once for all pairs of an expert in a round. Shared experts are cut along their width into
// a slice for every group, which does it for every token.
//
// Not modelled: overlap of communication and computation; the transposition of the residual stream, which runs
// beside the first projection, and the shift of slices between lines of a group and lines of the region; the additional
// products inside a chunk of a recurrence; the time it takes to go back to the state before a draft that was not
// accepted.
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
  std::uint32_t top_k = 0;
  explicit operator bool() const { return routed != 0; }
};

// SRAM the stage takes, on top of code.
struct stage_memory {
  base::bytes region_weights{0};    // spread over the region
  base::bytes block_weights{0};     // spread over the block: experts, padded to equal groups
  base::bytes padding{0};           // of block_weights, places for experts that do not exist
  base::bytes buffers_per_core{0};  // of the region: activations in flight
};

struct stage_program {
  std::vector<wafer::descriptor> descriptors;
  std::vector<std::string> operations;  // names, by descriptor::operation
  // The product with the vocabulary and what follows it: needed only for tokens that are sampled.
  std::size_t first_logit_descriptor = 0;  // the number of descriptors when there is none
  expert_layout experts;
  stage_memory memory;
};

expert_layout experts_of(const plan::layer_plan& layer);

// `most_tokens` is the largest pass the stage must buffer.
stage_program compile(const plan::layer_plan& layer, const stage_map& map, std::uint64_t most_tokens);

}  // namespace scribeline::kernels
