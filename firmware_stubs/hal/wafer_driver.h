// The firmware's view of one register bank of a wafer: typed calls that become TLM transactions.
//
// Loosely timed: every call adds the transaction's annotated delay to the caller's quantum keeper and returns;
// the caller synchronises before it waits. A refused transaction is an SC_ERROR ("/scribeline/hal/refused")
// that names the register and the response.
#pragma once

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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
      : socket_(socket), keeper_(keeper), base_(wafer::control_base + std::uint64_t{bank} * wafer::bank_bytes) {}

  std::uint64_t read(std::uint32_t offset) {
    std::uint64_t value = 0;
    transport(tlm::TLM_READ_COMMAND, base_ + offset, &value, sizeof value);
    return value;
  }

  void write(std::uint32_t offset, std::uint64_t value) {
    transport(tlm::TLM_WRITE_COMMAND, base_ + offset, &value, sizeof value);
  }

  // The interrupt causes since the last call.
  std::uint64_t claim_interrupts() { return read(wafer::reg::irq_claim); }

  // One burst over RX_COUNT .. RX_BYTES.
  received_head read_head() {
    std::array<std::uint64_t, 6> words{};
    transport(tlm::TLM_READ_COMMAND, base_ + wafer::reg::rx_count, words.data(), sizeof words);
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
    transport(tlm::TLM_WRITE_COMMAND, base_ + wafer::reg::launch_descriptor, words.data(), sizeof words);
  }

  // One burst over TX_BYTES .. TX_DOORBELL.
  void send_on(std::uint64_t bytes, std::uint64_t flags) {
    std::array<std::uint64_t, 3> words = {bytes, flags, 1};
    transport(tlm::TLM_WRITE_COMMAND, base_ + wafer::reg::tx_bytes, words.data(), sizeof words);
  }

  // Stores descriptors at `first` in descriptor memory, in one burst.
  void write_descriptors(std::uint64_t first, std::vector<wafer::descriptor>& descriptors) {
    transport(tlm::TLM_WRITE_COMMAND, wafer::descriptor_memory_base + first * sizeof(wafer::descriptor),
              descriptors.data(), static_cast<unsigned>(descriptors.size() * sizeof(wafer::descriptor)));
  }

 private:
  void transport(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes);

  Socket& socket_;
  tlm_utils::tlm_quantumkeeper& keeper_;
  std::uint64_t base_;
  tlm::tlm_generic_payload payload_;
};

template <class Socket>
void wafer_driver<Socket>::transport(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(static_cast<unsigned char*>(data));
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = keeper_.get_local_time();
  socket_->b_transport(payload_, delay);
  keeper_.set(delay);
  if (payload_.is_response_error()) {
    const bool in_bank = address >= base_ && address < base_ + wafer::bank_bytes;
    const std::string text = fmt::format(
        "a {} of {} bytes at {:#x}{}{} got {}", command == tlm::TLM_READ_COMMAND ? "read" : "write", bytes, address,
        in_bank ? " " : "", in_bank ? wafer::register_name(address - base_) : "", payload_.get_response_string());
    SC_REPORT_ERROR("/scribeline/hal/refused", text.c_str());
  }
}

}  // namespace scribeline::hal
