#include <catch2/catch.hpp>
#include <sstream>

#include "rtl_tlm/base/random.h"
#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;
using scribeline::base::random_stream;

namespace {

double number(const nlohmann::json& metrics, const std::string& name) {
  INFO(name);
  REQUIRE(metrics.contains(name));
  REQUIRE(metrics.at(name).is_number());
  return metrics.at(name).get<double>();
}

// The metric for each value of a key.
std::vector<double> series(const std::string& model, const std::string& key, const std::vector<std::string>& values,
                           const std::string& metric, const std::vector<std::string>& others = {}) {
  scratch_folder folder;
  std::vector<double> results;
  for (const std::string& value : values) {
    auto settings = others;
    settings.push_back(key + "=" + value);
    results.push_back(number(measure(folder, model, settings), metric));
  }
  return results;
}

void check_rising(const std::vector<double>& values) {
  CAPTURE(values);
  for (std::size_t i = 1; i < values.size(); ++i)
    CHECK(values[i] > values[i - 1]);
}

void check_not_falling(const std::vector<double>& values) {
  CAPTURE(values);
  for (std::size_t i = 1; i < values.size(); ++i)
    CHECK(values[i] >= values[i - 1]);
}

const std::vector<std::string> one_user = {"workload.users=1", "workload.requests=1"};
const char* const models[] = {"tiny_dense.json", "tiny_experts.json"};

std::string with_layers(const scratch_folder& folder, int layers) {
  std::string text = contents(data("tiny_dense.json"));
  text.replace(text.find("\"num_hidden_layers\": 4"), 22, "\"num_hidden_layers\": " + std::to_string(layers));
  return folder.file("model_" + std::to_string(layers) + ".json", text);
}

}  // namespace

TEST_CASE("a slower link never gives a faster token: latency and rate") {
  for (const char* model : models) {
    check_rising(series(data(model), "machine.link.latency_ns", {"0", "100", "1000", "5000", "100000"}, "tpot_ms.p50",
                        one_user));
    check_rising(
        series(data(model), "machine.link.lane_gbps", {"1000", "100", "10", "1", "0.1"}, "tpot_ms.p50", one_user));
    check_rising(series(data(model), "machine.link.latency_ns", {"0", "1000", "5000"}, "ttft_ms.p50", one_user));
  }
}

TEST_CASE("slower cores, fabric and firmware never give a faster token") {
  for (const char* model : models) {
    check_rising(series(data(model), "machine.wafer.clock_ghz", {"2", "1", "0.5", "0.1"}, "tpot_ms.p50", one_user));
    check_rising(series(data(model), "machine.wafer.fabric.hop_cycles", {"1", "2", "5"}, "tpot_ms.p50", one_user));
    check_rising(series(data(model), "machine.wafer.vector.fma_fp16_per_cycle", {"8", "4", "1", "0.1"}, "tpot_ms.p50",
                        one_user));
    check_rising(series(data(model), "firmware.interrupt_latency_ns", {"0", "200", "2000"}, "tpot_ms.p50", one_user));
    check_rising(series(data(model), "machine.wafer.register_access_ns", {"0", "50", "500"}, "tpot_ms.p50", one_user));
  }
}

TEST_CASE("slower cores and fabric never give a faster token when kernels are simulated") {
  const auto simulated = [](const char* model, const std::string& key, const std::vector<std::string>& values) {
    auto settings = one_user;
    settings.emplace_back("run.fidelity=burst");
    check_rising(series(data(model), key, values, "tpot_ms.p50", settings));
  };
  for (const char* model : models) {
    simulated(model, "machine.wafer.vector.fma_fp16_per_cycle", {"4", "1", "0.1"});  // 16 B a cycle feed 4
    simulated(model, "machine.wafer.vector.copy_fp16_per_cycle", {"4", "1", "0.2"});
    simulated(model, "machine.wafer.vector.setup_cycles", {"12", "16", "40"});
    simulated(model, "machine.wafer.vector.sram_bytes_per_cycle", {"16", "1", "0.1"});
    simulated(model, "machine.wafer.fabric.hop_cycles", {"1", "2", "5"});
    simulated(model, "machine.wafer.clock_ghz", {"2", "1", "0.5"});
  }
}

TEST_CASE("a longer context never gives a faster token, a longer prompt never finishes sooner") {
  for (const char* model : models) {
    const std::vector<std::string> prompts = {"1", "10", "100", "1000", "4000"};
    check_not_falling(series(data(model), "workload.prompt_tokens", prompts, "tpot_ms.p50", one_user));
    check_not_falling(series(data(model), "workload.prompt_tokens", prompts, "ttft_ms.p50", one_user));
  }
}

TEST_CASE("more layers never give a faster token") {
  scratch_folder folder;
  std::vector<double> own, together;
  for (const int layers : {1, 2, 3, 5, 8}) {
    own.push_back(number(measure(folder, with_layers(folder, layers), one_user), "tpot_ms.p50"));
    auto settings = one_user;
    settings.push_back("mapping.layers_per_wafer=4");
    together.push_back(number(measure(folder, with_layers(folder, layers), settings), "tpot_ms.p50"));
  }
  check_rising(own);
  check_rising(together);
}

TEST_CASE("more users never raise a user's speed") {
  for (const char* model : models) {
    std::vector<double> tpot = series(data(model), "workload.users", {"1", "2", "4", "8", "16", "32"}, "tpot_ms.mean",
                                      {"workload.requests=32"});
    CAPTURE(tpot);
    // Experts are drawn per request: the mean of a stage's load differs a little between orders of passes.
    for (std::size_t i = 1; i < tpot.size(); ++i)
      CHECK(tpot[i] >= tpot[i - 1] * (1 - 1e-9));
  }
}

