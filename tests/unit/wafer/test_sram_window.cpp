#include <catch2/catch.hpp>
#include <cstring>

#include "rtl_tlm/memory/sram_address.h"
#include "tests/unit/wafer/wafer_bench.h"

using namespace scribeline::wafer;
namespace memory = scribeline::memory;

// The wafer under test has index 5, 8 rows of 16 columns, 1024 B a core.

TEST_CASE("every address outside the control window is the SRAM of a core") {
  wafer_bench bench;
  std::uint64_t out = 0x1122334455667788, in = 0;
  const auto address = memory::encode({5, {7, 15}, 1016});
  REQUIRE(bench.bus.access(tlm::TLM_WRITE_COMMAND, address, &out, 8) == tlm::TLM_OK_RESPONSE);
  CHECK(bench.bus.took == ns(2));  // one cycle of latency, 8 B written a cycle
  REQUIRE(bench.bus.access(tlm::TLM_READ_COMMAND, address, &in, 8) == tlm::TLM_OK_RESPONSE);
  CHECK(bench.bus.took == ns(2));
  CHECK(in == out);
}

TEST_CASE("SRAM of another wafer, outside the rectangle or past a core's end is an address error") {
  wafer_bench bench;
  std::uint64_t word = 0;
  for (const memory::sram_address& a : {memory::sram_address{4, {0, 0}, 0}, memory::sram_address{5, {8, 0}, 0},
                                        memory::sram_address{5, {0, 16}, 0}, memory::sram_address{5, {0, 0}, 1024}}) {
    CHECK(bench.bus.access(tlm::TLM_READ_COMMAND, memory::encode(a), &word, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

TEST_CASE("the SRAM of a core is mapped directly, and debug access sees it, through the wafer's socket") {
  wafer_bench bench;
  const auto base = memory::encode({5, {2, 3}, 0});
  tlm::tlm_generic_payload payload;
  std::uint64_t word = 0;
  bus_master::fill(payload, tlm::TLM_READ_COMMAND, base + 40, &word, 8);
  tlm::tlm_dmi dmi;
  REQUIRE(bench.bus.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == base);
  CHECK(dmi.get_end_address() == base + 1023);
  CHECK(dmi.is_read_write_allowed());

  const std::uint64_t value = 0xfeedbeef;
  std::memcpy(dmi.get_dmi_ptr() + 40, &value, 8);
  CHECK(bench.bus.socket->transport_dbg(payload) == 8);
  CHECK(word == value);
  word = 0;
  REQUIRE(bench.bus.access(tlm::TLM_READ_COMMAND, base + 40, &word, 8) == tlm::TLM_OK_RESPONSE);
  CHECK(word == value);
}

TEST_CASE("two initiators share the socket of one wafer") {
  const auto link = small_link();
  wafer chip("chip", 5, 0, small_wafer(), link);
  scribeline::link::port before("before", link), after("after", link);
  scribeline::link::connect(before, chip.upstream);
  scribeline::link::connect(chip.downstream, after);
  sc_core::sc_signal<bool> irq;
  chip.stages[0].irq.bind(irq);
  bus_master firmware("firmware"), debugger("debugger");
  firmware.socket.bind(chip.mmio);
  debugger.socket.bind(chip.mmio);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  firmware.write(reg::tx_bytes, 99);
  CHECK(debugger.read(reg::tx_bytes) == 99);
}
