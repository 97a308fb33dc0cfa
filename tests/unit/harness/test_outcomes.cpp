// How runs end, other than by bad input: exit codes and what the user is told.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <systemc>

#include "tests/unit/harness/pipe_scenario.h"
#include "tests/unit/harness/scratch_folder.h"

using namespace scribeline;
using namespace scribeline::harness;
using namespace scribeline::harness::test;
using Catch::Matchers::Contains;

namespace {

outcome run_with(const scratch_folder& scratch, const std::string& text, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {scratch.file("a.toml", text), "--out", scratch / "out"});
  return run_pipe(arguments);
}

// A scenario whose run is a SystemC simulation of one process.
class process_scenario : public scenario {
 public:
  explicit process_scenario(std::function<void()> body) : body_(std::move(body)) {}
  std::string name() const override { return "process"; }
  std::string summary() const override { return "One process."; }
  void declare_keys(key_table&) override {}
  void run(run_context& context) override {
    struct stage : sc_core::sc_module {
      SC_HAS_PROCESS(stage);
      stage(const sc_core::sc_module_name& name, std::function<void()> work) : sc_module(name), body(std::move(work)) {
        SC_THREAD(run);
      }
      void run() {
        wait(3, sc_core::SC_NS);
        body();
      }
      std::function<void()> body;
    };
    const auto module = std::make_unique<stage>("stage", body_);
    sc_core::sc_start();
    context.metrics.add("done", 1);
  }

 private:
  std::function<void()> body_;
};

outcome run_process(std::function<void()> body) {
  const scratch_folder scratch;
  const std::string file = scratch.file("a.toml", "");
  const std::string out_folder = scratch / "out";
  process_scenario scenario(std::move(body));
  const char* argv[] = {"process", file.c_str(), "--out", out_folder.c_str()};
  std::ostringstream out, err;
  const int code = run(4, argv, scenario, out, err);
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("what does not fit ends with 3 and what stands still with 4") {
  const scratch_folder scratch;
  const outcome full = run_with(scratch, "[test]\nfailure = \"does_not_fit\"\n");
  CHECK(full.code == 3);
  CHECK(full.err == "error: stage 3: needed 2000 B, available 1000 B\n");
  const outcome stuck = run_with(scratch, "[test]\nfailure = \"no_progress\"\n");
  CHECK(stuck.code == 4);
  CHECK(stuck.err == "error: stage 1 waits for a credit of stage 2\n");
}

TEST_CASE("a defect of the model ends with 70 and is not taken for a missed budget") {
  const scratch_folder scratch;
  const outcome run = run_with(scratch, "[test]\nfailure = \"defect\"\n");
  CHECK(run.code == 70);
  CHECK(run.err == "error: the model failed: index out of range\n");
}

TEST_CASE("results of an earlier run do not survive a run that fails") {
  const scratch_folder scratch;
  REQUIRE(run_with(scratch, "").code == 0);
  REQUIRE(scratch.has("out/metrics.json"));
  CHECK(run_with(scratch, "[test]\nfailure = \"no_progress\"\n").code == 4);
  CHECK_FALSE(scratch.has("out/metrics.json"));
  CHECK_FALSE(scratch.has("out/stages.csv"));
  CHECK(scratch.has("out/effective.toml"));
}

TEST_CASE("a result that beats its bound ends with 6 and names metric and bound") {
  const scratch_folder scratch;
  const outcome run = run_with(scratch, "[test]\nbound_scale = 10\n");
  CHECK(run.code == 6);
  CHECK_THAT(run.err,
             Contains("the model is wrong: tpot_ms.p50 = ") && Contains("below its lower bound 0.05 (link latency)"));
}

TEST_CASE("a missed budget ends with 1 and a table and can be ignored") {
  const scratch_folder scratch;
  const std::string text = "[budgets]\ntokens = { min = 5, max = 10 }\n";
  const outcome missed = run_with(scratch, text);
  CHECK(missed.code == 1);
  CHECK_THAT(missed.out, Contains("tokens  >= 5.0") && Contains("-1 (-20.00 %)  MISSED") && Contains("met\n"));
  CHECK(run_with(scratch, text, {"--budgets", "ignore"}).code == 0);
  CHECK(run_with(scratch, text, {"--set", "budgets.tokens.min=4"}).code == 0);
  const outcome json = run_with(scratch, text, {"--json"});
  CHECK(json.code == 1);
  CHECK(nlohmann::json::parse(json.out)["tokens"] == 4);
  CHECK_THAT(json.err, Contains("MISSED"));
}

TEST_CASE("a limit that the run sets itself is judged with those of the scenario file") {
  const scratch_folder scratch;
  const std::string fails = "[test]\nfailure = \"too_few\"\n";
  const outcome alone = run_with(scratch, fails);
  CHECK(alone.code == 1);
  CHECK_THAT(alone.out, Contains("tokens  >= 5.0") && Contains("MISSED"));
  const outcome beside = run_with(scratch, fails + "[budgets]\ntokens = { max = 10 }\n");
  CHECK(beside.code == 1);
  CHECK_THAT(beside.out, Contains("tokens  <= 10.0") && Contains("tokens  >= 5.0"));
  CHECK(run_with(scratch, fails, {"--set", "workload.tokens=6"}).code == 0);
}

TEST_CASE("an interrupted run writes what it has and ends with 130 and says what is partial") {
  const scratch_folder scratch;
  const outcome run = run_with(scratch, "[test]\nfailure = \"interrupt\"\n[budgets]\ntokens = { min = 4 }\n");
  CHECK(run.code == 130);
  CHECK_THAT(run.err, Contains("interrupted: these files of") && Contains(" stages.csv metrics.json"));
  const auto metrics = nlohmann::json::parse(scratch.read("out/metrics.json"));
  CHECK(metrics["partial"] == true);
  CHECK(metrics["tokens"] == 0);
}

TEST_CASE("a result that cannot be written ends with 5 and names the file and the reason") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "[workload]\ntitle = \"" + std::string(3000, 'x') + "\"\n");
  // Files of at most 4000 B: effective.toml fits, metrics.json with it does not.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{}, small{};
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 4000;
  setrlimit(RLIMIT_FSIZE, &small);
  const outcome run = run_pipe({file, "--out", scratch / "out"});
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(run.code == 5);
  CHECK_THAT(run.err, Contains("cannot write") && Contains("metrics.json") && Contains("File too large"));
  CHECK_FALSE(scratch.has("out/metrics.json"));
  CHECK_FALSE(scratch.has("out/metrics.json.tmp"));
}

