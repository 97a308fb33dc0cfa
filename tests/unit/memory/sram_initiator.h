// An initiator of the base protocol, as somebody else's bus master would be.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "rtl_tlm/memory/core_sram.h"

namespace scribeline::memory {

class sram_initiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<sram_initiator, 64> socket{"socket"};

  explicit sram_initiator(const sc_core::sc_module_name& name) : sc_module(name) {}

  struct outcome {
    tlm::tlm_response_status status;
    sc_core::sc_time delay;
  };

  outcome access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, data);
    return transport(payload);
  }

  outcome transport(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return {payload.get_response_status(), delay};
  }

  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                   std::vector<unsigned char>& data) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned int>(data.size()));
    payload.set_streaming_width(static_cast<unsigned int>(data.size()));
  }
};

// A small wafer: index 5, 4 rows of 6 columns, 1000 B a core. One cycle takes 1 ns.
inline core_sram_config small_wafer() {
  core_sram_config c;
  c.wafer = 5;
  c.columns = 6;
  c.rows = 4;
  c.bytes_per_core = 1000;
  c.clock_ghz = 1;
  c.access_latency_cycles = 3;
  return c;
}

struct sram_bench {
  core_sram sram;
  sram_initiator initiator{"initiator"};

  explicit sram_bench(const core_sram_config& config = small_wafer()) : sram("sram", config) {
    initiator.socket.bind(sram.target);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

}  // namespace scribeline::memory
