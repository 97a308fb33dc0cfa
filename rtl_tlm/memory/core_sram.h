// The SRAM of every core of one wafer, as one memory-mapped TLM-2.0 target.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/memory/core_pages.h"
#include "rtl_tlm/memory/sram_address.h"

namespace scribeline::memory {

// Defaults: WSE-3. Fabric of 762 x 1172 cores, 48 KiB per core in 8 banks that together read 16 bytes and
// write 8 bytes per cycle (Lie, Hot Chips 34 and 36). The clock is not published: 0.875 GHz is an assumption, and so
// is one cycle of access latency.
struct core_sram_config {
  std::uint32_t wafer = 0;  // the wafer field of the addresses this memory answers
  std::uint32_t columns = 762;
  std::uint32_t rows = 1172;
  std::int64_t bytes_per_core = 48 * 1024;
  double clock_ghz = 0.875;
  std::int64_t access_latency_cycles = 1;
  std::int64_t read_bytes_per_cycle = 16;
  std::int64_t write_bytes_per_cycle = 8;
};

// Base protocol target. Addresses are laid out by sram_address.h; a transaction stays within one core.
//
// Timing: b_transport adds access latency + ceil(bytes / bytes per cycle) cycles to the delay it is given and
// never waits, so it may be called from any process. Bytes counts the whole data length, disabled bytes
// included. Concurrent transactions do not contend: the traffic inside a core is the fabric model's business,
// this target is the way in for loaders, edge I/O and debuggers. Bank conflicts are not modelled.
//
// Response statuses:
//   address error      wafer, row, column or offset outside this memory
//   command error      neither read nor write
//   burst error        no data, streaming width 0, or bytes beyond the end of the core's SRAM
//   byte enable error  a byte enable array of length 0
//   generic error      no data pointer
// Streaming bursts (streaming width < data length) and byte enables are carried out as TLM-2.0 defines them.
//
// DMI grants read and write on the whole SRAM of one core, never taken back; its latencies are those of one
// access of full width. Contents start as zeros; a core costs host memory once it is written or mapped.
class core_sram : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<core_sram, 64> target{"target"};

  core_sram(const sc_core::sc_module_name& name, const core_sram_config& config);

  const core_sram_config& config() const { return config_; }

  // Traffic of b_transport, for the energy account. Debug accesses and DMI do not count.
  base::bytes bytes_read() const { return bytes_read_; }
  base::bytes bytes_written() const { return bytes_written_; }

  // Cores that were written or mapped, and the host memory behind all of them.
  std::int64_t touched_cores() const { return pages_.touched(); }
  std::int64_t host_bytes() const { return pages_.host_bytes(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  bool holds(const sram_address& address) const;
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload, const sram_address& address) const;
  void read(const tlm::tlm_generic_payload& payload, const sram_address& address) const;
  void write(const tlm::tlm_generic_payload& payload, const sram_address& address);
  sc_core::sc_time access_time(base::bytes length, std::int64_t bytes_per_cycle) const;

  const core_sram_config config_;
  core_pages pages_;
  base::bytes bytes_read_;
  base::bytes bytes_written_;
};

}  // namespace scribeline::memory
