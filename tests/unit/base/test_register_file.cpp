#include <catch2/catch.hpp>
#include <vector>

#include "rtl_tlm/base/register_file.h"

using namespace scribeline::base;

namespace {

const std::vector<register_spec>& map() {
  static const std::vector<register_spec> registers = {
      {0x00, "ID", register_access::read_only, 42, ""},       {0x08, "MASK", register_access::read_write, 7, ""},
      {0x10, "CLAIM", register_access::read_to_clear, 0, ""}, {0x18, "BELL", register_access::write_only, 0, ""},
      {0x28, "FAR", register_access::read_write, 0, ""},
  };
  return registers;
}

struct recorder final : register_listener {
  struct change {
    std::uint32_t offset;
    std::uint64_t value;
    sc_core::sc_time when;
  };
  std::vector<change> changes;
  void register_changed(std::uint32_t offset, std::uint64_t value, const sc_core::sc_time& when) override {
    changes.push_back({offset, value, when});
  }
};

struct bench {
  register_file registers{map(), 0x40};
  recorder listener;
  std::uint64_t data[4] = {};

  tlm::tlm_response_status run(tlm::tlm_command command, std::uint64_t offset, unsigned bytes, unsigned streaming = 0,
                               bool debug = false) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(streaming ? streaming : bytes);
    registers.access(payload, offset, sc_core::sc_time(5, sc_core::SC_NS), debug ? nullptr : &listener);
    return payload.get_response_status();
  }
};

}  // namespace

TEST_CASE("registers start at their reset values and keep what is written") {
  bench b;
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x00, 16) == tlm::TLM_OK_RESPONSE);
  CHECK(b.data[0] == 42);
  CHECK(b.data[1] == 7);
  b.data[0] = 9;
  CHECK(b.run(tlm::TLM_WRITE_COMMAND, 0x08, 8) == tlm::TLM_OK_RESPONSE);
  CHECK(b.registers.value(0x08) == 9);
}

TEST_CASE("a burst writes in ascending order, so a doorbell comes after its arguments") {
  bench b;
  b.registers.set(0x10, 3);
  b.data[0] = 5;
  CHECK(b.run(tlm::TLM_WRITE_COMMAND, 0x08, 8) == tlm::TLM_OK_RESPONSE);
  CHECK(b.run(tlm::TLM_WRITE_COMMAND, 0x18, 8) == tlm::TLM_OK_RESPONSE);
  REQUIRE(b.listener.changes.size() == 2);
  CHECK(b.listener.changes[0].offset == 0x08);
  CHECK(b.listener.changes[0].value == 5);
  CHECK(b.listener.changes[1].offset == 0x18);
  CHECK(b.listener.changes[1].when == sc_core::sc_time(5, sc_core::SC_NS));
}

TEST_CASE("reading a read-to-clear register clears it, except through the debug transport") {
  bench b;
  b.registers.set(0x10, 6);
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x10, 8, 0, true) == tlm::TLM_OK_RESPONSE);
  CHECK(b.data[0] == 6);
  CHECK(b.registers.value(0x10) == 6);
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x10, 8) == tlm::TLM_OK_RESPONSE);
  CHECK(b.data[0] == 6);
  CHECK(b.registers.value(0x10) == 0);
  REQUIRE(b.listener.changes.size() == 1);
}

TEST_CASE("a refused access names its reason and changes nothing") {
  bench b;
  b.data[0] = b.data[1] = 99;
  CHECK(b.run(tlm::TLM_WRITE_COMMAND, 0x00, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(b.run(tlm::TLM_WRITE_COMMAND, 0x10, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(b.run(tlm::TLM_WRITE_COMMAND, 0x08, 16) == tlm::TLM_COMMAND_ERROR_RESPONSE);  // second register refuses
  CHECK(b.run(tlm::TLM_IGNORE_COMMAND, 0x08, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x20, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);  // a hole in the map
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x40, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);  // behind the window
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x38, 16) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x08, 4) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x0c, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(b.run(tlm::TLM_READ_COMMAND, 0x00, 16, 8) == tlm::TLM_BURST_ERROR_RESPONSE);  // streaming
  CHECK(b.registers.value(0x08) == 7);
  CHECK(b.listener.changes.empty());
}

TEST_CASE("byte enables are refused") {
  bench b;
  tlm::tlm_generic_payload payload;
  unsigned char enables[8] = {};
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(b.data));
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(8);
  b.registers.access(payload, 0, sc_core::SC_ZERO_TIME, &b.listener);
  CHECK(payload.get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}
