// The firmware's view of an accelerator. Timing and errors: register_window.h.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <array>
#include <cstdint>
#include <vector>

#include "firmware_stubs/hal/register_window.h"
#include "rtl_tlm/accelerator/descriptor.h"
#include "rtl_tlm/accelerator/register_map.h"

namespace scribeline::hal {

template <class Socket>
class accelerator_driver {
 public:
  accelerator_driver(Socket& socket, tlm_utils::tlm_quantumkeeper& keeper)
      : window_(socket, keeper, accelerator::control_base, accelerator::control_bytes, accelerator::register_name) {}

  std::uint64_t read(std::uint32_t offset) { return window_.read(offset); }
  void write(std::uint32_t offset, std::uint64_t value) { window_.write(offset, value); }

  // The interrupt causes since the last call.
  std::uint64_t claim_interrupts() { return read(accelerator::reg::irq_claim); }

  // One burst over LAUNCH_DESCRIPTOR .. LAUNCH_DOORBELL.
  void launch(std::uint64_t first_descriptor, std::uint64_t count, const accelerator::launch_arguments& a) {
    std::array<std::uint64_t, 11> words = {first_descriptor,
                                           count,
                                           a.tokens,
                                           a.sequences,
                                           a.context,
                                           a.milli_experts,
                                           a.milli_pairs,
                                           a.mean_milli_experts,
                                           a.mean_milli_pairs,
                                           a.milli_copies,
                                           1};
    window_.write_burst(accelerator::reg::launch_descriptor, words);
  }

  // Stores descriptors at `first` in descriptor memory, in one burst.
  void write_descriptors(std::uint64_t first, std::vector<accelerator::descriptor>& descriptors) {
    window_.transport(tlm::TLM_WRITE_COMMAND,
                      accelerator::descriptor_memory_base + first * sizeof(accelerator::descriptor), descriptors.data(),
                      descriptors.size() * sizeof(accelerator::descriptor));
  }

 private:
  register_window<Socket> window_;
};

}  // namespace scribeline::hal
