// From the layers of a pipeline stage to the launch descriptors of one of its ranks.
//
// Products that do not depend on each other and lie next to each other in the plan are one descriptor. A norm at the
// start of half a layer is an operation of its own; other elementwise work is done by the product before or after it
// and costs nothing here. Exchanges: an all-reduce where a half of a layer leaves partial sums, dispatch and combine
// where tokens travel to experts, an all-gather of the best candidates of each rank's share of the vocabulary.
// Only logits of the last token of a sequence are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware_stubs/accelerator_kernels/parallelism.h"
#include "firmware_stubs/plan/operation.h"
#include "rtl_tlm/accelerator/descriptor.h"

namespace scribeline::accelerator_kernels {

// Of all layers of a model that have experts.
struct expert_shape {
  std::uint32_t experts = 0;
  std::uint32_t top_k = 0;
};

struct exchange_formats {
  int dispatch_bits = 16;  // of an element on the way to experts
  int combine_bits = 16;   // and back: 16, or 4 where the library quantises
};

struct named_operation {
  std::string layer;  // "layer 17"
  std::string name;   // "q_b_proj", "attention_all_reduce"
};

struct rank_program {
  std::vector<accelerator::descriptor> descriptors;
  std::vector<named_operation> operations;  // by the descriptors' operation
  std::optional<expert_shape> experts;
};

// Throws base::bad_input for operations without a kernel, for shapes a descriptor cannot hold, and for layers with
// different numbers of experts.
rank_program make_rank_program(const std::vector<plan::layer_plan>& layers, const parallelism& p,
                               const exchange_formats& formats);

}  // namespace scribeline::accelerator_kernels
