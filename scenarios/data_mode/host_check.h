// What the host computes for the tokens that went through the wafers, beside what came back.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware_stubs/tiny_model/tiny_decoder.h"
#include "platforms/data_pipeline/data_host.h"

namespace scribeline::scenarios {

struct checked_step {
  double difference = 0;    // the largest of a logit to the host's; NaN when a logit is none
  int host_choice = 0;      // the host's token behind the same tokens
  double closest_call = 0;  // so far, see tiny_block
};

// The token of the largest logit, the first among equals.
int greedy(const std::vector<std::uint8_t>& fp16_logits);

// Steps in order, from position 0.
std::vector<checked_step> check_on_host(const tiny_model::tiny_decoder_spec& spec,
                                        const std::vector<platforms::host_step>& steps);

// 64 bits that stand for every bit of every logit (FNV-1a), to compare runs with.
std::uint64_t fingerprint(const std::vector<platforms::host_step>& steps);

}  // namespace scribeline::scenarios
