#include <catch2/catch.hpp>

#include "tests/unit/wafer/wafer_bench.h"

using namespace scribeline::wafer;

TEST_CASE("a message goes in upstream and out downstream, with its numbers and the time it took") {
  wafer_bench bench;
  bench.send(42, message_flag::emits, 9, 77);
  bench.run_for(2000);
  bench.bus.ahead = ns(100);
  bench.bus.send_on(2000, message_flag::emits | message_flag::last_chunk);  // leaves at 2150
  bench.run_for(5000);

  REQUIRE(bench.left.size() == 1);
  // One frame of 1500 and one of 500 B: (1538 + 538) x 0.08 ns behind 1000 ns of latency.
  CHECK(bench.left[0].sent_at == ns(2150));
  CHECK(bench.left[0].arrived_at == ns(2150 + 1000 + 166.08));
  const pass p = bench.out(0);
  CHECK(p.request == 42);
  CHECK(p.tokens == 9);
  CHECK(p.context == 77);
  CHECK(p.flags == (message_flag::emits | message_flag::last_chunk));
  CHECK(p.bytes == 2000);
  CHECK(p.link_ps == 1083040);
  CHECK(p.stages_ps == 2150000 - 1083040);
  CHECK(p.last_stage_ps == p.stages_ps);
}

TEST_CASE("messages leave in the order they came, those sent on ahead of time too") {
  wafer_bench bench;
  for (std::uint64_t request = 1; request <= 3; ++request)
    bench.send(request);
  bench.run_for(5000);
  REQUIRE(bench.bus.read(reg::rx_count) == 3);
  for (int i = 0; i < 3; ++i) {
    bench.bus.ahead = ns(100.0 * i);
    bench.bus.send_on(100, 0);
  }
  CHECK(bench.bus.read(reg::rx_count) == 0);
  bench.run_for(5000);
  REQUIRE(bench.left.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(bench.out(i).request == i + 1);
    CHECK(bench.left[i].sent_at == ns(5050 + 100.0 * static_cast<double>(i)));
  }
}

TEST_CASE("a pass holds the receive buffer until its stage sends it on") {
  auto link = small_link();
  link.receive_buffer_bytes = 2500;  // two messages of 1000 B and no third
  wafer_bench bench(small_wafer(), link);
  for (std::uint64_t request = 1; request <= 3; ++request)
    bench.send(request);
  bench.run_for(10000);
  CHECK(bench.bus.read(reg::rx_count) == 2);
  CHECK(bench.before.queued_messages() == 1);
  CHECK_THAT(bench.chip.why_blocked(), Catch::Contains("request 1 waits for the firmware, 1 more waiting") &&
                                           Catch::Contains("chip.upstream: 2 delivered messages hold"));
  bench.bus.send_on(100, 0);
  bench.run_for(10000);
  CHECK(bench.bus.read(reg::rx_count) == 2);
  CHECK(bench.before.queued_messages() == 0);
}

TEST_CASE("stages of one wafer hand passes on over the fabric, each with its own bank") {
  wafer_bench bench(small_wafer(3));
  for (std::uint32_t bank = 0; bank < 3; ++bank)
    bench.bus.write(reg::irq_mask, irq::message_arrived, bank);
  bench.send(42);
  bench.run_for(2000);
  CHECK(bench.irq[0].read());
  CHECK_FALSE(bench.irq[1].read());
  CHECK(bench.bus.read(reg::rx_count, 1) == 0);

  // Hand-off: (16 + 8) / (2 x 3) = 4 hops of one cycle, 4 ns.
  bench.bus.send_on(600, 0, 0);  // leaves at 2050
  bench.run_for(50 + 4 - 0.001);
  CHECK(bench.bus.read(reg::rx_count, 1) == 0);
  bench.run_for(0.001);
  bench.settle();
  CHECK(bench.bus.read(reg::rx_count, 1) == 1);
  CHECK(bench.bus.read(reg::rx_request, 1) == 42);
  CHECK(bench.bus.read(reg::rx_bytes, 1) == 600);
  CHECK(bench.irq[1].read());
  CHECK(bench.bus.read(reg::rx_count, 0) == 0);
  CHECK(bench.left.empty());

  bench.bus.send_on(500, 0, 1);
  bench.run_for(1000);
  bench.bus.send_on(400, 0, 2);
  bench.run_for(5000);
  REQUIRE(bench.left.size() == 1);
  CHECK(bench.out(0).bytes == 400);
  CHECK(bench.out(0).link_ps == 1083040);  // off-wafer links only
  for (std::size_t s = 0; s < 3; ++s) {
    const auto& decode = bench.chip.stages[s].statistics().decode;
    CHECK(decode.passes == 1);
    CHECK(decode.handoff_ps == (s == 0 ? 0 : 4000));
    CHECK(decode.link_ps == (s == 0 ? 1083040 : 0));
  }
}

