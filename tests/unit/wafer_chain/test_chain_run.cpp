#include <catch2/catch.hpp>
#include <cmath>

#include "firmware_stubs/plan/work.h"
#include "platforms/wafer_chain/wafer_chain.h"
#include "tests/unit/wafer_chain/tiny_chain.h"

using namespace scribeline;
using namespace scribeline::platforms;

namespace {

void run(wafer_chain& chain) {
  chain.run(sc_core::sc_time(1, sc_core::SC_MS), [] { return false; });
  REQUIRE(chain.host.done());
}

// What one token's pass takes without anything in its way: links, interrupts and accesses, launches.
std::uint64_t predicted_pass_ps(const chain_config& config, const chain_plan& plan, std::uint64_t context) {
  wafer::launch_timing timing(config.wafer);
  double ps = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    double cycles = 0;
    for (const auto& d : plan.stages[s].placed.program.descriptors)
      cycles += timing.cost_of(d, {1, context, 1}).cycles;
    // Interrupt 200, claim, head, doorbell 3 x 50, launch, interrupt 200, claim, send on 2 x 50.
    ps += std::round(cycles * 1000 / config.wafer.clock_ghz) + 650000;
    const bool last = s + 1 == plan.stages.size();
    if (last || plan.stages[s + 1].wafer != plan.stages[s].wafer) {
      ps += base::to_picoseconds(link::zero_load_latency(
          config.link, base::bytes{static_cast<std::int64_t>(output_bytes_per_token(plan, s))}));
    } else {
      ps += 1000.0 * static_cast<double>(plan.stages[s].hops_to_next);  // a hand-off, a cycle each
    }
  }
  ps += base::to_picoseconds(link::zero_load_latency(config.link, base::bytes{4}));  // from the host
  return static_cast<std::uint64_t>(std::llround(ps));
}

}  // namespace

TEST_CASE("a decode pass takes its links, its firmware and its launches, to the picosecond") {
  const auto config = tiny_chain(tiny_dense());
  const auto plan = plan_chain(config);
  wafer_chain chain("chain", config, plan);
  run(chain);
  const auto& gaps = chain.host.token_gaps_ps();
  REQUIRE(gaps.size() == 4);
  for (std::size_t i = 0; i < gaps.size(); ++i)
    CHECK(gaps[i] == predicted_pass_ps(config, plan, 20 + i));
}

TEST_CASE("so does one whose stages share wafers") {
  auto config = tiny_chain(tiny_dense(4));
  config.layers_per_wafer = 2;
  config.embedding_and_head_beside_layers = true;
  const auto plan = plan_chain(config);
  REQUIRE(plan.wafers == 2);
  wafer_chain chain("chain", config, plan);
  run(chain);
  const auto& gaps = chain.host.token_gaps_ps();
  for (std::size_t i = 0; i < gaps.size(); ++i)
    CHECK(gaps[i] == predicted_pass_ps(config, plan, 20 + i));
}

TEST_CASE("the parts of all stages and the way back add up to the time between tokens") {
  auto config = tiny_chain(tiny_experts());
  config.load.requests = 3;
  config.load.acceptance = {0.7};
  const auto plan = plan_chain(config);
  wafer_chain chain("chain", config, plan);
  run(chain);
  std::uint64_t parts = chain.host.decode_return_ps(), decoding = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    CHECK(chain.stage(s).decode.passes == chain.host.decode_passes());
    CHECK(chain.stage(s).decode.waiting_ps == 0);
    parts += chain.stage(s).decode.total_ps();
  }
  for (const auto& r : chain.host.records())
    decoding += r.last_token_ps - r.first_token_ps;
  CHECK(parts == decoding);
}

