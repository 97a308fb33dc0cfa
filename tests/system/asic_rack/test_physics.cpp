#include <catch2/catch.hpp>

#include "tests/system/asic_rack/asic_rack_binary.h"

using namespace asic_rack_binary;

namespace {

struct bench {
  scratch_folder folder;
  std::string model = data("tiny_experts.json");

  nlohmann::json of(const std::vector<std::string>& settings = {}) { return measure(folder, model, settings); }
  double tpot(const std::vector<std::string>& settings = {}) { return of(settings)["itl_ms.p50"].get<double>(); }
};

double sum_of_parts(const nlohmann::json& metrics) {
  double sum = 0;
  for (const auto& [name, value] : metrics.items()) {
    if (name.rfind("pass_us.", 0) == 0 && name != "pass_us.total" && value.is_number()) sum += value.get<double>();
  }
  return sum;
}

}  // namespace

TEST_CASE("the parts of a decode pass add up to the gap between tokens") {
  bench b;
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{},
        {"workload.users=1"},
        {"mapping.tensor=1", "mapping.data=4", "mapping.expert=4"},
        {"machine.preset=gb200", "mapping.tensor=2", "mapping.data=2", "mapping.expert=4"},
        {"machine.preset=h200", "mapping.pipeline=2", "workload.users=1"}}) {
    const auto metrics = b.of(settings);
    CAPTURE(settings);
    CHECK(sum_of_parts(metrics) == Approx(metrics["pass_us.total"].get<double>()).epsilon(1e-6));
    CHECK(metrics["itl_ms.mean"].get<double>() * 1000 == Approx(metrics["pass_us.total"].get<double>()).epsilon(1e-3));
  }
}

TEST_CASE("the parts of the time to first token add up to it") {
  bench b;
  const auto metrics = b.of({"workload.users=1"});
  const double sum = metrics["ttft_part_ms.queue"].get<double>() + metrics["ttft_part_ms.prefill"].get<double>() +
                     metrics["ttft_part_ms.transfer"].get<double>() +
                     metrics["ttft_part_ms.first_decode"].get<double>();
  CHECK(sum == Approx(metrics["ttft_ms.p50"].get<double>()));
}

TEST_CASE("time moves with the hardware in the right direction") {
  bench b;
  const double base = b.tpot();
  CHECK(b.tpot({"machine.accelerator.network.one_way_ns=2000"}) > base);
  CHECK(b.tpot({"machine.accelerator.operation_start_ns=500"}) > base);
  CHECK(b.tpot({"machine.accelerator.hbm_gbytes_per_s=100"}) > base);
  CHECK(b.tpot({"machine.accelerator.tflops_16bit=0.01"}) > base);
  CHECK(b.tpot({"machine.accelerator.register_access_ns=5000"}) > base);
  CHECK(b.tpot({"firmware.interrupt_latency_ns=5000"}) > base);
  CHECK(b.tpot({"machine.accelerator.on_chip_stage_ns=100"}) > base);
  CHECK(b.tpot({"workload.users=64"}) > base);
  CHECK(b.tpot({"machine.accelerator.runs_ahead=false"}) >= base);
}

TEST_CASE("a one-way latency that grows by a microsecond adds one for each exchange of a pass") {
  bench b;
  const auto before = b.of({"workload.users=1"});
  const auto after = b.of(
      {"workload.users=1", "machine.accelerator.network.one_way_ns=1477.6", "machine.accelerator.runs_ahead=false"});
  const auto reference = b.of({"workload.users=1", "machine.accelerator.runs_ahead=false"});
  const double exchanges =
      (after["pass_us.collectives"].get<double>() - reference["pass_us.collectives"].get<double>());
  CHECK(exchanges == Approx(std::round(exchanges)).margin(1e-6));
  CHECK(exchanges >= 3);
  CHECK(before["pass_us.collectives"].get<double>() == Approx(reference["pass_us.collectives"].get<double>()));
}

TEST_CASE("stages of a pipeline work side by side on micro-batches") {
  bench b;
  // One micro-batch alone takes both stages one after the other; two keep both busy.
  const auto one = b.of({"mapping.pipeline=2", "workload.users=1"});
  const auto two = b.of({"mapping.pipeline=2", "workload.users=2"});
  CHECK(two["output_tokens_per_s"].get<double>() > 1.3 * one["output_tokens_per_s"].get<double>());
}

TEST_CASE("every user gets every token, on every spread") {
  bench b;
  for (const std::vector<std::string>& settings : {std::vector<std::string>{"workload.users=5"},
                                                   {"workload.users=8", "mapping.data=2", "mapping.expert=8"},
                                                   {"workload.users=7", "mapping.pipeline=3"},
                                                   {"workload.users=3", "workload.chunk_tokens=64"},
                                                   {"workload.users=9", "workload.chunk_tokens=1000"}}) {
    const auto metrics = b.of(settings);
    CAPTURE(settings);
    CHECK(metrics["requests.finished"] == metrics["requests.arrived"]);
    CHECK(metrics["tokens.output"].get<int>() == 12 * metrics["requests.arrived"].get<int>());
  }
}

TEST_CASE("skewed routing makes ranks wait for the busiest") {
  bench b;
  const std::vector<std::string> spread = {"mapping.tensor=1", "mapping.data=4", "mapping.expert=4",
                                           "workload.users=64"};
  auto skewed = spread;
  skewed.push_back("workload.expert_skew=2");
  CHECK(b.of(skewed)["pass_us.waits"].get<double>() > b.of(spread)["pass_us.waits"].get<double>());
}

TEST_CASE("packets change what exchanges take and nothing else") {
  bench b;
  const auto form = b.of();
  const auto packet = b.of({"run.fidelity=packet"});
  CHECK(packet["pass_us.products"] == form["pass_us.products"]);
  CHECK(packet["pass_us.collectives"].get<double>() == Approx(form["pass_us.collectives"].get<double>()).epsilon(0.3));
  CHECK(packet["pass_us.collectives"] != form["pass_us.collectives"]);
  CHECK(packet["requests.finished"] == form["requests.finished"]);
  CHECK(packet["network.simulated_exchanges"].get<int>() >= 2);
}
