// What a wafer chain is built from.
#pragma once

#include <cstdint>

#include "firmware_stubs/model/model_spec.h"
#include "firmware_stubs/serving/serving_host.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::platforms {

struct chain_config {
  model::model_spec model;
  wafer::wafer_config wafer;
  link::link_config link;                         // every link of the chain, the host's included
  std::int64_t layers_per_wafer = 1;              // 0: as many as fit
  bool embedding_and_head_beside_layers = false;  // false: a wafer each
  double interrupt_latency_ns = 200;              // assumption: from the line to the first instruction of the handler
  serving::workload load;

  // Requests that run at the same time, for planning the cache.
  std::uint64_t concurrent_requests() const;
  std::uint64_t longest_context() const { return load.prompt_tokens + load.output_tokens; }
  // Tokens of the largest pass: a chunk of the prompt, or a token with its drafts.
  std::uint64_t most_tokens_per_pass() const;
};

}  // namespace scribeline::platforms