TEST_CASE("standard output that cannot be written ends with 5") {
  const scratch_folder scratch;
  pipe_scenario scenario;
  const std::string file = scratch.file("a.toml", ""), folder = scratch / "out";
  const char* argv[] = {"pipe", file.c_str(), "--out", folder.c_str(), "--json"};
  std::ofstream full("/dev/full");
  std::ostringstream err;
  CHECK(run(5, argv, scenario, full, err) == 5);
  CHECK_THAT(err.str(), Contains("cannot write to standard output"));
}

TEST_CASE("an error thrown inside a process keeps its exit code and tells process and time") {
  const outcome run = run_process([] { throw base::does_not_fit("core (3, 4): needed 50 kB, available 48 kB"); });
  CHECK(run.code == 3);
  CHECK(run.err == "error: core (3, 4): needed 50 kB, available 48 kB (in stage.run at 3 ns)\n");
}

TEST_CASE("a defect inside a process ends with 70") {
  const outcome run = run_process([] { throw std::logic_error("index out of range"); });
  CHECK(run.code == 70);
  CHECK_THAT(run.err, Contains("index out of range"));
}

TEST_CASE("a SystemC error or fatal error ends with 70 and its id") {
  const outcome run = run_process([] { SC_REPORT_FATAL("/scribeline/link/credits", "more credits than sent"); });
  CHECK(run.code == 70);
  CHECK_THAT(run.err, Contains("/scribeline/link/credits: more credits than sent (in stage.run at 3 ns)"));
}

TEST_CASE("SystemC messages go to stderr and never between results") {
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DISPLAY);
  const outcome run = run_process([] { SC_REPORT_WARNING("/scribeline/test", "late"); });
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("/scribeline/test: late"));
  CHECK_THAT(run.out, !Contains("late"));
}

TEST_CASE("the banner of SystemC is off before the process begins") {
  REQUIRE(std::getenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE") != nullptr);
  CHECK(std::string(std::getenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE")) == "DISABLE");
}

TEST_CASE("help and version and key list print to stdout and end with 0") {
  for (const std::string option : {"--help", "--version", "--list-keys", "--list-keys=markdown"}) {
    const outcome run = run_pipe({option});
    INFO(option);
    CHECK(run.code == 0);
    CHECK(run.err.empty());
    CHECK_FALSE(run.out.empty());
  }
  const outcome help = run_pipe({"--help"});
  for (const std::string option :
       {"--set", "--out", "--seed", "--fidelity", "--waves", "--budgets", "--json", "--list-keys", "--version"}) {
    CHECK_THAT(help.out, Contains(option));
  }
  CHECK_THAT(run_pipe({"--version"}).out, Contains("pipe (Scribeline "));
}
