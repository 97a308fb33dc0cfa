#include <catch2/catch.hpp>
#include <cstring>

#include "firmware_stubs/streamer/layer_streamer.h"
#include "tests/unit/wafer/wafer_bench.h"

using namespace scribeline;
using namespace scribeline::wafer;
using streamer::layer_streamer;
using streamer::streamer_config;

namespace {

streamer_config firmware(std::vector<descriptor> descriptors) {
  streamer_config c;
  c.descriptors = std::move(descriptors);
  c.output_bytes_per_token = 100;
  c.interrupt_latency_ns = 200;
  return c;
}

// A wafer of one stage with its firmware, between two neighbours. Register accesses take 50 ns.
struct stage_bench {
  class wafer chip;
  link::port before;
  link::port after;
  layer_streamer stub;
  sc_core::sc_signal<bool> irq;
  std::vector<link::delivery> left;

  explicit stage_bench(const streamer_config& config, const link::link_config& link = small_link())
      : chip("chip", 0, 0, small_wafer(), link),
        before("before", link),
        after("after", link),
        stub("firmware", config) {
    stub.mmio.bind(chip.mmio);
    stub.irq.bind(irq);
    chip.stages[0].irq.bind(irq);
    link::connect(before, chip.upstream);
    link::connect(chip.downstream, after);
    after.on_message([this](link::delivery& d) {
      after.release(d);
      left.push_back(d);
    });
  }

  void send(std::uint64_t request, std::uint64_t tokens = 1, std::uint64_t flags = 0, double delay_ns = 0,
            std::int64_t bytes = 1000) {
    pass p;
    p.request = request;
    p.tokens = tokens;
    p.flags = flags;
    link::message m;
    m.size = base::bytes{bytes};
    m.header = p.to_words();
    before.send(m, ns(delay_ns));
  }

  pass out(std::size_t i) const {
    return pass::from_words(left.at(i).content.header, static_cast<std::uint64_t>(left.at(i).content.size.value()));
  }
};

constexpr double arrival = 1083.04;  // of a message of 1000 B sent at 0, in ns

}  // namespace

TEST_CASE("one pass takes interrupt, claim, read, launch, interrupt, claim and send, to the picosecond") {
  stage_bench bench(firmware({product(100, 3)}));
  bench.send(42, 3);
  sc_core::sc_start(ns(20000));
  REQUIRE(bench.left.size() == 1);
  // Interrupt 200, claim 50, read head 50, launch doorbell 50, launch 180, interrupt 200, claim 50, send on 50.
  CHECK(bench.left[0].sent_at == ns(arrival + 200 + 50 + 50 + 50 + 180 + 200 + 50 + 50));
  CHECK(bench.out(0).bytes == 300);
  CHECK(bench.out(0).request == 42);
  const auto& decode = bench.chip.stages[0].statistics().decode;
  CHECK(decode.firmware_ps == 650000);
  CHECK(decode.compute_ps == 180000);
  CHECK(decode.waiting_ps == 0);
}

TEST_CASE("boot stores the descriptors where they belong and unmasks the interrupts") {
  auto config = firmware({product(100, 3), product(100, 1)});
  config.first_descriptor = 5;
  stage_bench bench(config);
  bus_master bus("bus");
  bus.socket.bind(bench.chip.mmio);
  sc_core::sc_start(ns(1000));
  descriptor stored[7];
  REQUIRE(bus.access(tlm::TLM_READ_COMMAND, descriptor_memory_base, stored, sizeof stored) == tlm::TLM_OK_RESPONSE);
  CHECK(stored[5].extent_b == 3);
  CHECK(stored[6].extent_b == 1);
  CHECK(static_cast<int>(stored[4].op) == 0);
  CHECK(bus.read(reg::irq_mask) == (irq::message_arrived | irq::launch_done | irq::error));
  bench.send(1);
  sc_core::sc_start(ns(20000));
  REQUIRE(bench.left.size() == 1);
  CHECK(bus.read(reg::count_busy_ps) == 240000);
}

