// Keys of a workload whose requests are alike: prompt, what of it is cached, answer.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

// workload.prompt_tokens, cached_tokens and output_tokens. `how_cached` says how a part of the prompt comes to be in
// the cache before the request arrives.
void declare_prompt_keys(harness::key_table& keys, std::uint64_t& prompt_tokens, std::uint64_t& cached_tokens,
                         std::uint64_t& output_tokens, const std::string& how_cached);

}  // namespace scribeline::scenarios
