// The best k of scores that are spread over lines of cores.
//
// Scores of 16 bit become integers of the same order. Four rounds of histograms narrow the limit that k of them reach
// by 4 bits each: every core counts its scores at or above 15 limits, the counts are all-reduced, and every core takes
// the highest limit that at least k reach. After the last round the limit is the k-th best score, exactly. Scores that
// tie with it are all chosen; where there are no k scores, all of them are.
#pragma once

#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

// Addresses are bytes.
struct top_k_search {
  // Of a core: `scores` elements of type fp16 or bf16, others throw std::invalid_argument; at most 32767.
  top_k_search(int scores, int chosen, fabric::element_type type, address_counter& sram);

  // Of the scores at `address`, which become integers; lines are rows or columns, each searches for itself.
  std::vector<mesh_kernel> kernels(int address, collectives::axis along) const;
  // After them: masks of an attention, to = chosen ? mask : nothing_here.
  void add_mask(std::vector<fabric::instruction>& body, int scores_address, int mask, int to) const;

  int elements;
  int best;  // k
  fabric::element_type type;
  int hit;     // per element: 1 if at or above a limit
  int limits;  // of the histogram, 16 bit
  int counts;  // of the histogram, 32 bit
  int steps;   // 32 bit: how many of the limits k scores reach
  int limit;   // 16 bit

 private:
  void add_integers(std::vector<fabric::instruction>& body, int address) const;
  mesh_kernel round(int address, int step, collectives::axis along) const;
};

}  // namespace scribeline::kernels
