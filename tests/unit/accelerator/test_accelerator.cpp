#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "rtl_tlm/accelerator/accelerator.h"
#include "rtl_tlm/base/units.h"
#include "tests/support/bus_master.h"
#include "tests/unit/accelerator/small_accelerator.h"

using namespace scribeline;
using namespace scribeline::accelerator;

namespace {

class bus_master : public test_support::bus_master {
 public:
  using test_support::bus_master::bus_master;

  std::uint64_t read(std::uint32_t offset) {
    std::uint64_t value = ~std::uint64_t{0};
    access(tlm::TLM_READ_COMMAND, control_base + offset, &value, 8);
    return value;
  }
  void write(std::uint32_t offset, std::uint64_t value) {
    access(tlm::TLM_WRITE_COMMAND, control_base + offset, &value, 8);
  }
  void store(std::vector<descriptor> list) {
    access(tlm::TLM_WRITE_COMMAND, descriptor_memory_base, list.data(), list.size() * sizeof(descriptor));
  }
  void launch(std::uint64_t first, std::uint64_t count) {
    std::array<std::uint64_t, 11> words = {first, count, 1, 1, 0, 1000, 1000, 1000, 1000, 0, 1};
    access(tlm::TLM_WRITE_COMMAND, control_base + reg::launch_descriptor, words.data(), sizeof words);
  }
};

struct bench {
  fixed_network network{100};
  bus_master master{"master"};
  ::scribeline::accelerator::accelerator chip{"chip", 3, small_accelerator(), network};
  sc_core::sc_signal<bool> irq{"irq"};

  bench() {
    master.socket.bind(chip.mmio);
    chip.irq.bind(irq);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    master.write(reg::irq_mask, irq::launch_done | irq::error);
  }
  void run(double ns) { sc_core::sc_start(base::picoseconds(ns * 1000)); }
};

}  // namespace

TEST_CASE("an accelerator says who it is, and a register access takes its time") {
  bench b;
  CHECK(b.master.read(reg::id) == chip_id);
  CHECK(b.master.read(reg::version) == register_map_version);
  CHECK(b.master.read(reg::capability) == (std::uint64_t{4} << 32 | 8));
  CHECK(b.master.read(reg::rank) == 3);
  CHECK(b.master.took == base::picoseconds(50'000));
}

TEST_CASE("a launch runs its descriptors one after the other and ends with an interrupt") {
  bench b;
  // 5 + 10 + 4 + 20 ns, then 100 ns of network.
  b.master.store({product(8000, 10), exchange_of(opcode::all_reduce, 64, 8)});
  b.master.launch(0, 2);
  CHECK(b.master.read(reg::status) == status_code::running);
  b.run(50 + 138.9);
  CHECK_FALSE(b.irq.read());
  b.run(0.2);
  CHECK(b.irq.read());
  CHECK(b.master.read(reg::status) == status_code::idle);
  CHECK(b.master.read(reg::count_launches) == 1);
  CHECK(b.master.read(reg::count_busy_ps) == 139'000);
  CHECK(b.master.read(reg::count_network_ps) == 100'000);
  CHECK(b.master.read(reg::count_hbm_bytes) == 8000);
  CHECK(b.master.read(reg::count_macs) == 10);
  CHECK(b.master.read(reg::irq_claim) == irq::launch_done);
  b.run(0.001);
  CHECK_FALSE(b.irq.read());
}

TEST_CASE("costs are kept by operation") {
  bench b;
  descriptor second = product(4000, 1);
  second.operation = 1;
  descriptor third = exchange_of(opcode::all_reduce, 64, 8);
  third.operation = 1;
  b.master.store({product(8000, 10), second, third});
  b.master.launch(0, 3);
  b.run(1000);
  REQUIRE(b.chip.last_launch().size() == 2);
  CHECK(b.chip.last_launch()[0].sum.total_ns() == Approx(39));
  CHECK(b.chip.last_launch()[1].sum.total_ns() == Approx(29 + 100));
  CHECK(b.chip.last_launch_ps() == 168'000);
}

TEST_CASE("bad doorbells are refused with a reason and change nothing") {
  bench b;
  descriptor too_large = exchange_of(opcode::all_reduce, 64, 9);
  b.master.store({product(8000, 10), too_large});
  for (const auto& [first, count] : {std::pair{0, 0}, {0, 3}, {2, 1}, {1, 1}}) {
    CAPTURE(first, count);
    b.master.launch(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
    CHECK(b.master.read(reg::status) == status_code::bad_descriptor);
    CHECK(b.master.read(reg::irq_claim) == irq::error);
  }
  b.master.launch(0, 1);
  b.master.launch(0, 1);
  CHECK(b.master.read(reg::status) == status_code::launch_while_running);
  b.run(200);
  CHECK(b.master.read(reg::irq_claim) == (irq::launch_done | irq::error));
  CHECK(b.master.read(reg::count_launches) == 1);
}

TEST_CASE("accesses outside the control window are refused") {
  bench b;
  std::uint64_t word = 0;
  CHECK(b.master.access(tlm::TLM_READ_COMMAND, 0x1000, &word, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.master.access(tlm::TLM_READ_COMMAND, control_base + 0x38, &word, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.master.access(tlm::TLM_WRITE_COMMAND, control_base + reg::id, &word, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(b.master.access(tlm::TLM_WRITE_COMMAND, descriptor_memory_base + descriptor_memory_bytes, &word, 8) ==
        tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.master.access(tlm::TLM_READ_COMMAND, control_base, nullptr, 8) == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("debug and non-blocking transactions work, direct memory access is not offered") {
  bench b;
  std::uint64_t word = 0;
  tlm::tlm_generic_payload payload;
  bus_master::fill(payload, tlm::TLM_READ_COMMAND, control_base + reg::id, &word, 8);
  CHECK(b.master.socket->transport_dbg(payload) == 8);
  CHECK(word == chip_id);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  word = 0;
  CHECK(b.master.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED);
  CHECK(word == chip_id);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(b.master.socket->get_direct_mem_ptr(payload, dmi));
}

TEST_CASE("every number of every preset has a source, and every preset is found by its name") {
  CHECK(accelerator_presets().size() == 6);
  const auto& fields = accelerator_presets().front().sources;
  for (const auto& preset : accelerator_presets()) {
    CAPTURE(preset.name);
    CHECK(find_accelerator_preset(preset.name) == &preset);
    CHECK(preset.sources.size() == fields.size());
    for (const auto& [field, source] : preset.sources) {
      CAPTURE(field);
      CHECK(fields.count(field) == 1);
      CHECK(source.size() > 3);
    }
    const accelerator_config& c = preset.config;
    CHECK(c.hbm_bytes_for_data() > 0);
    CHECK(c.tflops_8bit >= c.tflops_16bit);
    CHECK(c.network.gbytes_per_s > 0);
  }
  CHECK(find_accelerator_preset("h20") == nullptr);
}
