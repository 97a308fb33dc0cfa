#include <catch2/catch.hpp>

#include "tests/unit/wafer/counting_kernels.h"
#include "tests/unit/wafer/wafer_bench.h"

using namespace scribeline::wafer;

namespace {

constexpr double arrival = 1083.04;  // of a message sent at 0, in ns

// A bench with one message received and a launch of 180 cycles stored.
struct loaded_bench : wafer_bench {
  loaded_bench() {
    bus.write(reg::irq_mask, irq::message_arrived | irq::launch_done | irq::error);
    bus.store({product(100, 3)});
    send(42, message_flag::prefill | message_flag::emits, 9, 77);
    run_for(2000);
  }
};

}  // namespace

TEST_CASE("a received message shows at the head and raises the line until it is claimed") {
  wafer_bench bench;
  bench.bus.write(reg::irq_mask, irq::message_arrived);
  bench.send(42, message_flag::prefill, 9, 77);
  bench.run_for(arrival - 0.001);
  CHECK_FALSE(bench.irq[0].read());
  CHECK(bench.bus.read(reg::rx_count) == 0);
  bench.run_for(0.001);
  bench.settle();
  CHECK(bench.irq[0].read());
  CHECK(bench.bus.read(reg::rx_count) == 1);
  CHECK(bench.bus.read(reg::rx_request) == 42);
  CHECK(bench.bus.read(reg::rx_tokens) == 9);
  CHECK(bench.bus.read(reg::rx_context) == 77);
  CHECK(bench.bus.read(reg::rx_flags) == message_flag::prefill);
  CHECK(bench.bus.read(reg::rx_bytes) == 1000);

  CHECK(bench.bus.read(reg::irq_claim) == irq::message_arrived);
  bench.settle();
  CHECK_FALSE(bench.irq[0].read());
  CHECK(bench.bus.read(reg::irq_claim) == 0);
  CHECK(bench.bus.read(reg::rx_count) == 1);  // the message stays
}

TEST_CASE("the line follows cause and mask, also for a cause raised while another is claimed ahead of time") {
  wafer_bench bench;
  bench.send(1);
  bench.run_for(2000);
  CHECK_FALSE(bench.irq[0].read());  // masked
  bench.bus.write(reg::irq_mask, irq::message_arrived);
  bench.settle();
  CHECK(bench.irq[0].read());
  bench.bus.write(reg::irq_mask, irq::launch_done);
  bench.settle();
  CHECK_FALSE(bench.irq[0].read());

  // Firmware 500 ns ahead of the kernel claims; a message arrives 100 ns from now and must not be lost.
  bench.bus.write(reg::irq_mask, irq::message_arrived);
  bench.send(2);
  bench.run_for(arrival - 100);
  bench.bus.ahead = ns(500);
  CHECK(bench.bus.read(reg::irq_claim) == irq::message_arrived);
  bench.run_for(1000);
  CHECK(bench.irq[0].read());
  CHECK(bench.bus.read(reg::irq_claim) == irq::message_arrived);
}

TEST_CASE("a launch takes its cycles to the picosecond, from the time annotated on the doorbell") {
  loaded_bench bench;
  bench.bus.read(reg::irq_claim);
  bench.bus.ahead = ns(200);
  bench.bus.launch(0, 1);  // with its 50 ns of access it starts 250 ns from now
  CHECK(bench.bus.read(reg::status) == status_code::running);
  bench.settle();
  CHECK_FALSE(bench.irq[0].read());
  bench.run_for(250 + 180 - 0.001);
  CHECK_FALSE(bench.irq[0].read());
  CHECK(bench.bus.read(reg::status) == status_code::running);
  bench.run_for(0.001);
  bench.settle();
  CHECK(bench.irq[0].read());
  CHECK(bench.bus.read(reg::status) == status_code::idle);
  CHECK(bench.bus.read(reg::irq_claim) == irq::launch_done);
  CHECK(bench.bus.read(reg::count_launches) == 1);
  CHECK(bench.bus.read(reg::count_busy_ps) == 180000);
  CHECK(bench.bus.read(reg::count_compute_cycles) == 180);
  CHECK(bench.bus.read(reg::count_fabric_cycles) == 0);
  CHECK(bench.bus.read(reg::count_macs) == 3000);
  CHECK(bench.bus.read(reg::count_sram_bytes) == 12000);
}

