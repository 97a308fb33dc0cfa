#include <catch2/catch.hpp>
#include <cstring>

#include "tests/unit/wafer/wafer_bench.h"

using namespace scribeline::wafer;
using tlm::TLM_READ_COMMAND;
using tlm::TLM_WRITE_COMMAND;

TEST_CASE("a wafer says what it is: ID, version, program rectangle, and the stage of each bank") {
  wafer_bench bench(small_wafer(3));
  CHECK(bench.bus.read(reg::id) == 0x57414652);
  CHECK(bench.bus.read(reg::version) == 2);
  CHECK(bench.bus.read(reg::capability) == (std::uint64_t{16} << 32 | 8));
  for (std::uint32_t bank = 0; bank < 3; ++bank)
    CHECK(bench.bus.read(reg::stage, bank) == 7 + bank);
  CHECK(bench.bus.read(reg::launch_expert_load) == 1);
  CHECK(bench.bus.read(reg::status) == status_code::idle);
}

TEST_CASE("every access to the control window takes the register access time, whatever its length") {
  wafer_bench bench;
  bench.bus.ahead = ns(20);
  std::array<std::uint64_t, 6> head{};
  CHECK(bench.bus.access(TLM_READ_COMMAND, bus_master::address_of(reg::rx_count), head.data(), sizeof head) ==
        tlm::TLM_OK_RESPONSE);
  CHECK(bench.bus.took == ns(50));
  bench.bus.write(reg::irq_mask, 1);
  CHECK(bench.bus.took == ns(50));
  bench.bus.store({product(100, 3)});
  CHECK(bench.bus.took == ns(50));
  CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);  // annotated, not waited for
}

