// The control window of a wafer, shared by the hardware model and the firmware that drives it.
//
// A wafer offers one bank of registers per pipeline stage it hosts, so that the firmware threads of its stages do
// not share state: bank b starts at control_base + b * bank_bytes. Behind the banks lies the descriptor memory
// for launch descriptors (descriptor.h). Registers are 64 bits wide; see base/register_file.h for the access rules.
// What all chips share is in control/.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rtl_tlm/base/register_file.h"
#include "rtl_tlm/control/common_registers.h"

namespace scribeline::wafer {

using control::control_base;  // per-core SRAM (memory/sram_address.h) never uses this bit
using control::descriptor_memory_base;
using control::status_text;
inline constexpr std::uint32_t bank_bytes = 0x1000;

// What the ID register reads: "WAFR".
inline constexpr std::uint64_t chip_id = 0x57414652;
inline constexpr std::uint64_t register_map_version = 2;

namespace reg {
using namespace control::reg;
inline constexpr std::uint32_t stage = 0x018;
// The message at the head of the receive queue.
inline constexpr std::uint32_t rx_count = 0x100, rx_request = 0x108, rx_tokens = 0x110, rx_context = 0x118,
                               rx_flags = 0x120, rx_bytes = 0x128;
// Arguments of a launch, doorbell last: one burst writes them all.
inline constexpr std::uint32_t launch_descriptor = 0x200, launch_count = 0x208, launch_tokens = 0x210,
                               launch_context = 0x218, launch_expert_load = 0x220, launch_expert_matrices = 0x228,
                               launch_doorbell = 0x230;
// Hands the head of the receive queue on to the next stage with a new size.
inline constexpr std::uint32_t tx_bytes = 0x300, tx_flags = 0x308, tx_doorbell = 0x310;
// Performance counters, since reset, besides those of every chip.
inline constexpr std::uint32_t count_fabric_cycles = 0x410, count_compute_cycles = 0x418, count_sram_cycles = 0x420,
                               count_macs = 0x428, count_sram_bytes = 0x430, count_word_hops = 0x438;
}  // namespace reg

// Bits of irq_claim and irq_mask.
namespace irq {
inline constexpr std::uint64_t message_arrived = 1;  // a message entered the receive queue
inline constexpr std::uint64_t launch_done = 2;
inline constexpr std::uint64_t error = 4;  // a doorbell was refused: the reason is in status
}  // namespace irq

// launch_while_running is also what a message sent on during a launch gets.
namespace status_code = control::status_code;

// Bits of rx_flags / tx_flags, carried with the message from the host.
namespace message_flag {
inline constexpr std::uint64_t prefill = 1;     // a chunk of a prompt
inline constexpr std::uint64_t emits = 2;       // the last stage turns this message into output tokens
inline constexpr std::uint64_t last_chunk = 4;  // the chunk that completes a prompt
}  // namespace message_flag

inline const std::vector<base::register_spec>& register_map() {
  using base::register_access;
  static const std::vector<base::register_spec> map = {
      {reg::id, "ID", register_access::read_only, chip_id, "reads 0x57414652, \"WAFR\""},
      {reg::version, "VERSION", register_access::read_only, register_map_version, "version of this map"},
      {reg::capability, "CAPABILITY", register_access::read_only, 0, "program rectangle: columns << 32 | rows"},
      {reg::stage, "STAGE", register_access::read_only, 0, "index of the pipeline stage this bank serves"},
      {reg::irq_claim, "IRQ_CLAIM", register_access::read_to_clear, 0, "interrupt causes; reading clears them"},
      {reg::irq_mask, "IRQ_MASK", register_access::read_write, 0, "causes that raise the interrupt line"},
      {reg::status, "STATUS", register_access::read_only, 0, "idle, running, or why a doorbell was refused"},
      {reg::rx_count, "RX_COUNT", register_access::read_only, 0, "messages waiting"},
      {reg::rx_request, "RX_REQUEST", register_access::read_only, 0, "head message: request number"},
      {reg::rx_tokens, "RX_TOKENS", register_access::read_only, 0, "head message: tokens in it"},
      {reg::rx_context, "RX_CONTEXT", register_access::read_only, 0, "head message: positions cached before it"},
      {reg::rx_flags, "RX_FLAGS", register_access::read_only, 0, "head message: prefill, emits, last chunk"},
      {reg::rx_bytes, "RX_BYTES", register_access::read_only, 0, "head message: activation bytes"},
      {reg::launch_descriptor, "LAUNCH_DESCRIPTOR", register_access::read_write, 0, "index of the first descriptor"},
      {reg::launch_count, "LAUNCH_COUNT", register_access::read_write, 0, "number of descriptors"},
      {reg::launch_tokens, "LAUNCH_TOKENS", register_access::read_write, 0, "tokens in this pass"},
      {reg::launch_context, "LAUNCH_CONTEXT", register_access::read_write, 0, "positions cached before this pass"},
      {reg::launch_expert_load, "LAUNCH_EXPERT_LOAD", register_access::read_write, 1,
       "token-expert pairs in the busiest expert group"},
      {reg::launch_expert_matrices, "LAUNCH_EXPERT_MATRICES", register_access::read_write, 0,
       "weight matrices that group expands; 0 = one for each pair"},
      {reg::launch_doorbell, "LAUNCH_DOORBELL", register_access::write_only, 0, "starts the launch"},
      {reg::tx_bytes, "TX_BYTES", register_access::read_write, 0, "activation bytes to send on"},
      {reg::tx_flags, "TX_FLAGS", register_access::read_write, 0, "flags to send on"},
      {reg::tx_doorbell, "TX_DOORBELL", register_access::write_only, 0,
       "sends the head message on and frees its buffer"},
      {reg::count_launches, "COUNT_LAUNCHES", register_access::read_only, 0, "launches completed"},
      {reg::count_busy_ps, "COUNT_BUSY_PS", register_access::read_only, 0, "picoseconds spent in launches"},
      {reg::count_fabric_cycles, "COUNT_FABRIC_CYCLES", register_access::read_only, 0, "cycles bound by the fabric"},
      {reg::count_compute_cycles, "COUNT_COMPUTE_CYCLES", register_access::read_only, 0,
       "cycles bound by the vector units"},
      {reg::count_sram_cycles, "COUNT_SRAM_CYCLES", register_access::read_only, 0, "cycles bound by SRAM ports"},
      {reg::count_macs, "COUNT_MACS", register_access::read_only, 0, "multiply-accumulates"},
      {reg::count_sram_bytes, "COUNT_SRAM_BYTES", register_access::read_only, 0, "bytes read and written in SRAM"},
      {reg::count_word_hops, "COUNT_WORD_HOPS", register_access::read_only, 0, "32-bit words times hops"},
  };
  return map;
}

// The name of a register by its offset in a bank, "" if there is none.
inline std::string_view register_name(std::uint64_t offset) {
  return base::register_name(register_map(), offset);
}

}  // namespace scribeline::wafer