TEST_CASE("hand-offs take the hops the firmware's blocks are apart, and overtake each other where they are shorter") {
  auto config = small_wafer(3);
  config.handoff_hops = {100, 7};
  wafer_bench bench(config);
  bench.send(1);
  bench.run_for(2000);
  bench.bus.send_on(600, 0, 0);  // leaves at 2050, 100 ns
  bench.run_for(50 + 100 + 10);
  bench.settle();
  REQUIRE(bench.bus.read(reg::rx_count, 1) == 1);
  bench.send(2);
  bench.run_for(2000);
  bench.bus.send_on(600, 0, 0);  // request 2 to the second stage, 100 ns
  bench.bus.send_on(500, 0, 1);  // request 1 to the third, 7 ns
  bench.run_for(50 + 7);
  bench.settle();
  CHECK(bench.bus.read(reg::rx_request, 2) == 1);
  CHECK(bench.bus.read(reg::rx_count, 1) == 0);
  bench.run_for(93);
  bench.settle();
  CHECK(bench.bus.read(reg::rx_request, 1) == 2);
  CHECK(bench.chip.stages[1].statistics().decode.handoff_ps == 2 * 100000);
  CHECK(bench.chip.stages[2].statistics().decode.handoff_ps == 7000);
}

TEST_CASE("a list of hand-offs that does not fit the stages is refused with both numbers") {
  auto config = small_wafer(3);
  config.handoff_hops = {100};
  CHECK_THROWS_WITH(wafer_bench(config), Catch::Contains("handoff_hops has 1 entries; 3 stages need 2"));
}

TEST_CASE("descriptor memory is shared by the stages of a wafer, launches are not") {
  wafer_bench bench(small_wafer(2));
  bench.bus.store({product(100, 3), product(100, 1)});
  bench.send(1);
  bench.send(2);
  bench.run_for(3000);
  bench.bus.send_on(600, 0, 0);
  bench.run_for(1000);
  bench.bus.launch(0, 1, {}, 0);
  bench.bus.launch(1, 1, {}, 1);
  CHECK(bench.bus.read(reg::status, 0) == status_code::running);
  CHECK(bench.bus.read(reg::status, 1) == status_code::running);
  bench.run_for(1000);
  CHECK(bench.bus.read(reg::count_busy_ps, 0) == 180000);
  CHECK(bench.bus.read(reg::count_busy_ps, 1) == 60000);
}

namespace {

class recorder final : public stage_observer {
 public:
  std::vector<std::string> seen;
  void message_arrived(const pass& p, std::size_t queued) override { note("arrived", p.request, queued); }
  void launch_started(const pass& p) override { note("launch", p.request, 0); }
  void operation_started(std::uint32_t operation) override { note("operation", operation, 0); }
  void launch_finished(const pass& p) override { note("done", p.request, 0); }
  void message_sent(const pass& p, std::size_t queued) override { note("sent", p.request, queued); }

 private:
  void note(const std::string& what, std::uint64_t number, std::size_t queued) {
    seen.push_back(what + " " + std::to_string(number) + " " + std::to_string(queued) + " @" +
                   std::to_string(sc_core::sc_time_stamp().value()));
  }
};

}  // namespace

TEST_CASE("an observer sees each operation at its time, and does not change any") {
  wafer_bench bench;
  recorder seen;
  bench.chip.stages[0].observe(seen);
  std::vector<descriptor> list = {product(100, 3), product(100, 1), collective(opcode::transfer, 10, 7)};
  list[2].operation = 1;
  bench.bus.store(list);
  bench.send(42);
  bench.run_for(2000);
  bench.bus.launch(0, 3);
  bench.run_for(1000);
  bench.bus.send_on(100, 0);
  bench.run_for(1000);
  // 180 + 60 cycles of operation 0, 19 of operation 1.
  const std::vector<std::string> expected = {"arrived 42 1 @1083040",  "launch 42 0 @2050000", "operation 0 0 @2050000",
                                             "operation 1 0 @2290000", "done 42 0 @2309000",   "sent 42 0 @3050000"};
  CHECK(seen.seen == expected);
}

TEST_CASE("a wafer without a stage is refused when it is built") {
  CHECK_THROWS_WITH(wafer("chip", 0, 0, small_wafer(0), small_link()), Catch::Contains("stages = 0"));
}