TEST_CASE("descriptors of a launch follow one another, and rounding to picoseconds does not add up") {
  wafer_config config = small_wafer();
  config.clock_ghz = 0.3;  // a cycle is 3333.33 ps
  wafer_bench bench(config);
  bench.bus.write(reg::irq_mask, irq::launch_done);
  // 12 + 19 + 12 = 43 cycles, each third of a picosecond counted once: 143,333 ps.
  bench.bus.store({product(4, 1), collective(opcode::transfer, 10, 7), product(4, 1)});
  bench.send(1);
  bench.run_for(2000);
  bench.bus.launch(0, 3);
  bench.run_for(50 + 143.333 - 0.001);
  CHECK_FALSE(bench.irq[0].read());
  bench.run_for(0.001);
  bench.settle();
  CHECK(bench.irq[0].read());
  bench.bus.send_on(10, 0);
  const auto& s = bench.chip.stages[0].statistics().decode;
  CHECK(s.fabric_ps == 63333);
  CHECK(s.compute_ps == 80000);
  CHECK(s.launch_ps() == 143333);
}

TEST_CASE("a kernel is timed when its descriptors, its extents or its ends change, and not otherwise") {
  wafer_config config = small_wafer();
  counting_kernels kernels;
  config.kernels = &kernels;
  wafer_bench bench(config);
  descriptor growing = product(4, 2, scale::tokens | scale::positions);
  growing.positions_divisor = 8;
  bench.bus.store({growing, product(100, 3), collective(opcode::reduce, 16, 7), product(100, 3)});
  bench.send(1);
  bench.run_for(2000);
  double expected = 0;
  const auto launch = [&](std::uint64_t first, std::uint64_t count, std::uint64_t context, double cycles, int calls) {
    bench.bus.launch(first, count, {1, context, 1});
    bench.run_for(10000);
    expected += 1000 * cycles;
    CHECK(static_cast<double>(bench.bus.read(reg::count_busy_ps)) == expected);
    CHECK(kernels.calls == calls);
  };
  launch(0, 4, 96, 3 * 3 + 1, 2);
  for (std::uint64_t context = 97; context < 104; ++context)
    launch(0, 4, context, 3 * 3 + 1, 2);
  launch(0, 4, 104, 3 * 3 + 1, 3);  // a position more on every core
  launch(1, 2, 104, 2 * 2, 4);      // a kernel that begins later
  launch(0, 4, 104, 3 * 3 + 1, 5);
  launch(0, 2, 104, 2 * 2, 6);  // and one that ends sooner
}

TEST_CASE("launch arguments scale the descriptors") {
  wafer_bench bench;
  descriptor attention = product(4, 2, scale::tokens | scale::positions);
  attention.positions_divisor = 8;
  bench.bus.store({attention, product(100, 3, scale::expert_load)});
  bench.send(1);
  bench.run_for(2000);
  const auto busy = [&] { return static_cast<double>(bench.bus.read(reg::count_busy_ps)); };
  bench.bus.launch(0, 2, {7, 96, 4});
  bench.run_for(10000);
  CHECK(busy() == 1000 * (8 * 7 * 16.5 + 4 * 180));
  // The same list with other arguments, and again with the first: nothing of a launch sticks to the next.
  bench.bus.launch(0, 2, {1, 99, 1});
  bench.run_for(10000);
  CHECK(busy() == 1000 * (8 * 7 * 16.5 + 4 * 180 + 8 * 16.5 + 180));
  bench.bus.launch(1, 1, {1, 99, 2});
  bench.run_for(10000);
  CHECK(busy() == 1000 * (8 * 7 * 16.5 + 4 * 180 + 8 * 16.5 + 180 + 360));
  // Rewritten descriptors are the ones that run.
  bench.bus.store({product(100, 1)}, 1);
  bench.bus.launch(1, 1);
  bench.run_for(10000);
  CHECK(busy() == 1000 * (8 * 7 * 16.5 + 4 * 180 + 8 * 16.5 + 180 + 360 + 60));
}

TEST_CASE("a second launch is refused with its reason, which outlasts the first, and changes nothing else") {
  loaded_bench bench;
  bench.bus.read(reg::irq_claim);
  bench.bus.launch(0, 1);
  bench.run_for(100);
  bench.bus.launch(0, 1);
  bench.settle();
  CHECK(bench.irq[0].read());
  CHECK(bench.bus.read(reg::irq_claim) == irq::error);
  CHECK(bench.bus.read(reg::status) == status_code::launch_while_running);
  bench.run_for(1000);
  CHECK(bench.bus.read(reg::irq_claim) == irq::launch_done);
  CHECK(bench.bus.read(reg::status) == status_code::launch_while_running);
  CHECK(bench.bus.read(reg::count_launches) == 1);
  CHECK(bench.bus.read(reg::count_busy_ps) == 180000);
  bench.bus.launch(0, 1);
  CHECK(bench.bus.read(reg::status) == status_code::running);
  bench.run_for(1000);
  CHECK(bench.bus.read(reg::status) == status_code::idle);
}

