// What travels through the pipeline of a rack: one pass of a batch, the same on every replica of a group.
#pragma once

#include <cstdint>

namespace scribeline::batch_serving {

struct batch_pass {
  std::uint64_t first_request = 0;  // on each replica: requests first_request .. + sequences - 1
  std::uint64_t sequences = 1;      // of each replica
  std::uint64_t tokens = 1;         // of each replica, all sequences together
  std::uint64_t context = 0;        // positions cached before, of each sequence
  bool prefill = false;
  bool emits = false;  // brings every sequence a token

  // Time accounting on the way, in picoseconds.
  std::uint64_t mark_ps = 0;        // when the current leg began
  std::uint64_t hops_ps = 0;        // between stages, and to and from the host
  std::uint64_t last_stage_ps = 0;  // in the stage it left last
};

}  // namespace scribeline::batch_serving
