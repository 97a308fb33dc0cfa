// Which token comes next: the largest of all logits on a mesh, greedy or by temperature.
//
// The vocabulary is split along the columns in the order of its tokens, and the logits of a column are known to all its
// cores, as a product with the vocabulary leaves them. A 16-bit logit and a 16-bit number behind it make one 32-bit
// word whose order is that of the logits, with the lower number first among equals; so value and index travel together
// through one maximum. One maximum per core finds its token, an all-reduce along the rows the column, a second one
// tells all cores the token.
//
// A core has no source of random numbers. Temperature is a maximum, too (Gumbel-max: the arg-max of logits /
// temperature plus independent Gumbel noise falls on every token with its softmax probability), so the host writes
// noise before the token is chosen.
#pragma once

#include "firmware_stubs/kernels/mesh_machine.h"
#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

// Addresses are bytes; logits are fp16.
struct token_choice {
  // `logits` holds those of a column, the last columns fewer than the others. Throws std::invalid_argument when a
  // column has more than 32,768 tokens, which a 16-bit number cannot count.
  token_choice(int vocabulary, int columns, int logits_address, address_counter& sram);

  // Greedy for a temperature of 0. The logits hold what was compared afterwards.
  std::vector<mesh_kernel> kernels(double temperature) const;

  // What the host writes: counters of tokens and columns once, noise before every token (none for a temperature of 0,
  // so that greedy choices need it once). Tokens that do not exist get noise with which they never win.
  void write_counters(mesh_machine& mesh) const;
  void write_noise(mesh_machine& mesh, double temperature, std::uint64_t seed = 0, std::int64_t position = 0) const;
  // The token that all cores know afterwards.
  int chosen(const mesh_machine& mesh) const;

  int vocabulary;
  int tokens;  // of a column
  int logits;
  int noise;
  int order;         // int16: -1, -2, ...; behind a logit the lower token is the larger number
  int column_order;  // int16: -1 - column
  int first;         // int32: of the column
  int keys;          // scratch
  int turned;        // scratch
  int words;         // scratch
  int best;          // of the core
  int own;
  int winner;
  int token;  // int32: the result, at all cores
};

// -ln(-ln(u)) for a u in (0, 1) that depends on seed, position and token only, however the vocabulary is split.
double gumbel(std::uint64_t seed, std::int64_t position, int token);

}  // namespace scribeline::kernels
