#include <catch2/catch.hpp>
#include <numeric>

#include "tests/unit/memory/sram_initiator.h"

using namespace scribeline::memory;
using sc_core::SC_NS;
using sc_core::sc_time;
using bytes_of = std::vector<unsigned char>;

TEST_CASE("what is written to a core is read back from it and from no other") {
  sram_bench bench;
  bytes_of out(100);
  std::iota(out.begin(), out.end(), static_cast<unsigned char>(1));
  REQUIRE(bench.initiator.access(tlm::TLM_WRITE_COMMAND, encode({5, {3, 5}, 900}), out).status == tlm::TLM_OK_RESPONSE);

  bytes_of in(100, 0xee);
  REQUIRE(bench.initiator.access(tlm::TLM_READ_COMMAND, encode({5, {3, 5}, 900}), in).status == tlm::TLM_OK_RESPONSE);
  CHECK(in == out);
  REQUIRE(bench.initiator.access(tlm::TLM_READ_COMMAND, encode({5, {3, 4}, 900}), in).status == tlm::TLM_OK_RESPONSE);
  CHECK(in == bytes_of(100, 0));
}

TEST_CASE("an access takes its latency and the cycles its bytes need, and adds to the delay it is given") {
  sram_bench bench;
  bytes_of data(100);
  // 3 + ceil(100 / 16) = 10 cycles to read, 3 + ceil(100 / 8) = 16 to write.
  CHECK(bench.initiator.access(tlm::TLM_READ_COMMAND, encode({5, {0, 0}, 0}), data).delay == sc_time(10, SC_NS));
  CHECK(bench.initiator.access(tlm::TLM_WRITE_COMMAND, encode({5, {0, 0}, 0}), data).delay == sc_time(16, SC_NS));

  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, encode({5, {0, 0}, 0}), data);
  sc_time delay(7, SC_NS);
  bench.initiator.socket->b_transport(payload, delay);
  CHECK(delay == sc_time(17, SC_NS));
  CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);

  CHECK(bench.sram.bytes_read().value() == 200);
  CHECK(bench.sram.bytes_written().value() == 100);
}

TEST_CASE("a whole WSE-3 wafer costs kilobytes until its cores are written") {
  sram_bench bench{core_sram_config{}};
  CHECK(bench.sram.host_bytes() < 16 * 1024);

  bytes_of word(4);
  for (std::uint32_t row = 0; row < 1172; ++row) {
    const std::uint64_t address = encode({0, {row, row % 762}, 49148});
    REQUIRE(bench.initiator.access(tlm::TLM_READ_COMMAND, address, word).status == tlm::TLM_OK_RESPONSE);
    REQUIRE(word == bytes_of(4, 0));
  }
  CHECK(bench.sram.touched_cores() == 0);
  CHECK(bench.sram.host_bytes() < 16 * 1024);

  bench.initiator.access(tlm::TLM_WRITE_COMMAND, encode({0, {1171, 761}, 49148}), word);
  bench.initiator.access(tlm::TLM_WRITE_COMMAND, encode({0, {1171, 761}, 0}), word);
  CHECK(bench.sram.touched_cores() == 1);
  CHECK(bench.sram.host_bytes() < 16 * 1024 + 762 * 8 + 49152);
}

TEST_CASE("disabled bytes are left alone, and the enable pattern repeats") {
  sram_bench bench;
  const std::uint64_t address = encode({5, {1, 1}, 0});
  bytes_of before = {1, 2, 3, 4, 5, 6};
  bench.initiator.access(tlm::TLM_WRITE_COMMAND, address, before);

  bytes_of data = {11, 12, 13, 14, 15, 16};
  unsigned char enables[] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED, TLM_BYTE_DISABLED};
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(3);
  REQUIRE(bench.initiator.transport(payload).status == tlm::TLM_OK_RESPONSE);

  bytes_of after(6);
  bench.initiator.access(tlm::TLM_READ_COMMAND, address, after);
  CHECK(after == bytes_of{11, 2, 3, 14, 5, 6});

  bytes_of masked(6, 99);
  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, address, masked);
  REQUIRE(bench.initiator.transport(payload).status == tlm::TLM_OK_RESPONSE);
  CHECK(masked == bytes_of{11, 99, 99, 14, 99, 99});
}

TEST_CASE("a streaming burst returns to its address after each width") {
  sram_bench bench;
  const std::uint64_t address = encode({5, {2, 0}, 996});
  bytes_of data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
  payload.set_streaming_width(4);
  REQUIRE(bench.initiator.transport(payload).status == tlm::TLM_OK_RESPONSE);

  bytes_of in(6);
  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, address, in);
  payload.set_streaming_width(4);
  REQUIRE(bench.initiator.transport(payload).status == tlm::TLM_OK_RESPONSE);
  CHECK(in == bytes_of{9, 10, 7, 8, 9, 10});
}

TEST_CASE("debug transport moves the bytes within the core and touches neither counters nor time") {
  sram_bench bench;
  bytes_of data(8, 42);
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_WRITE_COMMAND, encode({5, {2, 0}, 996}), data);
  CHECK(bench.initiator.socket->transport_dbg(payload) == 4);

  bytes_of in(8, 1);
  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, encode({5, {2, 0}, 992}), in);
  CHECK(bench.initiator.socket->transport_dbg(payload) == 8);
  CHECK(in == bytes_of{0, 0, 0, 0, 42, 42, 42, 42});

  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, encode({5, {1, 0}, 0}), in);
  CHECK(bench.initiator.socket->transport_dbg(payload) == 8);
  CHECK(in == bytes_of(8, 0));

  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, encode({5, {4, 0}, 0}), in);
  CHECK(bench.initiator.socket->transport_dbg(payload) == 0);
  CHECK(bench.sram.bytes_read().value() == 0);
  CHECK(bench.sram.bytes_written().value() == 0);
  CHECK(bench.sram.touched_cores() == 1);
}

TEST_CASE("direct memory access covers the SRAM of one core and sees what transport sees") {
  sram_bench bench;
  bytes_of data = {7};
  tlm::tlm_generic_payload payload;
  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, encode({5, {2, 3}, 500}), data);
  tlm::tlm_dmi dmi;
  REQUIRE(bench.initiator.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.is_read_write_allowed());
  CHECK(dmi.get_start_address() == encode({5, {2, 3}, 0}));
  CHECK(dmi.get_end_address() == encode({5, {2, 3}, 999}));
  CHECK(dmi.get_read_latency() == sc_time(4, SC_NS));
  CHECK(dmi.get_write_latency() == sc_time(4, SC_NS));

  dmi.get_dmi_ptr()[999] = 123;
  bench.initiator.access(tlm::TLM_READ_COMMAND, encode({5, {2, 3}, 999}), data);
  CHECK(data == bytes_of{123});
}

TEST_CASE("direct memory access outside the fabric is refused for the window of that core only") {
  sram_bench bench;
  bytes_of data = {7};
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, encode({5, {2, 6}, 500}), data);
  CHECK_FALSE(bench.initiator.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.is_none_allowed());
  CHECK(dmi.get_start_address() == encode({5, {2, 6}, 0}));
  CHECK(dmi.get_end_address() == encode({5, {2, 6}, 65535}));

  dmi.init();
  sram_initiator::fill(payload, tlm::TLM_READ_COMMAND, encode({5, {2, 5}, 1000}), data);
  CHECK_FALSE(bench.initiator.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == encode({5, {2, 5}, 1000}));
  CHECK(bench.sram.touched_cores() == 0);
}
