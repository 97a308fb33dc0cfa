// A cache that stays in order and in balance, as WaferLLM's KV cache shift keeps it (OSDI'25, arXiv 2502.04563).
//
// Every row holds a run of positions, the first row the oldest ones, and of n positions the rows hold n / rows or one
// more, the last n % rows of them the larger share. A new position enters the last row; the rows that would grow too
// large pass their oldest position to the row above, all at the same time, one hop. In a core a position lies at its
// number modulo the places there, so nothing else moves.
//
// attention.h balances without moving anything, by dealing positions round the rows. Shifting keeps neighbouring
// positions on neighbouring rows, as prefill leaves them and as evicting a range needs them, for one message per token.
#pragma once

#include "firmware_stubs/kernels/attention.h"
#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

// Of `positions`, those in the rows above `row`: the first one that the row holds.
constexpr int first_position(int row, int positions, int rows) {
  const int small_rows = rows - positions % rows;
  return row * (positions / rows) + (row > small_rows ? row - small_rows : 0);
}

// Addresses are bytes.
struct shifting_cache {
  shifting_cache(const attention_slice& slice, int columns, int rows, address_counter& sram);

  // Key and value of the token at `position`, the next one, which begin at `key` and `value`. Marks begin and end as
  // collectives do. Throws std::invalid_argument when the cache is full.
  fabric::program append(const fabric::fabric_chip& chip, int key, int value, int position) const;

  attention_slice slice;
  int columns;
  int rows;
  int outgoing;  // key and value elements: a position on its way
  int incoming;
};

}  // namespace scribeline::kernels
