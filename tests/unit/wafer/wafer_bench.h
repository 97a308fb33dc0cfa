// A wafer between two neighbours, with an initiator of the base protocol on its control window.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "rtl_tlm/wafer/wafer.h"
#include "tests/support/bus_master.h"
#include "tests/unit/wafer/small_wafer.h"

namespace scribeline::wafer {

inline sc_core::sc_time ns(double n) {
  return base::picoseconds(n * 1000);
}

class bus_master : public test_support::bus_master {
 public:
  using test_support::bus_master::bus_master;

  std::uint64_t read(std::uint32_t offset, std::uint32_t bank = 0) {
    std::uint64_t value = 0;
    const auto status = access(tlm::TLM_READ_COMMAND, address_of(offset, bank), &value, 8);
    return status == tlm::TLM_OK_RESPONSE ? value : ~std::uint64_t{0};
  }

  tlm::tlm_response_status write(std::uint32_t offset, std::uint64_t value, std::uint32_t bank = 0) {
    return access(tlm::TLM_WRITE_COMMAND, address_of(offset, bank), &value, 8);
  }

  tlm::tlm_response_status store(std::vector<descriptor> list, std::uint64_t first = 0) {
    return access(tlm::TLM_WRITE_COMMAND, descriptor_memory_base + first * sizeof(descriptor), list.data(),
                  list.size() * sizeof(descriptor));
  }

  void launch(std::uint64_t first, std::uint64_t count, const launch_arguments& a = {}, std::uint32_t bank = 0) {
    std::array<std::uint64_t, 7> words = {first, count, a.tokens, a.context, a.expert_load, a.expert_matrices, 1};
    access(tlm::TLM_WRITE_COMMAND, address_of(reg::launch_descriptor, bank), words.data(), sizeof words);
  }

  void send_on(std::uint64_t bytes, std::uint64_t flags, std::uint32_t bank = 0) {
    std::array<std::uint64_t, 3> words = {bytes, flags, 1};
    access(tlm::TLM_WRITE_COMMAND, address_of(reg::tx_bytes, bank), words.data(), sizeof words);
  }

  static std::uint64_t address_of(std::uint32_t offset, std::uint32_t bank = 0) {
    return control_base + std::uint64_t{bank} * bank_bytes + offset;
  }
};

struct wafer_bench {
  wafer chip;
  link::port before;
  link::port after;
  bus_master bus{"bus"};
  sc_core::sc_vector<sc_core::sc_signal<bool>> irq;
  std::vector<link::delivery> left;  // what came out downstream

  explicit wafer_bench(const wafer_config& config = small_wafer(), const link::link_config& link = small_link())
      : chip("chip", 5, 7, config, link),
        before("before", link),
        after("after", link),
        irq("irq", static_cast<std::size_t>(config.stages)) {
    bus.socket.bind(chip.mmio);
    link::connect(before, chip.upstream);
    link::connect(chip.downstream, after);
    for (std::size_t s = 0; s < irq.size(); ++s)
      chip.stages[s].irq.bind(irq[s]);
    after.on_message([this](link::delivery& d) {
      after.release(d);
      left.push_back(d);
    });
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  void run_for(double nanoseconds) { sc_core::sc_start(ns(nanoseconds)); }
  // Lets what is due now happen.
  void settle() {
    while (sc_core::sc_pending_activity_at_current_time())
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  // Hands a pass of 1000 B to the previous machine's port; it arrives 1083.04 ns later.
  void send(std::uint64_t request, std::uint64_t flags = 0, std::uint64_t tokens = 1, std::uint64_t context = 0,
            std::int64_t bytes = 1000) {
    pass p;
    p.request = request;
    p.flags = flags;
    p.tokens = tokens;
    p.context = context;
    link::message m;
    m.size = base::bytes{bytes};
    m.request = request;
    m.header = p.to_words();
    before.send(m);
  }

  pass out(std::size_t i) const {
    return pass::from_words(left.at(i).content.header, static_cast<std::uint64_t>(left.at(i).content.size.value()));
  }
};

}  // namespace scribeline::wafer