TEST_CASE("queued passes follow one another without an interrupt in between") {
  stage_bench bench(firmware({product(100, 3)}));
  for (std::uint64_t request = 1; request <= 3; ++request)
    bench.send(request);
  sc_core::sc_start(ns(20000));
  REQUIRE(bench.left.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(bench.out(i).request == i + 1);
  // The others arrive 83.04 and 166.08 ns behind the first, while the firmware has its interrupt. From then on: read
  // 50, doorbell 50, launch 180, interrupt 200, claim 50, send 50.
  const double first = arrival + 200 + 50 + 50 + 50 + 180 + 200 + 50 + 50;
  CHECK(bench.left[0].sent_at == ns(first));
  CHECK(bench.left[1].sent_at == ns(first + 580));
  CHECK(bench.left[2].sent_at == ns(first + 2 * 580));
  CHECK(bench.chip.stages[0].statistics().queue_peak == 3);
}

namespace {

// A launch of 100 operations of 60 cycles: 6000 ns, from `arrival` + 350 on.
struct launched_bench : stage_bench {
  const double done = arrival + 350 + 6000;

  launched_bench() : stage_bench(firmware({product(100, 100)})) { send(1); }

  // When pass 1 is sent on, with pass 2 arriving at `when`.
  sc_core::sc_time sent_with_arrival_at(double when) {
    send(2, 1, 0, when - arrival);
    sc_core::sc_start(ns(60000));
    REQUIRE(left.size() == 2);
    return left[0].sent_at;
  }
};

}  // namespace

TEST_CASE("a message that arrives during a launch interrupts the firmware and leaves the completion to its time") {
  launched_bench bench;
  CHECK(bench.sent_with_arrival_at(4000) == ns(bench.done + 200 + 50 + 50));
}

TEST_CASE("one interrupt handler claims an arrival and the completion that came before it looked") {
  launched_bench bench;
  CHECK(bench.sent_with_arrival_at(bench.done - 100) == ns(bench.done - 100 + 200 + 50 + 50));
}

TEST_CASE("a launch that ends while the handler claims an arrival interrupts again") {
  launched_bench bench;  // claimed from done - 10 to done + 40
  CHECK(bench.sent_with_arrival_at(bench.done - 210) == ns(bench.done + 40 + 200 + 50 + 50));
}

TEST_CASE("a line that has just fallen is not taken for an interrupt, which would find the completion too early") {
  launched_bench bench;  // claimed until done - 60
  CHECK(bench.sent_with_arrival_at(bench.done - 310) == ns(bench.done + 200 + 50 + 50));
}

TEST_CASE("of many messages that arrive during a launch none is lost, and they keep their order") {
  launched_bench bench;
  for (std::uint64_t request = 2; request <= 20; ++request)
    bench.send(request, 1, 0, 300.0 * static_cast<double>(request));
  sc_core::sc_start(ns(200000));
  REQUIRE(bench.left.size() == 20);
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(bench.out(i).request == i + 1);
}

TEST_CASE("a stage without descriptors passes messages on without a launch") {
  stage_bench bench(firmware({}));
  bench.send(1);
  sc_core::sc_start(ns(20000));
  REQUIRE(bench.left.size() == 1);
  CHECK(bench.left[0].sent_at == ns(arrival + 200 + 50 + 50 + 50));
}

TEST_CASE("the last stage launches for passes that emit, for the last token of a prompt and for all of a decode pass") {
  auto config = firmware({product(100, 3, scale::tokens)});
  config.role = streamer::stage_role::head;
  config.output_bytes_per_token = 4;
  stage_bench bench(config);
  bench.send(1, 5, message_flag::prefill);
  sc_core::sc_start(ns(20000));
  bench.send(2, 5, message_flag::prefill | message_flag::emits | message_flag::last_chunk);
  sc_core::sc_start(ns(20000));
  bench.send(3, 2, message_flag::emits);
  sc_core::sc_start(ns(20000));
  REQUIRE(bench.left.size() == 3);
  const auto& s = bench.chip.stages[0].statistics();
  CHECK(s.prefill.compute_ps == 180000);  // of the second only, one token
  CHECK(s.decode.compute_ps == 360000);
  CHECK(bench.out(1).tokens == 5);
  CHECK(bench.out(2).bytes == 8);
  CHECK(bench.out(1).flags == (message_flag::prefill | message_flag::emits | message_flag::last_chunk));
}

TEST_CASE("the load of the experts is asked for each pass and reaches the launch") {
  auto config = firmware({product(100, 3, scale::expert_load)});
  config.expert_load = [](const pass& p, launch_arguments& a) { a.expert_load = p.request; };
  stage_bench bench(config);
  bench.send(4);
  sc_core::sc_start(ns(20000));
  CHECK(bench.chip.stages[0].statistics().decode.compute_ps == 4 * 180000);
}

TEST_CASE("a draft stage works on all tokens and makes its guesses one after the other, only behind passes that emit") {
  // Two operations of 60 cycles a token, then one of 110 for the logits.
  auto config = firmware({product(100, 2, scale::tokens), product(200, 1, scale::tokens)});
  config.role = streamer::stage_role::draft;
  config.first_logit_descriptor = 1;
  config.draft_tokens = 3;
  config.output_bytes_per_token = 4;
  stage_bench bench(config);
  bench.send(1, 5, message_flag::prefill);
  sc_core::sc_start(ns(20000));
  bench.send(2, 4, message_flag::emits);
  sc_core::sc_start(ns(20000));
  REQUIRE(bench.left.size() == 2);
  const auto& s = bench.chip.stages[0].statistics();
  CHECK(s.prefill.compute_ps == 5 * 120000);
  // Four tokens, the first guess from the last of them, and two more.
  CHECK(s.decode.compute_ps == 4 * 120000 + 110000 + 2 * (120000 + 110000));
  // Interrupt 200, claim and head 100, send on 50; each of the four launches: doorbell 50, interrupt 200, claim 50.
  CHECK(s.decode.firmware_ps == 350000 + 4 * 300000);
}

namespace {

// Answers every read with the same number.
struct other_chip : sc_core::sc_module {
  tlm_utils::simple_target_socket<other_chip, 64> socket{"socket"};
  explicit other_chip(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &other_chip::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const std::uint64_t value = 0x1234;
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &value, sizeof value);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

}  // namespace

TEST_CASE("firmware that finds another chip stops with what it read and what it drives") {
  other_chip chip("chip");
  layer_streamer stub("firmware", firmware({}));
  sc_core::sc_signal<bool> irq;
  stub.mmio.bind(chip.socket);
  stub.irq.bind(irq);
  CHECK_THROWS_WITH(sc_core::sc_start(ns(100)),
                    Catch::Contains("firmware: bank 0 of the wafer reads ID 0x1234 version 4660") &&
                        Catch::Contains("drives 0x57414652 version 2"));
}

TEST_CASE("firmware whose doorbell is refused stops with the reason") {
  descriptor senseless = product(100, 3);
  senseless.cores = 0;
  stage_bench bench(firmware({senseless}));
  bench.send(1);
  CHECK_THROWS_WITH(sc_core::sc_start(ns(20000)), Catch::Contains("firmware: bank 0 of the wafer refused a doorbell") &&
                                                      Catch::Contains("bad descriptor"));
}
