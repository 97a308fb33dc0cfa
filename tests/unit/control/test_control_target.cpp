#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/control/common_registers.h"
#include "rtl_tlm/control/control_target.h"
#include "tests/support/bus_master.h"

using namespace scribeline;
using namespace scribeline::control;

namespace {

const sc_core::sc_time access_time = base::picoseconds(50'000);

// A control window of one word at offset 8 and, if asked for, a memory that takes 1 ns and always answers.
class chip : public sc_core::sc_module, public control_target {
 public:
  std::uint64_t word = 42;
  bool was_debug = false;

  chip(const sc_core::sc_module_name& name, bool with_memory)
      : sc_module(name), control_target(access_time), with_memory_(with_memory) {
    if (!with_memory) return;
    memory_target_.register_b_transport(this, &chip::answer);
    to_memory_.bind(memory_target_);
  }

 private:
  void access_control(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time&,
                      bool debug) override {
    was_debug = debug;
    if (offset != 8) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::memcpy(payload.get_data_ptr(), &word, 8);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm::tlm_fw_transport_if<>* memory() override { return with_memory_ ? to_memory_.operator->() : nullptr; }
  void answer(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += base::picoseconds(1000);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  bool with_memory_;
  tlm_utils::simple_initiator_socket_optional<chip, 64> to_memory_{"to_memory"};
  tlm_utils::simple_target_socket_optional<chip, 64> memory_target_{"memory_target"};
};

struct bench {
  chip dut;
  test_support::bus_master bus{"bus"};
  std::uint64_t word = 0;

  explicit bench(bool with_memory) : dut("dut", with_memory) {
    bus.socket.bind(dut.mmio);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  tlm::tlm_response_status read(std::uint64_t address) {
    return bus.access(tlm::TLM_READ_COMMAND, address, &word, sizeof word);
  }
};

}  // namespace

TEST_CASE("the control window gets offsets and takes its time; what lies below is nobody's or the memory's") {
  bench b(false);
  CHECK(b.read(control_base + 8) == tlm::TLM_OK_RESPONSE);
  CHECK(b.word == 42);
  CHECK(b.bus.took == access_time);
  CHECK(b.read(control_base) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.read(0) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.bus.access(tlm::TLM_READ_COMMAND, control_base + 8, nullptr, 8) == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("a chip with memory passes on what lies below its control window") {
  bench b(true);
  CHECK(b.read(0) == tlm::TLM_OK_RESPONSE);
  CHECK(b.bus.took == base::picoseconds(1000));
  CHECK(b.read(control_base + 8) == tlm::TLM_OK_RESPONSE);
  CHECK(b.bus.took == access_time);
}

TEST_CASE("debug and non-blocking transactions work, and direct memory access is denied for the whole window") {
  bench b(true);
  tlm::tlm_generic_payload payload;
  test_support::bus_master::fill(payload, tlm::TLM_READ_COMMAND, control_base + 8, &b.word, 8);
  CHECK(b.bus.socket->transport_dbg(payload) == 8);
  CHECK(b.dut.was_debug);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  CHECK(b.bus.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED);
  CHECK(delay == access_time);
  CHECK_FALSE(b.dut.was_debug);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(b.bus.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == control_base);
  CHECK(dmi.get_end_address() == std::numeric_limits<sc_dt::uint64>::max());
}
