#include <catch2/catch.hpp>

#include "rtl_tlm/base/error.h"
#include "tests/unit/asic_rack/small_rack.h"

using namespace scribeline;
using namespace scribeline::platforms;

namespace {

void run(asic_rack& rack) {
  rack.run(sc_core::sc_time(1, sc_core::SC_MS), [] { return false; });
}

// What the launches of a decode pass take by the timing alone.
double launch_ns(const rack_config& config, const rack_plan& plan, accelerator::network_timing& network,
                 std::uint64_t context) {
  accelerator::operation_timing timing(config.accelerator, network);
  accelerator::launch_arguments a;
  a.context = context;
  double ns = 0;
  for (const rack_stage& stage : plan.stages) {
    timing.begin();
    for (const auto& d : stage.program.descriptors)
      ns += timing.next(d, a).total_ns();
  }
  return ns;
}

}  // namespace

TEST_CASE("a token takes its launch, two register accesses, an interrupt and the host's step") {
  rack_config c = rack_of("tests/data/tiny_dense.json", 4);
  c.load.output_tokens = 2;
  const rack_plan plan = plan_rack(c);
  network_collectives::closed_form_network network(c.accelerator.network);
  const double expected_ns =
      launch_ns(c, plan, network, 100) + 2 * c.accelerator.register_access_ns + c.interrupt_latency_ns + c.host_step_ns;
  asic_rack rack("rack", c, plan, network);
  run(rack);
  REQUIRE(rack.host.records().size() == 1);
  CHECK(rack.host.records()[0].tpot_ps() / 1000 == Approx(expected_ns).margin(0.002));
}

TEST_CASE("stages of a pipeline add their hops") {
  rack_config c = rack_of("tests/data/tiny_dense.json", 1);
  c.spread.pipeline = 3;
  c.load.output_tokens = 2;
  const rack_plan plan = plan_rack(c);
  network_collectives::closed_form_network network(c.accelerator.network);
  const double hop_ns = network_collectives::transfer_ns(c.accelerator.network, 64 * 2);
  const double expected_ns = launch_ns(c, plan, network, 100) + c.host_step_ns + 2 * hop_ns +
                             3 * (2 * c.accelerator.register_access_ns + c.interrupt_latency_ns);
  asic_rack rack("rack", c, plan, network);
  run(rack);
  CHECK(rack.host.records()[0].tpot_ps() / 1000 == Approx(expected_ns).margin(0.01));
}

TEST_CASE("no pass is faster than the memory and the matrix units of the whole group") {
  for (const char* preset : {"jalapeno", "h200"}) {
    rack_config c = rack_of("models/gpt-oss-120b.json", 8);
    c.accelerator = accelerator::find_accelerator_preset(preset)->config;
    c.load.prompt_tokens = 4096;
    const rack_plan plan = plan_rack(c);
    const rack_bound bound = bound_of_pass(c, plan, 1, 1, 4096);
    network_collectives::closed_form_network network(c.accelerator.network);
    CHECK(launch_ns(c, plan, network, 4096) * 1000 > bound.total_ps());
    CHECK(bound.total_ps() > 0);
    CHECK(std::string(bound.binds()) == "HBM bandwidth");
  }
}

TEST_CASE("prompts that fit are computed together, longer ones in chunks, in order") {
  rack_config c = rack_of("tests/data/tiny_dense.json", 2);
  c.load.users = 5;
  c.load.output_tokens = 1;
  c.load.chunk_tokens = 250;  // two prompts of 100
  const rack_plan plan = plan_rack(c);
  network_collectives::closed_form_network network(c.accelerator.network);
  asic_rack rack("rack", c, plan, network);
  run(rack);
  const auto& r = rack.host.records();
  REQUIRE(r.size() == 5);
  CHECK(rack.meter(0).prefill.passes == 3);
  CHECK(r[0].first_token_ps == r[1].first_token_ps);
  CHECK(r[1].first_token_ps < r[2].first_token_ps);
  CHECK(r[3].first_token_ps < r[4].first_token_ps);
  for (const auto& one : r)
    CHECK(one.finished());
}

TEST_CASE("a long prompt takes as many passes as chunks") {
  rack_config c = rack_of("tests/data/tiny_dense.json", 2);
  c.load.chunk_tokens = 30;
  const rack_plan plan = plan_rack(c);
  network_collectives::closed_form_network network(c.accelerator.network);
  asic_rack rack("rack", c, plan, network);
  run(rack);
  CHECK(rack.meter(0).prefill.passes == 4);
  CHECK(rack.meter(0).decode.passes == 3);
  CHECK(rack.host.tokens_emitted() == 4);
}

TEST_CASE("a launch the chip refuses ends the run with the reason") {
  rack_config c = rack_of("tests/data/tiny_dense.json", 2);
  rack_plan plan = plan_rack(c);
  plan.stages[0].program.descriptors[2].positions_per_entry = 0;
  network_collectives::closed_form_network network(c.accelerator.network);
  asic_rack rack("rack", c, plan, network);
  CHECK_THROWS_WITH(run(rack),
                    Catch::Contains("the accelerator refused a doorbell") && Catch::Contains("bad descriptor"));
}
