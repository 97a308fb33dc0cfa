#include <catch2/catch.hpp>

#include "firmware_stubs/hal/wafer_driver.h"
#include "tests/unit/wafer/wafer_bench.h"

using namespace scribeline;
using namespace scribeline::wafer;

namespace {

struct driver_bench : wafer_bench {
  tlm_utils::tlm_quantumkeeper keeper;
  hal::wafer_driver<decltype(bus_master::socket)> driver;

  explicit driver_bench(std::uint32_t bank = 0) : wafer_bench(small_wafer(2)), driver(bus.socket, keeper, bank) {}
};

}  // namespace

TEST_CASE("every call of the driver is one transaction whose time is added to the keeper's") {
  driver_bench bench;
  bench.keeper.set(ns(7));
  CHECK(bench.driver.read(reg::id) == chip_id);
  CHECK(bench.keeper.get_local_time() == ns(57));
  bench.driver.write(reg::irq_mask, irq::message_arrived);
  CHECK(bench.keeper.get_local_time() == ns(107));
  bench.send(42, message_flag::emits, 9, 77);
  bench.run_for(3000);
  const auto head = bench.driver.read_head();
  CHECK(head.waiting == 1);
  CHECK(head.pass.request == 42);
  CHECK(head.pass.tokens == 9);
  CHECK(head.pass.context == 77);
  CHECK(head.pass.flags == message_flag::emits);
  CHECK(head.pass.bytes == 1000);
  CHECK(bench.driver.claim_interrupts() == irq::message_arrived);
  std::vector<descriptor> list = {product(100, 3)};
  bench.driver.write_descriptors(3, list);
  bench.driver.launch(3, 1, {1, 0, 1});
  CHECK(bench.keeper.get_local_time() == ns(307));
  bench.run_for(1000);
  CHECK(bench.bus.read(reg::count_busy_ps) == 180000);
  bench.driver.send_on(10, 0);
  bench.run_for(1000);
  CHECK(bench.driver.read_head().waiting == 0);
}

TEST_CASE("a driver talks to its own bank") {
  driver_bench bench(1);
  CHECK(bench.driver.read(reg::stage) == 8);
}

TEST_CASE("a refused transaction is an error that names the access, the register and the answer") {
  driver_bench bench;
  CHECK_THROWS_WITH(bench.driver.write(reg::status, 1), Catch::Contains("write of 8 bytes") &&
                                                            Catch::Contains("STATUS") &&
                                                            Catch::Contains("TLM_COMMAND_ERROR_RESPONSE"));
  CHECK_THROWS_WITH(bench.driver.read(0x38), Catch::Contains("read of 8 bytes") &&
                                                 Catch::Contains("0x4000000000000038") &&
                                                 Catch::Contains("TLM_ADDRESS_ERROR_RESPONSE"));
}
