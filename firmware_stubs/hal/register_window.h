// Firmware's access to the control window of a chip: typed reads and writes that become TLM transactions.
//
// Loosely timed: every call adds the transaction's annotated delay to the caller's quantum keeper and returns; the
// caller synchronises before it waits. A refused transaction is an SC_ERROR ("/scribeline/hal/refused") that names the
// register and the response.
#pragma once

#include <fmt/format.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tlm>

namespace scribeline::hal {

template <class Socket>
class register_window {
 public:
  // The registers of `bytes` bytes at `base`; `name_of` tells a register's name by its offset.
  register_window(Socket& socket, tlm_utils::tlm_quantumkeeper& keeper, std::uint64_t base, std::uint64_t bytes,
                  std::string_view (*name_of)(std::uint64_t))
      : socket_(socket), keeper_(keeper), base_(base), bytes_(bytes), name_of_(name_of) {}

  std::uint64_t read(std::uint32_t offset) {
    std::uint64_t value = 0;
    transport(tlm::TLM_READ_COMMAND, base_ + offset, &value, sizeof value);
    return value;
  }

  void write(std::uint32_t offset, std::uint64_t value) {
    transport(tlm::TLM_WRITE_COMMAND, base_ + offset, &value, sizeof value);
  }

  // A burst over consecutive registers.
  template <class Words>
  void read_burst(std::uint32_t offset, Words& words) {
    transport(tlm::TLM_READ_COMMAND, base_ + offset, words.data(), sizeof words);
  }
  template <class Words>
  void write_burst(std::uint32_t offset, Words& words) {
    transport(tlm::TLM_WRITE_COMMAND, base_ + offset, words.data(), sizeof words);
  }

  // At any address of the chip.
  void transport(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);

 private:
  Socket& socket_;
  tlm_utils::tlm_quantumkeeper& keeper_;
  std::uint64_t base_, bytes_;
  std::string_view (*name_of_)(std::uint64_t);
  tlm::tlm_generic_payload payload_;
};

template <class Socket>
void register_window<Socket>::transport(tlm::tlm_command command, std::uint64_t address, void* data,
                                        std::size_t bytes) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(static_cast<unsigned char*>(data));
  payload_.set_data_length(static_cast<unsigned>(bytes));
  payload_.set_streaming_width(static_cast<unsigned>(bytes));
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = keeper_.get_local_time();
  socket_->b_transport(payload_, delay);
  keeper_.set(delay);
  if (payload_.is_response_error()) {
    const bool is_register = address >= base_ && address < base_ + bytes_;
    const std::string text = fmt::format(
        "a {} of {} bytes at {:#x}{}{} got {}", command == tlm::TLM_READ_COMMAND ? "read" : "write", bytes, address,
        is_register ? " " : "", is_register ? name_of_(address - base_) : "", payload_.get_response_string());
    SC_REPORT_ERROR("/scribeline/hal/refused", text.c_str());
  }
}

}  // namespace scribeline::hal
