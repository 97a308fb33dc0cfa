// The best experts of a token, on one core that knows all scores: a softmax over the chosen ones, zero elsewhere.
//
// A program cannot branch on data, so every choice is three operations over all scores: the maximum, where it lies, and
// out of the race with it.
#pragma once

#include <vector>

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::kernels {

// Byte addresses; one element per expert unless noted.
struct expert_choice {
  int experts = 1;
  int chosen = 1;
  int scores = 0;
  int weights = 0;  // the result
  int rest = 0;     // scratch
  int hit = 0;      // scratch
  int best = 0;     // scratch: 3 elements
  fabric::element_type type = fabric::element_type::fp16;
};

void add_expert_choice(std::vector<fabric::instruction>& body, const expert_choice& choice);

}  // namespace scribeline::kernels
