#include "rtl_tlm/memory/core_sram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace scribeline::memory {

namespace {

void check(const core_sram_config& c) {
  const auto refuse = [](const std::string& problem) { SC_REPORT_ERROR("/scribeline/memory/config", problem.c_str()); };
  if (c.wafer >> wafer_bits != 0) refuse(fmt::format("wafer {} needs more than {} bits", c.wafer, wafer_bits));
  if (c.columns < 1 || c.columns > 1U << column_bits)
    refuse(fmt::format("columns = {}: must be 1 to {}", c.columns, 1U << column_bits));
  if (c.rows < 1 || c.rows > 1U << row_bits) refuse(fmt::format("rows = {}: must be 1 to {}", c.rows, 1U << row_bits));
  if (c.bytes_per_core < 1 || c.bytes_per_core > std::int64_t{1} << offset_bits)
    refuse(fmt::format("bytes_per_core = {}: must be 1 to {}", c.bytes_per_core, 1 << offset_bits));
  if (!(c.clock_ghz >= 0.001 && c.clock_ghz <= 1000))
    refuse(fmt::format("clock_ghz = {}: must be 0.001 to 1000", c.clock_ghz));
  if (c.access_latency_cycles < 0)
    refuse(fmt::format("access_latency_cycles = {}: must be 0 or more", c.access_latency_cycles));
  if (c.read_bytes_per_cycle < 1 || c.write_bytes_per_cycle < 1)
    refuse(fmt::format("read_bytes_per_cycle = {}, write_bytes_per_cycle = {}: must be 1 or more",
                       c.read_bytes_per_cycle, c.write_bytes_per_cycle));
}

bool enabled(const tlm::tlm_generic_payload& payload, unsigned int byte) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  return enables == nullptr || enables[byte % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

// Bytes from the address on that the payload touches.
std::int64_t span(const tlm::tlm_generic_payload& payload) {
  return std::min(payload.get_data_length(), payload.get_streaming_width());
}

bool is_plain(const tlm::tlm_generic_payload& payload) {
  return payload.get_byte_enable_ptr() == nullptr && payload.get_streaming_width() >= payload.get_data_length();
}

}  // namespace

core_sram::core_sram(const sc_core::sc_module_name& name, const core_sram_config& config)
    : sc_module(name), config_(config), pages_(config.rows, config.columns, config.bytes_per_core) {
  memory::check(config_);
  target.register_b_transport(this, &core_sram::b_transport);
  target.register_transport_dbg(this, &core_sram::transport_dbg);
  target.register_get_direct_mem_ptr(this, &core_sram::get_direct_mem_ptr);
}

bool core_sram::holds(const sram_address& a) const {
  return a.wafer == config_.wafer && a.core.row < config_.rows && a.core.column < config_.columns &&
         a.offset < config_.bytes_per_core;
}

tlm::tlm_response_status core_sram::check(const tlm::tlm_generic_payload& payload, const sram_address& a) const {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (!holds(a)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const bool fits = a.offset + span(payload) <= config_.bytes_per_core;
  if (span(payload) == 0 || !fits) return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

void core_sram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const sram_address address = decode(payload.get_address());
  const tlm::tlm_response_status status = check(payload, address);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) return;

  const base::bytes length{payload.get_data_length()};
  if (payload.is_read()) {
    read(payload, address);
    bytes_read_ += length;
    delay += access_time(length, config_.read_bytes_per_cycle);
  } else {
    write(payload, address);
    bytes_written_ += length;
    delay += access_time(length, config_.write_bytes_per_cycle);
  }
  payload.set_dmi_allowed(true);
}

void core_sram::read(const tlm::tlm_generic_payload& payload, const sram_address& address) const {
  unsigned char* const data = payload.get_data_ptr();
  const unsigned int length = payload.get_data_length();
  const unsigned char* const page = pages_.find(address.core);
  if (is_plain(payload)) {
    if (page == nullptr)
      std::memset(data, 0, length);
    else
      std::memcpy(data, page + address.offset, length);
    return;
  }
  const unsigned int width = payload.get_streaming_width();
  for (unsigned int i = 0; i < length; ++i)
    if (enabled(payload, i)) data[i] = page == nullptr ? 0 : page[address.offset + i % width];
}

void core_sram::write(const tlm::tlm_generic_payload& payload, const sram_address& address) {
  const unsigned char* const data = payload.get_data_ptr();
  const unsigned int length = payload.get_data_length();
  unsigned char* const page = pages_.touch(address.core);
  if (is_plain(payload)) {
    std::memcpy(page + address.offset, data, length);
    return;
  }
  const unsigned int width = payload.get_streaming_width();
  for (unsigned int i = 0; i < length; ++i)
    if (enabled(payload, i)) page[address.offset + i % width] = data[i];
}

sc_core::sc_time core_sram::access_time(base::bytes length, std::int64_t bytes_per_cycle) const {
  const base::cycles cycles{config_.access_latency_cycles + base::ceil_div(length.value(), bytes_per_cycle)};
  return base::frequency{config_.clock_ghz}.duration(cycles);
}

// Moves as many bytes as lie within the core and ignores byte enables and streaming, as TLM-2.0 defines it.
unsigned int core_sram::transport_dbg(tlm::tlm_generic_payload& payload) {
  const sram_address address = decode(payload.get_address());
  const bool moves = payload.is_read() || payload.is_write();
  if (!moves || !holds(address) || payload.get_data_ptr() == nullptr) return 0;
  const auto room = static_cast<unsigned int>(config_.bytes_per_core - address.offset);
  const unsigned int length = std::min(payload.get_data_length(), room);
  if (payload.is_write()) {
    std::memcpy(pages_.touch(address.core) + address.offset, payload.get_data_ptr(), length);
  } else if (const unsigned char* page = pages_.find(address.core)) {
    std::memcpy(payload.get_data_ptr(), page + address.offset, length);
  } else {
    std::memset(payload.get_data_ptr(), 0, length);
  }
  return length;
}

bool core_sram::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const sram_address address = decode(payload.get_address());
  sram_address first = address;
  sram_address last = address;
  first.offset = 0;
  last.offset = static_cast<std::uint32_t>(config_.bytes_per_core - 1);
  if (!holds(address)) {
    // The refusal covers the window of that core, or the part of it above the SRAM.
    const bool above_sram = address.offset >= config_.bytes_per_core;
    if (above_sram) first.offset = static_cast<std::uint32_t>(config_.bytes_per_core);
    last.offset = (1U << offset_bits) - 1;
    dmi.set_start_address(encode(first));
    dmi.set_end_address(encode(last));
    dmi.allow_none();
    return false;
  }
  dmi.set_dmi_ptr(pages_.touch(address.core));
  dmi.set_start_address(encode(first));
  dmi.set_end_address(encode(last));
  dmi.set_read_latency(access_time(base::bytes{config_.read_bytes_per_cycle}, config_.read_bytes_per_cycle));
  dmi.set_write_latency(access_time(base::bytes{config_.write_bytes_per_cycle}, config_.write_bytes_per_cycle));
  dmi.allow_read_write();
  return true;
}

}  // namespace scribeline::memory
