// A small scenario for tests of the harness: tokens through a chain of stages with a fixed time each.
#pragma once

#include <csignal>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/harness/run.h"

namespace scribeline::harness::test {

enum class arrivals { fixed, poisson };

struct pipe_config {
  std::string chip = "wse3";
  int cores = 0;
  double clock_ghz = 0;
  double latency_ns = 5000;
  int stages_per_wafer = 1;
  std::string model_file;
  std::string title = "pipe";
  test::arrivals arrivals = test::arrivals::fixed;
  double rate_per_s = 10;
  std::vector<std::int64_t> prompt_tokens{128, 256};
  std::vector<std::string> tags;
  bool speculate = false;
  int tokens = 4;
  double bound_scale = 1;  // above 1 the declared bound is one that the result beats
  std::string failure = "none";
};

class pipe_scenario : public scenario {
 public:
  pipe_config config;

  std::string name() const override { return "pipe"; }
  std::string summary() const override { return "Tokens through a chain of stages."; }
  std::vector<fidelity> fidelities() const override { return {fidelity::formula, fidelity::burst}; }

  void declare_keys(key_table& keys) override {
    keys.add_preset("machine.preset", config.chip,
                    {{"wse2", "850,000 cores", [this] { config.cores = 850'000, config.clock_ghz = 0.85; }},
                     {"wse3", "900,000 cores", [this] { config.cores = 900'000, config.clock_ghz = 0.875; }}})
        .meaning("chip");
    keys.add("machine.cores", config.cores).range(1, 1e6).from_preset().source("vendor").meaning("cores a wafer");
    keys.add("machine.clock_ghz", config.clock_ghz).unit("GHz").range(0.1, 10).from_preset().meaning("clock");
    keys.add("machine.link.latency_ns", config.latency_ns)
        .unit("ns")
        .range(0, 1e9)
        .source("vendor, 2024")
        .meaning("one way, port to port");
    keys.add("machine.stages_per_wafer", config.stages_per_wafer).range(1, 84).word("fit", 0).meaning("layers a wafer");
    keys.add("model.file", config.model_file).names_file().meaning("model description");
    keys.add("workload.title", config.title).meaning("for people");
    keys.add_choice<arrivals>("workload.arrivals", config.arrivals,
                              {{"fixed", arrivals::fixed}, {"poisson", arrivals::poisson}})
        .meaning("arrival process");
    keys.add("workload.rate_per_s", config.rate_per_s)
        .unit("1/s")
        .range(1e-3, 1e9)
        .used_when([this] { return config.arrivals == arrivals::poisson; }, "workload.arrivals = \"poisson\"")
        .meaning("mean arrival rate");
    keys.add("workload.prompt_tokens", config.prompt_tokens).range(1, 1e7).meaning("prompt lengths");
    keys.add("workload.tags", config.tags).one_of({"chat", "code", "batch"}).meaning("kinds of request");
    keys.add("workload.speculate", config.speculate).meaning("speculative decoding");
    keys.add("workload.tokens", config.tokens)
        .range(1, 1e6)
        .must([this] { return config.tokens % 2 == 0; }, "be even")
        .meaning("tokens to decode");
    keys.add("test.bound_scale", config.bound_scale).meaning("multiplies the bound");
    keys.add("test.failure", config.failure).meaning("how the run ends");
  }

  void run(run_context& context) override {
    if (config.failure == "does_not_fit") throw base::does_not_fit("stage 3: needed 2000 B, available 1000 B");
    if (config.failure == "no_progress") throw base::no_progress("stage 1 waits for a credit of stage 2");
    if (config.failure == "defect") throw std::logic_error("index out of range");
    if (config.failure == "interrupt") std::raise(SIGINT);

    csv_writer stages(context.results, "stages.csv", {"stage", "name", "time_ns"});
    const double cycles = 1000.0 / config.stages_per_wafer;
    const double stage_ns = cycles / config.clock_ghz + config.latency_ns;
    stages.row(0, config.title, stage_ns);
    if (config.failure == "interrupt_half_way") return void(std::raise(SIGINT));
    stages.close();

    std::vector<double> tpot_ms;
    int done = 0;
    for (; done < config.tokens && !context.interrupted(); ++done) {
      tpot_ms.push_back(stage_ns * 1e-6 * (1 + 0.01 * done));
      context.bar.update(done, config.tokens, "tokens");
    }
    context.metrics.add("tokens", done);
    context.metrics.add_percentiles("tpot_ms", tpot_ms, "ms");
    context.metrics.at("tpot_ms.p50")
        .headline("TPOT, median")
        .at_least(config.latency_ns * 1e-6 * config.bound_scale, "link latency");
    context.metrics.add("idle_share", std::nan(""));
    if (config.failure == "too_few") context.require({"tokens", 5.0, std::nullopt, "test.failure"});
  }
};

// One run with everything it printed.
struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline outcome run_pipe(const std::vector<std::string>& arguments, pipe_scenario& scenario) {
  std::vector<const char*> argv{"pipe"};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  std::ostringstream out, err;
  const int code = run(static_cast<int>(argv.size()), argv.data(), scenario, out, err);
  return {code, out.str(), err.str()};
}

inline outcome run_pipe(const std::vector<std::string>& arguments) {
  pipe_scenario scenario;
  return run_pipe(arguments, scenario);
}

}  // namespace scribeline::harness::test
