// One user request and the moments of its life. Times are picoseconds of simulated time.
#pragma once

#include <cstdint>
#include <vector>

namespace scribeline::serving {

struct request {
  std::uint64_t id = 0;
  std::uint64_t prompt_tokens = 1;
  std::uint64_t cached_tokens = 0;  // of the prompt, already in the cache when it arrives
  std::uint64_t output_tokens = 1;
};

// What the host saw of a request.
struct request_record {
  request what;
  std::uint64_t arrival_ps = 0;
  std::uint64_t started_ps = 0;      // first chunk left the host
  std::uint64_t first_token_ps = 0;  // at the host
  std::uint64_t last_token_ps = 0;
  std::uint64_t emitted = 0;
  std::uint64_t passes = 0;  // decode passes; fewer than tokens with speculation

  // Parts of the time to first token besides the queue.
  std::uint64_t transfer_ps = 0;      // off-wafer links on the way of the chunk that completed the prompt
  std::uint64_t first_decode_ps = 0;  // last stage: logits and sampling of the first token

  bool finished() const { return emitted == what.output_tokens; }
  std::uint64_t ttft_ps() const { return first_token_ps - arrival_ps; }
  std::uint64_t queue_ps() const { return started_ps - arrival_ps; }
  std::uint64_t prefill_ps() const { return ttft_ps() - queue_ps() - transfer_ps - first_decode_ps; }
  std::uint64_t latency_ps() const { return last_token_ps - arrival_ps; }
  // Time per output token after the first; 0 for requests of one token.
  double tpot_ps() const {
    if (emitted < 2) return 0;
    return static_cast<double>(last_token_ps - first_token_ps) / static_cast<double>(emitted - 1);
  }
};

}  // namespace scribeline::serving
