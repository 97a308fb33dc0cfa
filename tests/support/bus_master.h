// An initiator of the base protocol, as somebody else's bus master would be.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace scribeline::test_support {

class bus_master : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<bus_master, 64> socket{"socket"};

  explicit bus_master(const sc_core::sc_module_name& name) : sc_module(name) {}

  // How long the last transaction took, from the delay it was given.
  sc_core::sc_time took;
  // What the initiator is ahead of the kernel by when it starts a transaction.
  sc_core::sc_time ahead;

  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, void* data,
                   std::size_t bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned int>(bytes));
    payload.set_streaming_width(static_cast<unsigned int>(bytes));
  }

  tlm::tlm_response_status transport(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time delay = ahead;
    socket->b_transport(payload, delay);
    took = delay - ahead;
    return payload.get_response_status();
  }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, data, bytes);
    return transport(payload);
  }
};

}  // namespace scribeline::test_support
