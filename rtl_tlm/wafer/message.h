// What travels between pipeline stages: one pass of one request, with its activations.
//
// The activations themselves are only counted (`bytes`); the header is what the receive registers show. It rides
// in the opaque header words of a link message.
#pragma once

#include <array>
#include <cstdint>

namespace scribeline::wafer {

struct pass {
  std::uint64_t request = 0;
  std::uint64_t tokens = 1;   // tokens in this pass
  std::uint64_t context = 0;  // positions cached before it
  std::uint64_t flags = 0;    // message_flag bits of register_map.h
  std::uint64_t bytes = 0;    // activations: the size of the link message

  // Time accounting on the way, in picoseconds. `mark_ps` is when the current leg began.
  std::uint64_t mark_ps = 0;
  std::uint64_t link_ps = 0;        // on off-wafer links, queueing for them included
  std::uint64_t stages_ps = 0;      // in stages: waiting, firmware, launch
  std::uint64_t last_stage_ps = 0;  // the part of stages_ps spent in the stage it left last

  // All but `bytes`.
  using words = std::array<std::uint64_t, 8>;
  words to_words() const { return {request, tokens, context, flags, mark_ps, link_ps, stages_ps, last_stage_ps}; }
  static pass from_words(const words& w, std::uint64_t size) {
    return {w[0], w[1], w[2], w[3], size, w[4], w[5], w[6], w[7]};
  }
};

}  // namespace scribeline::wafer
