// What a wafer chain is built from.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware_stubs/model/model_spec.h"
#include "firmware_stubs/plan/sizes.h"
#include "firmware_stubs/serving/serving_host.h"
#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::platforms {

// Who makes the guesses of speculative decoding.
enum class drafter {
  host,    // in workload::draft_latency_ns, as a look-up of the prompt would
  module,  // a multi-token-prediction module behind the head, fed with the model's hidden states
  model,   // a smaller model behind the head, fed with tokens
};

struct chain_config {
  model::model_spec model;
  drafter drafts_by = drafter::host;
  // model: the smaller model. module: a description whose layers are the module; without it, the model's own.
  std::optional<model::model_spec> draft_model;
  wafer::wafer_config wafer;
  link::link_config link;                         // every link of the chain, the host's included
  std::int64_t layers_per_wafer = 1;              // 0: as many as fit
  bool embedding_and_head_beside_layers = false;  // false: a wafer each; a draft stage likewise
  double interrupt_latency_ns = 200;              // assumption: from the line to the first instruction of the handler
  serving::workload load;

  // Requests that run at the same time, for planning the cache.
  std::uint64_t concurrent_requests() const;
  std::uint64_t longest_context() const { return load.prompt_tokens + load.output_tokens; }
  // What a request keeps on a stage. With drafts, recurrent state twice: as it was before the pass, too, because a
  // draft that is not accepted must leave no trace in it.
  plan::request_memory kept_by_request(const plan::layer_plan& layer, std::uint64_t positions) const;
  // The last token and its drafts.
  std::uint64_t tokens_per_decode_pass() const { return load.acceptance.size() + 1; }
  // Tokens of the largest pass: a chunk of the prompt, or a token with its drafts.
  std::uint64_t most_tokens_per_pass() const;
};

}  // namespace scribeline::platforms
