// What an operation costs: multiply-accumulates and bytes for new tokens of one request.
#pragma once

#include <cstdint>

#include "firmware_stubs/plan/operation.h"

namespace scribeline::plan {

struct work {
  double macs = 0;                   // multiply-accumulates of products, attention, convolutions, recurrences
  base::bytes weight_bytes_read{0};  // each weight used is read once
  base::bytes cache_bytes_read{0};   // each cache entry or state needed is read once: a lower bound
  base::bytes cache_bytes_written{0};

  work& operator+=(const work& other);
};

// `tokens` consecutive tokens of one request that has `context` positions already: token i (from 0) sees itself
// and the context + i positions before it, as far as the operation reaches. tokens = 1 is a decode step; more
// is a prefill chunk or a verified draft. Elementwise operations have no macs: their size is in the operation.
work work_of(const operation& op, std::uint64_t tokens, std::uint64_t context);
work work_of(const layer_plan& layer, std::uint64_t tokens, std::uint64_t context);

// Copies (experts) that at least one of `tokens` tokens uses, expected when every choice of active_copies of
// copies is equally likely and tokens choose independently. Exactly active_copies for one token.
double expected_active_copies(const operation& op, std::uint64_t tokens);

// Cache entries seen by the tokens of a call, summed over them (the quadratic part of a chunk).
std::uint64_t visible_entries(const operation& op, std::uint64_t tokens, std::uint64_t context);

}  // namespace scribeline::plan
