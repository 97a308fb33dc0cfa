// The firmware's view of one register bank of a wafer. Timing and errors: register_window.h.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <array>
#include <cstdint>
#include <vector>

#include "firmware_stubs/hal/register_window.h"
#include "rtl_tlm/wafer/descriptor.h"
#include "rtl_tlm/wafer/message.h"
#include "rtl_tlm/wafer/register_map.h"

namespace scribeline::hal {

// The head of the receive queue, as RX_* shows it. `waiting` counts the queue, head included.
struct received_head {
  std::uint64_t waiting = 0;
  wafer::pass pass;
};

template <class Socket>
class wafer_driver {
 public:
  wafer_driver(Socket& socket, tlm_utils::tlm_quantumkeeper& keeper, std::uint32_t bank)
      : bank_(socket, keeper, base_of(bank), wafer::bank_bytes, wafer::register_name) {}

  std::uint64_t read(std::uint32_t offset) { return bank_.read(offset); }
  void write(std::uint32_t offset, std::uint64_t value) { bank_.write(offset, value); }

  // The interrupt causes since the last call.
  std::uint64_t claim_interrupts() { return read(wafer::reg::irq_claim); }

  // One burst over RX_COUNT .. RX_BYTES.
  received_head read_head() {
    std::array<std::uint64_t, 6> words{};
    bank_.read_burst(wafer::reg::rx_count, words);
    received_head head;
    head.waiting = words[0];
    head.pass.request = words[1];
    head.pass.tokens = words[2];
    head.pass.context = words[3];
    head.pass.flags = words[4];
    head.pass.bytes = words[5];
    return head;
  }

  // One burst over LAUNCH_DESCRIPTOR .. LAUNCH_DOORBELL.
  void launch(std::uint64_t first_descriptor, std::uint64_t count, const wafer::launch_arguments& arguments) {
    std::array<std::uint64_t, 7> words = {
        first_descriptor,          count, arguments.tokens, arguments.context, arguments.expert_load,
        arguments.expert_matrices, 1};
    bank_.write_burst(wafer::reg::launch_descriptor, words);
  }

  // One burst over TX_BYTES .. TX_DOORBELL.
  void send_on(std::uint64_t bytes, std::uint64_t flags) {
    std::array<std::uint64_t, 3> words = {bytes, flags, 1};
    bank_.write_burst(wafer::reg::tx_bytes, words);
  }

  // Stores descriptors at `first` in descriptor memory, in one burst.
  void write_descriptors(std::uint64_t first, std::vector<wafer::descriptor>& descriptors) {
    bank_.transport(tlm::TLM_WRITE_COMMAND, wafer::descriptor_memory_base + first * sizeof(wafer::descriptor),
                    descriptors.data(), descriptors.size() * sizeof(wafer::descriptor));
  }

 private:
  static std::uint64_t base_of(std::uint32_t bank) {
    return wafer::control_base + std::uint64_t{bank} * wafer::bank_bytes;
  }

  register_window<Socket> bank_;
};

}  // namespace scribeline::hal
