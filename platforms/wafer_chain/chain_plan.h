// Which stage of a model runs where on a chain of wafers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware_stubs/kernels/stage_search.h"
#include "firmware_stubs/plan/make_plan.h"
#include "platforms/wafer_chain/chain_config.h"
#include "rtl_tlm/memory/core_region.h"

namespace scribeline::platforms {

struct stage_site {
  plan::layer_plan layer;
  std::size_t wafer = 0;
  std::uint32_t bank = 0;        // stage of that wafer
  memory::core_rectangle block;  // on the wafer
  kernels::placed_stage placed;
  std::int64_t hops_to_next = 0;  // between its block and that of the next stage of the wafer; 0 for the last

  // In the middle of the block.
  memory::core_rectangle region() const;
};

struct chain_plan {
  std::vector<stage_site> stages;  // in pipeline order
  std::size_t wafers = 0;
  std::int64_t layers_per_wafer = 0;  // what "fit" came to

  std::vector<std::size_t> stages_of(std::size_t wafer) const;
};

// Cuts the model into stages and gives each a block; behind the head comes the stage that makes drafts, if the chain
// has one. Wafers that host several stages are cut into blocks in proportion to the bytes of weights and cache. Equal
// layers on equal blocks are placed once. Stages that do not fit are placed all the same: reserving their memory tells
// what is missing (chain_memory.h). Throws base::bad_input for a drafter the model does not have, and for more stages
// on a wafer than its cores can be cut for.
chain_plan plan_chain(const chain_config& config);

// What the largest message between stages of different wafers, or to and from the host, is made of.
struct largest_message {
  std::string stage;  // that sends it
  std::uint64_t tokens = 0;
  std::uint64_t bytes_per_token = 0;

  std::int64_t bytes() const { return static_cast<std::int64_t>(tokens * bytes_per_token); }
};
largest_message largest_message_of(const chain_config& config, const chain_plan& plan);

// Bytes of one token's activations, or of its number, that leave the stage.
std::uint64_t output_bytes_per_token(const chain_plan& plan, std::size_t stage);

}  // namespace scribeline::platforms
