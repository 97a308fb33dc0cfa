// The code that cores run for a vector descriptor: its number in descriptor::routine, and what the argument says.
//
// Each is a list of vector operations (core_work.h); the closed forms of a launch know extents only.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/wafer/kernel_timing.h"

namespace scribeline::kernels {

enum class routine : std::uint16_t {
  sweep = 0,               // one operation again and again, over all extents
  product_over_a,          // multiply-adds summed over extent a, of a matrix a x b and the tokens
  product_over_b,          // scores: summed over b, of a queries for every token and the positions
  product_over_positions,  // weighed values: summed over positions, of a queries for every token and b elements
  packed_product_4,        // as product_over_a, weights of 4 bit; argument: inputs that share a scale, 0 = all
  packed_product_8,        // the same of up to 8 bit
  copy,                    // what follows works on extent a, element by element
  add,
  mix,           // multiply, add
  scale,         // of a product by the root of a norm
  norm_squares,  // argument: vectors on the core
  norm_scale,    // the same
  rotary,        // the same
  gate,
  softmax_maximum,      // scale, mask, maximum over positions
  softmax_exponential,  // subtract, exponentiate, sum over positions
  softmax_division,     // argument: queries
  index_weigh,          // cut at zero, weigh, add
  index_count,          // compare, count
  rank,                 // of a core's share of a scores; argument: the share
  rank_division,        // of that share
  best_score,           // of a scores, and its number
  pool,                 // running softmax of an unfinished cache entry
};

// For people: "product_over_a 35 x 28, 4 tokens"; "all_reduce of 18 words on 424".
std::string describe(const wafer::descriptor& d, const wafer::scaled_extents& extents);

}  // namespace scribeline::kernels
