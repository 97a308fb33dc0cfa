// A small SRAM with an initiator of the base protocol.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/memory/core_sram.h"
#include "tests/support/bus_master.h"

namespace scribeline::memory {

// Transactions on vectors of bytes.
class sram_initiator : public test_support::bus_master {
 public:
  using test_support::bus_master::bus_master;

  struct outcome {
    tlm::tlm_response_status status;
    sc_core::sc_time delay;
  };

  outcome access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data) {
    const auto status = bus_master::access(command, address, data.data(), data.size());
    return {status, took};
  }

  outcome transport(tlm::tlm_generic_payload& payload) {
    const auto status = bus_master::transport(payload);
    return {status, took};
  }

  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                   std::vector<unsigned char>& data) {
    bus_master::fill(payload, command, address, data.data(), data.size());
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
