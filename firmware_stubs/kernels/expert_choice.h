// The best experts of a token, on cores that know all scores: a softmax over the chosen ones, zero elsewhere.
//
// A program cannot branch on data. One core that chooses for itself takes three operations over all scores for every
// choice: the maximum, where it lies, and out of the race with it. On a line of cores each ranks its share of the
// experts instead, two operations each, and the line adds up the sum of the softmax.
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

// A core's share of the experts. Scores that tie with the last chosen one are chosen, too.
struct expert_rank {
  int experts = 1;
  int chosen = 1;
  int own = 1;  // experts that this core ranks
  int scores = 0;
  fabric::affine own_scores;  // where its own are among them
  int weights = 0;            // the result: e^(score - best score) of the chosen ones, not yet divided by their sum
  int sum = 0;                // of these weights: one element
  int hit = 0;                // scratch: experts
  int count = 0;              // scratch: own
  int best = 0;               // scratch: 1 element
  fabric::element_type type = fabric::element_type::fp16;
};
void add_expert_rank(std::vector<fabric::instruction>& body, const expert_rank& rank);

// The weights divided by the sum of all cores.
void add_rank_division(std::vector<fabric::instruction>& body, const expert_rank& rank);

}  // namespace scribeline::kernels
