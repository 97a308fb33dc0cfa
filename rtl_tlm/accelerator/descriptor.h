// Launch descriptors: how firmware tells an accelerator what its part of a model does.
//
// A launch runs a list of descriptors one after the other: products with weights, attention over cached entries,
// elementwise work, and exchanges with the other ranks of its group. Sizes that depend on the launch are scaled by the
// chip from the launch arguments, so that the list is written once, at boot. Everything counts what one rank does.
//
// 64 bytes in descriptor memory, little endian, no padding.
#pragma once

#include <cstdint>
#include <type_traits>

namespace scribeline::accelerator {

enum class opcode : std::uint8_t {
  product = 1,    // weights from HBM times activations
  attention = 2,  // queries against cached entries, or a recurrence over its state
  elementwise = 3,
  all_reduce = 4,      // `input_bytes` per token on every rank, summed
  all_gather = 5,      // `input_bytes` per token after gathering
  reduce_scatter = 6,  // `input_bytes` per token before scattering
  dispatch = 7,        // `input_bytes` per token copy, to the ranks of its experts
  combine = 8,         // `input_bytes` per token copy, back and summed
};
inline bool is_exchange(opcode op) {
  return op >= opcode::all_reduce;
}

// What the work is multiplied by at launch.
enum class scale : std::uint8_t {
  tokens = 1,     // tokens of this rank in the pass
  sequences = 2,  // requests in the pass: one token of each matters (logits)
  experts = 3,    // weights by active experts, work by token-expert pairs of the busiest rank
};

namespace flag {
// The operands in HBM are known before the launch reaches the descriptor: a chip that runs ahead may fetch them.
inline constexpr std::uint8_t known_ahead = 1;
inline constexpr std::uint8_t low_precision = 2;  // combine: results travel in 4 bits
}  // namespace flag

struct descriptor {
  opcode op = opcode::product;
  scale scaled_by = scale::tokens;
  std::uint8_t weight_bits = 16;
  std::uint8_t flags = 0;
  std::uint32_t operation = 0;            // index of the operation in the stage's list, for attribution
  std::uint64_t weight_bytes = 0;         // read from HBM; of one expert when scaled by experts
  std::uint64_t macs_per_token = 0;       // or per token-expert pair
  std::uint64_t macs_per_entry = 0;       // attention: per token and entry seen
  std::uint32_t entry_bytes = 0;          // attention: read per sequence and entry
  std::uint32_t positions_per_entry = 1;  //
  std::uint32_t entry_limit = 0;          // window or sparse selection; 0 = every entry
  std::uint32_t state_bytes = 0;          // read and written per sequence: recurrent state, cache entries appended
  std::uint32_t input_bytes = 0;          // per token: activations broadcast to the slices, or exchanged
  std::uint32_t output_bytes = 0;         // per token: gathered from the slices
  std::uint32_t ranks = 1;                // of an exchange
  std::uint32_t round_trip_bytes = 0;  // dispatch, combine: of both, per token copy: by it the two agree on a library
};

static_assert(sizeof(descriptor) == 64 && std::is_trivially_copyable_v<descriptor>);

// What a launch is given besides its descriptors. Fractions come as parts of 1000.
struct launch_arguments {
  std::uint64_t tokens = 1;     // of this rank
  std::uint64_t sequences = 1;  // they belong to
  std::uint64_t context = 0;    // positions cached before this pass, of each sequence
  // Of the rank with most to do, and of the mean rank.
  std::uint64_t milli_experts = 1000, milli_pairs = 1000;
  std::uint64_t mean_milli_experts = 1000, mean_milli_pairs = 1000;
  // Copies of tokens through the busiest port of an exchange of tokens between experts.
  std::uint64_t milli_copies = 0;
};

}  // namespace scribeline::accelerator