TEST_CASE("an address between registers, of a bank that does not exist or past descriptor memory is an error") {
  wafer_bench bench(small_wafer(2));
  std::uint64_t word = 0;
  const auto read = [&](std::uint64_t address, std::size_t bytes = 8) {
    return bench.bus.access(TLM_READ_COMMAND, address, &word, bytes);
  };
  CHECK(read(bus_master::address_of(0x038)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(bus_master::address_of(0xff8)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(bus_master::address_of(reg::id, 1)) == tlm::TLM_OK_RESPONSE);
  CHECK(read(bus_master::address_of(reg::id, 2)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(descriptor_memory_base - 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(descriptor_memory_base + (1 << 20) - 8) == tlm::TLM_OK_RESPONSE);
  CHECK(read(descriptor_memory_base + (1 << 20) - 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(descriptor_memory_base + (1 << 20)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(~std::uint64_t{0} - 7) == tlm::TLM_ADDRESS_ERROR_RESPONSE);

  // A burst into a hole is refused as a whole.
  std::array<std::uint64_t, 8> words{};
  words.fill(77);
  CHECK(bench.bus.access(TLM_WRITE_COMMAND, bus_master::address_of(reg::tx_bytes), words.data(), sizeof words) ==
        tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.bus.read(reg::tx_bytes) == 0);
}

TEST_CASE("an unaligned or odd-sized access is a burst error, a streaming one too") {
  wafer_bench bench;
  std::array<std::uint64_t, 2> words{};
  const auto address = bus_master::address_of(reg::launch_tokens);
  CHECK(bench.bus.access(TLM_READ_COMMAND, address + 4, words.data(), 8) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.bus.access(TLM_READ_COMMAND, address, words.data(), 4) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.bus.access(TLM_READ_COMMAND, address, words.data(), 0) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.bus.access(TLM_READ_COMMAND, descriptor_memory_base, words.data(), 0) == tlm::TLM_BURST_ERROR_RESPONSE);
  for (const auto where : {address, descriptor_memory_base}) {
    tlm::tlm_generic_payload payload;
    bus_master::fill(payload, TLM_READ_COMMAND, where, words.data(), sizeof words);
    payload.set_streaming_width(8);
    CHECK(bench.bus.transport(payload) == tlm::TLM_BURST_ERROR_RESPONSE);
  }
}

TEST_CASE("byte enables, ignored commands and null pointers are refused in registers and descriptor memory") {
  wafer_bench bench;
  std::uint64_t word = 0;
  unsigned char enables[8] = {};
  for (const auto where : {bus_master::address_of(reg::launch_tokens), descriptor_memory_base}) {
    tlm::tlm_generic_payload payload;
    bus_master::fill(payload, TLM_WRITE_COMMAND, where, &word, 8);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(8);
    CHECK(bench.bus.transport(payload) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    CHECK(bench.bus.access(tlm::TLM_IGNORE_COMMAND, where, &word, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.bus.access(TLM_READ_COMMAND, where, nullptr, 8) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
}

TEST_CASE("a register firmware may not write refuses it and keeps its value") {
  wafer_bench bench;
  for (const auto& r : register_map()) {
    INFO(r.name);
    const bool writable = r.access == scribeline::base::register_access::read_write;
    if (r.access == scribeline::base::register_access::write_only) continue;
    const auto before = bench.bus.read(r.offset);
    CHECK(bench.bus.write(r.offset, 0x1234) == (writable ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE));
    CHECK(bench.bus.read(r.offset) == (writable ? 0x1234 : before));
  }
}

TEST_CASE("the register map is sorted, inside a bank, and every register has a name and a meaning") {
  std::uint32_t next = 0;
  for (const auto& r : register_map()) {
    INFO(r.name);
    CHECK(r.offset % 8 == 0);
    CHECK(r.offset >= next);
    CHECK(r.offset < bank_bytes);
    CHECK_FALSE(r.name.empty());
    CHECK_FALSE(r.meaning.empty());
    next = r.offset + 8;
  }
}

TEST_CASE("descriptor memory is plain storage: any length and alignment, zero where nothing was written") {
  wafer_bench bench;
  std::array<unsigned char, 100> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<unsigned char>(i + 1);
  REQUIRE(bench.bus.access(TLM_WRITE_COMMAND, descriptor_memory_base + 1003, out.data(), out.size()) ==
          tlm::TLM_OK_RESPONSE);
  std::array<unsigned char, 104> in{};
  in.fill(0xee);
  REQUIRE(bench.bus.access(TLM_READ_COMMAND, descriptor_memory_base + 1001, in.data(), in.size()) ==
          tlm::TLM_OK_RESPONSE);
  CHECK(in[0] == 0);
  CHECK(in[1] == 0);
  CHECK(std::memcmp(in.data() + 2, out.data(), out.size()) == 0);
  CHECK(in[102] == 0);
  CHECK(in[103] == 0);
  for (const std::uint64_t nowhere : {0, 890, 1110, 500000}) {
    REQUIRE(bench.bus.access(TLM_READ_COMMAND, descriptor_memory_base + nowhere, in.data(), in.size()) ==
            tlm::TLM_OK_RESPONSE);
    for (const auto byte : in)
      CHECK(byte == 0);
  }
}

TEST_CASE("the debug transport reads and writes registers and descriptors without doing anything") {
  wafer_bench bench;
  bench.bus.write(reg::irq_mask, irq::message_arrived);
  bench.send(3);
  bench.run_for(2000);
  REQUIRE(bench.irq[0].read());

  std::uint64_t word = 0;
  const auto debug = [&](tlm::tlm_command command, std::uint64_t address) {
    // Only what the standard says a debug transaction must set: no streaming width.
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    return bench.bus.socket->transport_dbg(payload);
  };
  CHECK(debug(TLM_READ_COMMAND, bus_master::address_of(reg::irq_claim)) == 8);
  CHECK(word == irq::message_arrived);
  word = 1;
  CHECK(debug(TLM_WRITE_COMMAND, bus_master::address_of(reg::tx_doorbell)) == 8);
  CHECK(debug(TLM_WRITE_COMMAND, bus_master::address_of(reg::launch_doorbell)) == 8);
  bench.run_for(5000);
  CHECK(bench.irq[0].read());                                     // not cleared by the look
  CHECK(bench.bus.read(reg::rx_count) == 1);                      // not sent
  CHECK(bench.bus.read(reg::irq_claim) == irq::message_arrived);  // no error raised either
  CHECK(bench.left.empty());

  word = 0x0102030405060708;
  CHECK(debug(TLM_WRITE_COMMAND, descriptor_memory_base + 24) == 8);
  word = 0;
  CHECK(debug(TLM_READ_COMMAND, descriptor_memory_base + 24) == 8);
  CHECK(word == 0x0102030405060708);
  CHECK(debug(TLM_READ_COMMAND, bus_master::address_of(0x038)) == 0);
  CHECK(debug(TLM_READ_COMMAND, bus_master::address_of(reg::id, 1)) == 0);
}

TEST_CASE("registers and descriptors cannot be mapped directly") {
  wafer_bench bench;
  tlm::tlm_generic_payload payload;
  std::uint64_t word = 0;
  tlm::tlm_dmi dmi;
  for (const auto where : {bus_master::address_of(reg::id), descriptor_memory_base}) {
    bus_master::fill(payload, TLM_READ_COMMAND, where, &word, 8);
    CHECK_FALSE(bench.bus.socket->get_direct_mem_ptr(payload, dmi));
    CHECK(dmi.get_start_address() <= where);
    CHECK(dmi.get_end_address() >= where);
    CHECK_FALSE(dmi.is_read_allowed());
  }
}

TEST_CASE("a non-blocking initiator is answered at once with the annotated time") {
  wafer_bench bench;
  std::uint64_t word = 0;
  tlm::tlm_generic_payload payload;
  bus_master::fill(payload, TLM_READ_COMMAND, bus_master::address_of(reg::id), &word, 8);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = ns(7);
  CHECK(bench.bus.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED);
  CHECK(payload.is_response_ok());
  CHECK(word == chip_id);
  CHECK(delay == ns(57));
}