TEST_CASE("a launch of descriptors that are not there or make no sense is refused") {
  loaded_bench bench;
  descriptor senseless = product(100, 3);
  senseless.positions_divisor = 0;
  bench.bus.store({product(100, 3), senseless}, 1);
  const auto refused = [&](std::uint64_t first, std::uint64_t count) {
    bench.bus.read(reg::irq_claim);
    bench.bus.launch(first, count);
    bench.run_for(10000);
    return bench.bus.read(reg::irq_claim) == irq::error && bench.bus.read(reg::status) == status_code::bad_descriptor;
  };
  CHECK(refused(0, 0));
  CHECK(refused(0, 4));
  CHECK(refused(3, 1));
  CHECK(refused(~std::uint64_t{0}, 2));  // first + count wraps around to 1
  CHECK(refused(1, ~std::uint64_t{0}));
  CHECK(refused(2, 1));
  CHECK(refused(0, 3));
  CHECK(bench.bus.read(reg::count_launches) == 0);
  CHECK(bench.bus.read(reg::count_macs) == 0);
  CHECK_FALSE(refused(0, 2));
  // The work of a refused launch does not count.
  CHECK(bench.bus.read(reg::count_macs) == 6000);
}

TEST_CASE("nothing is launched or sent on without a message, and nothing is sent during a launch or without bytes") {
  wafer_bench bench;
  bench.bus.store({product(100, 3)});
  bench.bus.launch(0, 1);
  CHECK(bench.bus.read(reg::status) == status_code::bad_descriptor);
  bench.bus.send_on(10, 0);
  CHECK(bench.bus.read(reg::status) == status_code::nothing_to_send);
  CHECK(bench.bus.read(reg::irq_claim) == irq::error);

  bench.send(1);
  bench.run_for(2000);
  bench.bus.launch(0, 1);
  bench.bus.send_on(10, 0);
  CHECK(bench.bus.read(reg::status) == status_code::launch_while_running);
  bench.run_for(2000);
  bench.bus.send_on(0, 0);
  CHECK(bench.bus.read(reg::status) == status_code::nothing_to_send);
  CHECK(bench.bus.read(reg::rx_count) == 1);
  bench.run_for(5000);
  CHECK(bench.left.empty());
  bench.bus.send_on(10, 0);
  bench.run_for(5000);
  CHECK(bench.left.size() == 1);
}

TEST_CASE("the parts of a pass's time in a stage add up to its residence") {
  loaded_bench bench;  // prefill 42 arrived at 1083.04; now is 2000
  bench.send(43);      // a decode pass, arrives at 3083.04
  bench.bus.launch(0, 1);
  bench.run_for(1500);                            // 3500; the launch took 180
  bench.bus.send_on(500, message_flag::prefill);  // leaves at 3550
  bench.run_for(500);                             // 4000
  bench.bus.launch(0, 1);
  bench.run_for(500);  // 4500
  bench.bus.launch(0, 1);
  bench.run_for(500);         // 5000
  bench.bus.send_on(500, 0);  // leaves at 5050
  bench.run_for(5000);

  const auto& prefill = bench.chip.stages[0].statistics().prefill;
  CHECK(prefill.passes == 1);
  CHECK(prefill.tokens == 9);
  CHECK(prefill.link_ps == 1083040);
  CHECK(prefill.handoff_ps == 0);
  CHECK(prefill.waiting_ps == 0);
  CHECK(prefill.compute_ps == 180000);
  CHECK(prefill.firmware_ps == 3550000 - 1083040 - 180000);
  CHECK(prefill.total_ps() == 3550000);  // from the moment it was sent, at 0

  const auto& decode = bench.chip.stages[0].statistics().decode;
  CHECK(decode.passes == 1);
  CHECK(decode.link_ps == 1083040);
  CHECK(decode.waiting_ps == 3550000 - 3083040);  // behind 42
  CHECK(decode.compute_ps == 360000);
  CHECK(decode.firmware_ps == 5050000 - 3550000 - 360000);
  CHECK(decode.total_ps() == 5050000 - 2000000);
  CHECK(bench.chip.stages[0].statistics().queue_peak == 2);
}
