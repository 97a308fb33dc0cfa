// Closed forms of the all-to-all of a mixture of experts: tokens to the ranks of their experts, results back.
//
// A token crosses the network once per rank that holds one of its experts, however many it holds there, and not at all
// for its own rank: `copies` counts these through the busiest port (expert_routing.h). With n ranks:
//
//   prepare   prepare_start + tokens x prepare_per_token        counts and offsets, where the library needs them
//   dispatch  dispatch_start + log2(n) x per_doubling + L + copies x bytes / B
//   combine   the same with its own constants; 4-bit results cost low_precision_ns_per_token more
//
// Which of a chip's two libraries: the one whose prepare, dispatch and combine take less, each with half of the bytes
// of the round trip; so dispatch and combine agree.
#pragma once

#include <cstdint>

#include "rtl_tlm/accelerator/accelerator_config.h"

namespace scribeline::network_collectives {

struct token_load {
  std::int64_t ranks = 1;
  double tokens = 0;            // of one rank
  double bytes = 0;             // of the operation, through the busiest port
  double round_trip_bytes = 0;  // of dispatch and combine together
  bool low_precision = false;
};

double prepare_ns(const accelerator::token_exchange_config& library, const token_load& load);
double dispatch_ns(const accelerator::scale_up_config& network, const accelerator::token_exchange_config& library,
                   const token_load& load);
double combine_ns(const accelerator::scale_up_config& network, const accelerator::token_exchange_config& library,
                  const token_load& load);

// Throws std::logic_error when the chip has none.
const accelerator::token_exchange_config& fastest_library(const accelerator::scale_up_config& network,
                                                          const token_load& load);

// Copies of a token that cross the network when its `top_k` experts lie on as many different ranks as there are and
// its own rank is as likely as any other: the balanced routing of the published measurements.
double balanced_copies(std::int64_t ranks, std::int64_t top_k);

}  // namespace scribeline::network_collectives
