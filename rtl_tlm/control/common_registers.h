// What the control windows of all chips have in common: their address, the first registers, the values of STATUS.
#pragma once

#include <cstdint>
#include <iterator>

namespace scribeline::control {

// Set in addresses of the control window; memory of a chip never uses this bit.
inline constexpr std::uint64_t control_base = std::uint64_t{1} << 62;
// Plain storage that firmware fills with launch descriptors.
inline constexpr std::uint64_t descriptor_memory_base = control_base + (std::uint64_t{1} << 32);

namespace reg {
inline constexpr std::uint32_t id = 0x000, version = 0x008, capability = 0x010;
inline constexpr std::uint32_t irq_claim = 0x020, irq_mask = 0x028, status = 0x030;
inline constexpr std::uint32_t count_launches = 0x400, count_busy_ps = 0x408;
}  // namespace reg

// Values of status. A reason for refusal stays until the next launch starts.
namespace status_code {
inline constexpr std::uint64_t idle = 0, running = 1, bad_descriptor = 2, launch_while_running = 3, nothing_to_send = 4;
}  // namespace status_code

inline const char* status_text(std::uint64_t status) {
  constexpr const char* texts[] = {"idle", "running", "bad descriptor", "rung during a launch", "nothing to send"};
  return status < std::size(texts) ? texts[status] : "unknown";
}

}  // namespace scribeline::control
