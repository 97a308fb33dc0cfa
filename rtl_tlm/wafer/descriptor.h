// Launch descriptors: how firmware tells a wafer what a stage's cores do.
//
// A launch runs a list of descriptors one after the other. Each is either vector work that every core of a region
// does on its own, or communication along the lines of that region. Sizes that depend on the launch (tokens in the
// pass, cached positions, how loaded the busiest expert group is) are scaled by the wafer from the launch
// arguments, so that the list is written once, at boot.
//
// 64 bytes in descriptor memory, little endian, no padding.
#pragma once

#include <cstdint>
#include <type_traits>

namespace scribeline::wafer {

enum class opcode : std::uint8_t {
  vector = 1,      // extent_a x extent_b (x positions) element operations per core, longest extent innermost
  reduce = 2,      // `elements` per line summed over `line` cores, best known pattern
  broadcast = 3,   // `elements` per line from one core to `line` cores
  all_reduce = 4,  // reduce, then broadcast back
  transfer = 5,    // `elements` per line moved over `line` hops
};

enum class arithmetic : std::uint8_t {
  fma_fp16 = 1,
  fma_fp32 = 2,
  copy_fp16 = 3,         // moves, adds, element-wise maps: one 16-bit element in, one out
  dequant_fma_fp16 = 4,  // weights below 16 bits: expand and scale, then multiply-accumulate
};

// What an extent is multiplied by at launch.
namespace scale {
inline constexpr std::uint8_t none = 0;
inline constexpr std::uint8_t tokens = 1;       // times the tokens in this pass
inline constexpr std::uint8_t expert_load = 2;  // times the token-expert pairs of the busiest group
inline constexpr std::uint8_t positions = 4;    // times ceil(positions attended to / positions_divisor)
}  // namespace scale

struct descriptor {
  opcode op = opcode::vector;
  arithmetic work = arithmetic::fma_fp16;
  std::uint8_t scaled_by = scale::none;
  std::uint8_t element_bytes = 2;  // of what travels: 2 = two elements per 32-bit word
  std::uint32_t operation = 0;     // index of the operation in the stage's plan, for attribution
  std::uint32_t line = 1;          // cores on a line (collectives) or hops (transfer)
  std::uint32_t lines = 1;         // lines doing the same side by side
  std::uint32_t elements = 0;      // communication: elements per line before scaling
  // Vector: extents per core before scaling. Reduce: extent_a hops from a core of the line to the next; when that is
  // more than one, chains from both ends meet in the middle of the line.
  std::uint32_t extent_a = 1;
  std::uint32_t extent_b = 1;            //
  std::uint32_t cores = 1;               // vector: cores at work
  std::uint32_t positions_divisor = 1;   // cores among which cached positions are spread
  std::uint32_t positions_limit = 0;     // sliding window or sparse selection; 0 = every position
  std::uint32_t operand_millibytes = 0;  // vector: SRAM traffic per element operation, in 1/1000 byte
  // Scaled by expert_load: token-expert pairs one token makes in all groups together. The busiest group sets the
  // time, every pair costs energy; `cores` and `lines` are then those of one group. 0 = as many as the load.
  std::uint32_t pairs_per_token = 0;
  // Scaled by tokens: a core holds the operands of so many tokens at once, longer passes go in rounds. 0 = all.
  std::uint32_t token_tile = 0;
  // Scaled by tokens: so many cores, or lines, with the same data share the tokens of a pass.
  std::uint32_t token_divisor = 1;
  // Vector: 1 = the tokens of a round lengthen extent_a, because one operand serves all of both.
  std::uint32_t tokens_join_a = 0;
  // Vector: which code the cores run, and a number for it. Firmware knows them, and what simulates kernels
  // (kernel_timing.h); the closed forms need the extents only. 0: multiply-adds or copies over the extents.
  std::uint16_t routine = 0;
  std::uint16_t routine_argument = 0;
};

static_assert(sizeof(descriptor) == 64 && std::is_trivially_copyable_v<descriptor>);

// What a launch is given besides its descriptors.
struct launch_arguments {
  std::uint64_t tokens = 1;
  std::uint64_t context = 0;  // positions cached before this pass
  std::uint64_t expert_load = 1;
  // Weight matrices the busiest group expands for its pairs: one for each of its experts that has a pair, and once
  // more for every further round of their tokens. 0 = as many as there are pairs.
  std::uint64_t expert_matrices = 0;
};

}  // namespace scribeline::wafer
