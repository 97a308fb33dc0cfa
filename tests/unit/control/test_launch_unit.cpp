#include <catch2/catch.hpp>
#include <string>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/control/common_registers.h"
#include "rtl_tlm/control/launch_unit.h"

using namespace scribeline;
using namespace scribeline::control;

namespace {

const std::vector<base::register_spec>& registers() {
  using base::register_access;
  static const std::vector<base::register_spec> map = {
      {reg::irq_claim, "IRQ_CLAIM", register_access::read_to_clear, 0, ""},
      {reg::irq_mask, "IRQ_MASK", register_access::read_write, 3, ""},
      {reg::status, "STATUS", register_access::read_only, 0, ""},
      {reg::count_launches, "COUNT_LAUNCHES", register_access::read_only, 0, ""},
      {reg::count_busy_ps, "COUNT_BUSY_PS", register_access::read_only, 0, ""}};
  return map;
}

// Writes down what the unit tells, with the time in picoseconds and STATUS.
struct chip : sc_core::sc_module, private launch_listener {
  sc_core::sc_out<bool> irq{"irq"};
  base::register_file window{registers(), 0x1000};
  std::string log;
  launch_unit unit{"unit", window, irq, *this, {1, 2}};

  explicit chip(const sc_core::sc_module_name& name) : sc_module(name) {}

 private:
  void note(const std::string& what) {
    log += what + "@" + std::to_string(sc_core::sc_time_stamp().value()) + "/" +
           std::to_string(window.value(reg::status)) + " ";
  }
  void launch_begins() override { note("begin"); }
  void operation_begins(std::uint32_t operation) override { note(std::to_string(operation)); }
  void launch_is_over() override { note("over"); }
  void launch_is_told() override { note("told"); }
};

struct bench {
  chip dut{"dut"};
  sc_core::sc_signal<bool> irq{"irq"};

  bench() {
    dut.irq.bind(irq);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  std::uint64_t value(std::uint32_t offset) const { return dut.window.value(offset); }
};

void run_ps(double ps) {
  sc_core::sc_start(base::picoseconds(ps));
}

}  // namespace

TEST_CASE("parts of a launch add up to its rounded whole") {
  launch_segments s;
  for (std::uint32_t i = 1; i <= 3; ++i)
    s.add(i, i * 10.0 / 3);  // 3.33, 6.67, 10
  REQUIRE(s.size() == 3);
  CHECK(s[0].duration == base::picoseconds(3));
  CHECK(s[1].duration == base::picoseconds(4));
  CHECK(s[2].duration == base::picoseconds(3));
  CHECK(s[2].operation == 3);
  CHECK(s.duration_ps() == 10);
  s.clear();
  CHECK(s.size() == 0);
  CHECK(s.duration_ps() == 0);
}

TEST_CASE("a launch goes through its parts and ends with idle, the interrupt and its counters") {
  bench b;
  b.dut.unit.segments.add(7, 100);
  b.dut.unit.segments.add(9, 150);
  b.dut.unit.start(base::picoseconds(1000));
  CHECK(b.dut.unit.running());
  CHECK(b.value(reg::status) == status_code::running);
  run_ps(1149);
  CHECK_FALSE(b.irq.read());
  run_ps(2);
  CHECK(b.irq.read());
  CHECK_FALSE(b.dut.unit.running());
  CHECK(b.dut.log == "begin@1000/1 7@1000/1 9@1100/1 over@1150/1 told@1150/0 ");
  CHECK(b.value(reg::irq_claim) == 1);
  CHECK(b.value(reg::count_launches) == 1);
  CHECK(b.value(reg::count_busy_ps) == 150);
}

TEST_CASE("a refusal raises the error, keeps its reason to the next launch, and disturbs no launch") {
  bench b;
  b.dut.unit.segments.add(0, 100);
  b.dut.unit.start(sc_core::SC_ZERO_TIME);
  run_ps(50);
  b.dut.unit.refuse(status_code::launch_while_running);
  run_ps(100);
  CHECK(b.value(reg::irq_claim) == 3);
  CHECK(b.value(reg::status) == status_code::launch_while_running);
  CHECK(b.value(reg::count_launches) == 1);
  b.dut.unit.start(sc_core::SC_ZERO_TIME);
  CHECK(b.value(reg::status) == status_code::running);
}

TEST_CASE("the line is high while a cause is not masked") {
  bench b;
  b.dut.window.set(reg::irq_mask, 2);
  b.dut.unit.raise(1);
  run_ps(1);
  CHECK_FALSE(b.irq.read());
  b.dut.window.set(reg::irq_mask, 1);
  b.dut.unit.interrupt_registers_changed();
  run_ps(1);
  CHECK(b.irq.read());
}