TEST_CASE("the parts add up with many users, too") {
  auto config = tiny_chain(tiny_experts());
  config.load.users = 7;
  config.load.requests = 20;
  config.layers_per_wafer = 2;
  const auto plan = plan_chain(config);
  wafer_chain chain("chain", config, plan);
  run(chain);
  std::uint64_t parts = chain.host.decode_return_ps(), decoding = 0, waiting = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    parts += chain.stage(s).decode.total_ps();
    waiting += chain.stage(s).decode.waiting_ps;
  }
  for (const auto& r : chain.host.records())
    decoding += r.last_token_ps - r.first_token_ps;
  CHECK(parts == decoding);
  CHECK(waiting > 0);
}

TEST_CASE("every stage sees every pass of every request, and multiplies what the plan asks at least") {
  auto config = tiny_chain(tiny_dense());
  config.load.requests = 3;
  config.load.users = 2;
  const auto plan = plan_chain(config);
  wafer_chain chain("chain", config, plan);
  run(chain);
  // Prompts of 20 tokens in chunks of 8, 8 and 4; 4 decode passes each.
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    INFO(plan.stages[s].layer.name);
    CHECK(chain.stage(s).prefill.passes == 9);
    CHECK(chain.stage(s).prefill.tokens == 60);
    CHECK(chain.stage(s).decode.passes == 12);
    CHECK(chain.stage(s).decode.tokens == 12);
    const bool head = s + 1 == plan.stages.size();
    double least = head ? 15 * 6400 : 3 * plan::work_of(plan.stages[s].layer, 24, 0).macs;
    CHECK(chain.stage(s).macs >= least);
  }
  CHECK(chain.host.tokens_emitted() == 15);
}

namespace {

// How long each launch of a stage took.
class launch_recorder final : public wafer::stage_observer {
 public:
  std::vector<std::uint64_t> durations_ps;

  void message_arrived(const wafer::pass&, std::size_t) override {}
  void launch_started(const wafer::pass&) override { since_ = sc_core::sc_time_stamp(); }
  void operation_started(std::uint32_t) override {}
  void launch_finished(const wafer::pass&) override {
    durations_ps.push_back((sc_core::sc_time_stamp() - since_).value());
  }
  void message_sent(const wafer::pass&, std::size_t) override {}

 private:
  sc_core::sc_time since_;
};

}  // namespace

TEST_CASE("the experts of every layer and seed are drawn apart, and again the same") {
  auto config = tiny_chain(tiny_experts());
  config.load.output_tokens = 60;
  auto other = config;
  other.load.seed = 2;
  const auto plan = plan_chain(config);
  REQUIRE(plan.stages[2].placed.map.groups() > 1);
  REQUIRE(plan.stages[2].placed.map.groups() == plan.stages[3].placed.map.groups());
  wafer_chain a("a", config, plan), b("b", other, plan), c("c", config, plan);
  // Layers 1 and 2, the ones with experts, of each chain.
  launch_recorder a1, a2, b1, b2, c1;
  a.bank(2).observe(a1);
  a.bank(3).observe(a2);
  b.bank(2).observe(b1);
  b.bank(3).observe(b2);
  c.bank(2).observe(c1);
  while (!a.host.done() || !b.host.done() || !c.host.done())
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  CHECK(a1.durations_ps == c1.durations_ps);
  CHECK(a1.durations_ps != a2.durations_ps);
  CHECK(a1.durations_ps != b1.durations_ps);
  // A seed is not its neighbour shifted by a layer.
  CHECK(a2.durations_ps != b1.durations_ps);
}

TEST_CASE("a run stops when it is told to") {
  auto config = tiny_chain(tiny_dense());
  config.load.requests = 1000000;
  const auto plan = plan_chain(config);
  wafer_chain chain("chain", config, plan);
  int polls = 0;
  chain.run(sc_core::sc_time(100, sc_core::SC_US), [&] { return ++polls > 3; });
  CHECK_FALSE(chain.host.done());
  CHECK(sc_core::sc_time_stamp() == sc_core::sc_time(300, sc_core::SC_US));
}
