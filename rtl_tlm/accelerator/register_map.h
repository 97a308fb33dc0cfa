// The control window of an accelerator, shared by the hardware model and the firmware that drives it.
//
// Registers are 64 bits wide (see base/register_file.h for the access rules) and start at control_base; behind them
// lies the descriptor memory for launch descriptors (descriptor.h). What all chips share is in control/.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rtl_tlm/base/register_file.h"
#include "rtl_tlm/control/common_registers.h"

namespace scribeline::accelerator {

using control::control_base;
using control::descriptor_memory_base;
using control::status_text;
inline constexpr std::uint32_t control_bytes = 0x1000;
// Assumption: no published figure; a model of a hundred layers on one rank needs 2,000 descriptors.
inline constexpr std::uint64_t descriptor_memory_bytes = 1 << 20;

// What the ID register reads: "ACCL".
inline constexpr std::uint64_t chip_id = 0x4143434c;
inline constexpr std::uint64_t register_map_version = 1;

namespace reg {
using namespace control::reg;
inline constexpr std::uint32_t rank = 0x018;
// Arguments of a launch, doorbell last: one burst writes them all.
inline constexpr std::uint32_t launch_descriptor = 0x200, launch_count = 0x208, launch_tokens = 0x210,
                               launch_sequences = 0x218, launch_context = 0x220, launch_experts = 0x228,
                               launch_pairs = 0x230, launch_mean_experts = 0x238, launch_mean_pairs = 0x240,
                               launch_copies = 0x248, launch_doorbell = 0x250;
// Performance counters, since reset, besides those of every chip.
inline constexpr std::uint32_t count_start_ps = 0x410, count_network_ps = 0x418, count_wait_ps = 0x420,
                               count_macs = 0x428, count_hbm_bytes = 0x430, count_network_bytes = 0x438;
}  // namespace reg

// Bits of irq_claim and irq_mask.
namespace irq {
inline constexpr std::uint64_t launch_done = 1;
inline constexpr std::uint64_t error = 2;  // a doorbell was refused: the reason is in status
}  // namespace irq

namespace status_code = control::status_code;

inline const std::vector<base::register_spec>& register_map() {
  using base::register_access;
  constexpr auto read_only = register_access::read_only;
  constexpr auto read_write = register_access::read_write;
  static const std::vector<base::register_spec> map = {
      {reg::id, "ID", read_only, chip_id, "reads 0x4143434c, \"ACCL\""},
      {reg::version, "VERSION", read_only, register_map_version, "version of this map"},
      {reg::capability, "CAPABILITY", read_only, 0, "slices << 32 | ranks of the scale-up domain"},
      {reg::rank, "RANK", read_only, 0, "rank this chip stands for"},
      {reg::irq_claim, "IRQ_CLAIM", register_access::read_to_clear, 0, "interrupt causes; reading clears them"},
      {reg::irq_mask, "IRQ_MASK", read_write, 0, "causes that raise the interrupt line"},
      {reg::status, "STATUS", read_only, 0, "idle, running, or why a doorbell was refused"},
      {reg::launch_descriptor, "LAUNCH_DESCRIPTOR", read_write, 0, "index of the first descriptor"},
      {reg::launch_count, "LAUNCH_COUNT", read_write, 0, "number of descriptors"},
      {reg::launch_tokens, "LAUNCH_TOKENS", read_write, 0, "tokens of this rank in the pass"},
      {reg::launch_sequences, "LAUNCH_SEQUENCES", read_write, 0, "requests they belong to"},
      {reg::launch_context, "LAUNCH_CONTEXT", read_write, 0, "positions cached before the pass, of each request"},
      {reg::launch_experts, "LAUNCH_EXPERTS", read_write, 1000, "active experts of the busiest rank, in 1/1000"},
      {reg::launch_pairs, "LAUNCH_PAIRS", read_write, 1000, "token-expert pairs of the busiest rank, in 1/1000"},
      {reg::launch_mean_experts, "LAUNCH_MEAN_EXPERTS", read_write, 1000, "active experts of the mean rank, in 1/1000"},
      {reg::launch_mean_pairs, "LAUNCH_MEAN_PAIRS", read_write, 1000, "token-expert pairs of the mean rank, in 1/1000"},
      {reg::launch_copies, "LAUNCH_COPIES", read_write, 0, "token copies through the busiest port, in 1/1000"},
      {reg::launch_doorbell, "LAUNCH_DOORBELL", register_access::write_only, 0, "starts the launch"},
      {reg::count_launches, "COUNT_LAUNCHES", read_only, 0, "launches completed"},
      {reg::count_busy_ps, "COUNT_BUSY_PS", read_only, 0, "picoseconds spent in launches"},
      {reg::count_start_ps, "COUNT_START_PS", read_only, 0, "of them, starts of operations"},
      {reg::count_network_ps, "COUNT_NETWORK_PS", read_only, 0, "of them, exchanges between ranks"},
      {reg::count_wait_ps, "COUNT_WAIT_PS", read_only, 0, "of them, waiting for the busiest rank"},
      {reg::count_macs, "COUNT_MACS", read_only, 0, "multiply-accumulates"},
      {reg::count_hbm_bytes, "COUNT_HBM_BYTES", read_only, 0, "bytes read and written in HBM"},
      {reg::count_network_bytes, "COUNT_NETWORK_BYTES", read_only, 0, "payload bytes sent to other ranks"},
  };
  return map;
}

// The name of a register by its offset, "" if there is none.
inline std::string_view register_name(std::uint64_t offset) {
  return base::register_name(register_map(), offset);
}

}  // namespace scribeline::accelerator
