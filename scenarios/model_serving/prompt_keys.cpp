#include "scenarios/model_serving/prompt_keys.h"

#include <fmt/format.h>

namespace scribeline::scenarios {

void declare_prompt_keys(harness::key_table& keys, std::uint64_t& prompt_tokens, std::uint64_t& cached_tokens,
                         std::uint64_t& output_tokens, const std::string& how_cached) {
  keys.add("workload.prompt_tokens", prompt_tokens).unit("tokens").range(1, 1e9).meaning("of every request");
  keys.add("workload.cached_tokens", cached_tokens)
      .unit("tokens")
      .range(0, 1e9)
      .must([&] { return cached_tokens < prompt_tokens; }, "be less than workload.prompt_tokens")
      .meaning(fmt::format("of the prompt, cached before the request arrives ({})", how_cached));
  keys.add("workload.output_tokens", output_tokens).unit("tokens").range(1, 1e9).meaning("of every request");
}

}  // namespace scribeline::scenarios