TEST_CASE("more output tokens per pass help, fewer accepted drafts do not") {
  check_rising(series(data("tiny_dense.json"), "workload.speculation.acceptance", {"1,1", "1", "0"}, "tpot_ms.p50",
                      {"workload.users=1", "workload.requests=1", "workload.output_tokens=13"}));
}

TEST_CASE("the parts of a pass add up to the pass, and those of a first token to its time") {
  scratch_folder folder;
  for (const char* model : models) {
    for (const char* users : {"1", "5"}) {
      INFO(model << ", " << users << " users");
      const auto m = measure(folder, data(model), {std::string("workload.users=") + users, "workload.requests=10"});
      double sum = 0;
      for (const char* part : {"fabric", "compute", "sram", "firmware", "link", "handoff", "waiting"})
        sum += number(m, std::string("pass_us.") + part);
      CHECK(sum == Approx(number(m, "pass_us.total")).epsilon(1e-12));
      // Without drafts a pass is a token.
      CHECK(number(m, "pass_us.total") == Approx(1000 * number(m, "tpot_ms.mean")).epsilon(1e-9));
      double ttft = 0;
      for (const char* part : {"queue", "prefill", "transfer", "first_decode"})
        ttft += number(m, std::string("ttft_part_ms.") + part);
      CHECK(ttft == Approx(number(m, "ttft_ms.mean")).epsilon(1e-9));
    }
  }
}

TEST_CASE("throughput counts until the last token, not until the simulation is stopped") {
  scratch_folder folder;
  const auto m = measure(folder, data("tiny_dense.json"), {"workload.users=1", "workload.requests=2"});
  const double seconds = 2 * number(m, "latency_ms.mean") / 1000;
  CHECK(number(m, "output_tokens_per_s") == Approx(24 / seconds).epsilon(1e-9));
  CHECK(number(m, "simulated_ms") == Approx(1000 * seconds).epsilon(1e-9));
}

TEST_CASE("answers of one token leave what they do not have unmeasured") {
  scratch_folder folder;
  const auto m = measure(folder, data("tiny_dense.json"), {"workload.output_tokens=1"});
  CHECK(m["tpot_ms.p50"].is_null());
  CHECK(m["tokens_per_s_per_user"].is_null());
  CHECK(m["pass_us.total"].is_null());
  CHECK(m["stage.slowest"] == "");
  CHECK(number(m, "tokens.output") == 5);
}

TEST_CASE("no result is better than its bound, whatever is set") {
  const std::uint64_t seed = 20260808;
  INFO("seed " << seed);
  random_stream random(seed);
  scratch_folder folder;
  const auto one_of = [&](const std::vector<std::string>& values) { return values[random.below(values.size())]; };
  for (int i = 0; i < 25; ++i) {
    const std::string fidelity = one_of({"formula", "burst", "wavelet"});
    std::vector<std::string> settings = {
        "run.fidelity=" + fidelity,
        "machine.link.latency_ns=" + one_of({"0", "1", "700", "5000"}),
        "machine.link.lanes=" + one_of({"1", "12"}),
        "machine.link.lane_gbps=" + one_of({"1", "100", "800"}),
        "machine.wafer.register_access_ns=" + one_of({"0", "50"}),
        "firmware.interrupt_latency_ns=" + one_of({"0", "200"}),
        "machine.wafer.vector.setup_cycles=" + one_of({"0", "16"}),
        "machine.wafer.fabric.launch_cycles=" + one_of({"0", "23"}),
        "machine.wafer.fabric.hop_cycles=" + one_of({fidelity == "formula" ? "0" : "1", "2"}),
        "machine.wafer.vector.sram_bytes_per_cycle=" + one_of({"0.1", "16", "1000"}),
        "machine.wafer.vector.peak_fma_fp16_per_cycle=" + one_of({"2.92", "8", "1000"}),
        "machine.wafer.columns=" + one_of({"8", "33", "64"}),
        "machine.wafer.rows=" + one_of({"8", "20", "48"}),
        "machine.link.receive_buffer_bytes=" + one_of({"200000", "500000"}),
        "mapping.layers_per_wafer=" + one_of({"1", "2", "fit"}),
        "mapping.embedding_and_head=" + one_of({"own_wafers", "beside_layers"}),
        "workload.users=" + one_of({"1", "4"}),
        "workload.requests=" + one_of({"1", "7"}),
        "workload.prompt_tokens=" + one_of({"1", "2", "50", "700"}),
        "workload.output_tokens=" + one_of({"1", "2", "17"}),
        "workload.chunk_tokens=" + one_of({"1", "16", "128"}),
        "workload.speculation.acceptance=" + one_of({"0", "1", "0.9,0.5", "1,1,1,1"}),
    };
    std::ostringstream all;
    for (const std::string& one : settings)
      all << one << "\n";
    INFO("case " << i << ", " << models[i % 2] << "\n" << all.str());
    const auto m = measure(folder, data(models[i % 2]), settings);  // 6 is the exit code of a result that beats it
    int bounded = 0;
    for (const auto& [name, bound] : m.items()) {
      if (name.rfind("bound.", 0) != 0 || bound.is_null()) continue;
      const std::string metric = name.substr(6);
      if (m.at(metric).is_null()) continue;
      INFO(metric);
      ++bounded;
      const bool rate = metric.find("_per_s") != std::string::npos;
      if (rate)
        CHECK(number(m, metric) <= bound.get<double>() * (1 + 1e-9));
      else
        CHECK(number(m, metric) >= bound.get<double>() * (1 - 1e-9));
    }
    CHECK(bounded >= 4);
  }
}
