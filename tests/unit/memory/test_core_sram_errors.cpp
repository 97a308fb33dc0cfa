#include <catch2/catch.hpp>

#include "tests/support/report_text.h"
#include "tests/unit/memory/sram_initiator.h"

using namespace scribeline::memory;
using scribeline::test_support::report_text;
using bytes_of = std::vector<unsigned char>;

namespace {

// A refused access takes no time and moves nothing.
void check_refused(sram_bench& bench, tlm::tlm_generic_payload& payload, tlm::tlm_response_status expected) {
  const auto outcome = bench.initiator.transport(payload);
  CHECK(outcome.status == expected);
  CHECK(outcome.delay == sc_core::SC_ZERO_TIME);
  CHECK(bench.sram.touched_cores() == 0);
  CHECK(bench.sram.bytes_written().value() == 0);
}

}  // namespace

TEST_CASE("an address outside the wafer, the fabric or the core's SRAM is an address error") {
  sram_bench bench;
  bytes_of data(4);
  for (const sram_address a : {sram_address{4, {0, 0}, 0}, sram_address{6, {0, 0}, 0}, sram_address{5, {4, 0}, 0},
                               sram_address{5, {0, 6}, 0}, sram_address{5, {0, 0}, 1000}}) {
    tlm::tlm_generic_payload payload;
    sram_initiator::fill(payload, tlm::TLM_WRITE_COMMAND, encode(a), data);
    check_refused(bench, payload, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

TEST_CASE("a burst that runs past the end of its core is a burst error, up to the end is fine") {
  sram_bench bench;
  bytes_of data(101);
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_WRITE_COMMAND, encode({5, {0, 0}, 900}), data);
  check_refused(bench, payload, tlm::TLM_BURST_ERROR_RESPONSE);

  bytes_of shorter(100);
  CHECK(bench.initiator.access(tlm::TLM_WRITE_COMMAND, encode({5, {0, 0}, 900}), shorter).status ==
        tlm::TLM_OK_RESPONSE);
}

TEST_CASE("no data and streaming width zero are burst errors") {
  sram_bench bench;
  bytes_of data(4);
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_WRITE_COMMAND, encode({5, {0, 0}, 0}), data);
  payload.set_data_length(0);
  check_refused(bench, payload, tlm::TLM_BURST_ERROR_RESPONSE);
  payload.set_data_length(4);
  payload.set_streaming_width(0);
  check_refused(bench, payload, tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("the ignore command is a command error") {
  sram_bench bench;
  bytes_of data(4);
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_IGNORE_COMMAND, encode({5, {0, 0}, 0}), data);
  check_refused(bench, payload, tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST_CASE("byte enables of length zero are a byte enable error, no data pointer a generic error") {
  sram_bench bench;
  bytes_of data(4);
  unsigned char enables[] = {TLM_BYTE_ENABLED};
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_WRITE_COMMAND, encode({5, {0, 0}, 0}), data);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(0);
  check_refused(bench, payload, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_data_ptr(nullptr);
  check_refused(bench, payload, tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("a configuration that the address layout cannot hold is refused by name") {
  const auto refusal = [](core_sram_config c) { return report_text([&c] { core_sram sram{"sram", c}; }); };
  core_sram_config c = small_wafer();
  CHECK(refusal(c) == "no error");
  c.columns = 1025;
  CHECK(refusal(c) == "/scribeline/memory/config: columns = 1025: must be 1 to 1024");
  c = small_wafer();
  c.rows = 0;
  CHECK(refusal(c) == "/scribeline/memory/config: rows = 0: must be 1 to 2048");
  c = small_wafer();
  c.bytes_per_core = 65537;
  CHECK(refusal(c) == "/scribeline/memory/config: bytes_per_core = 65537: must be 1 to 65536");
  c = small_wafer();
  c.clock_ghz = 0;
  CHECK(refusal(c) == "/scribeline/memory/config: clock_ghz = 0: must be 0.001 to 1000");
  c = small_wafer();
  c.wafer = 1U << 27;
  CHECK(refusal(c) == "/scribeline/memory/config: wafer 134217728 needs more than 27 bits");
}
