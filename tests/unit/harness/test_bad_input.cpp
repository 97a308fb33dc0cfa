#include <catch2/catch.hpp>

#include "tests/unit/harness/pipe_scenario.h"
#include "tests/unit/harness/scratch_folder.h"

using namespace scribeline::harness;
using namespace scribeline::harness::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

// Runs a scenario text with arguments and expects exit code 2 and this error.
void refuses(const std::string& text, const std::vector<std::string>& arguments, const std::string& message) {
  const scratch_folder scratch;
  std::vector<std::string> all{scratch.file("a.toml", text), "--out", scratch / "out"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const outcome run = run_pipe(all);
  INFO(text);
  CHECK(run.code == 2);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, StartsWith("error: ") && Contains(message));
  // Nothing is left behind by a run that could not start.
  CHECK_FALSE(scratch.has("out/metrics.json"));
}

}  // namespace

TEST_CASE("an unknown key is refused with file and line and column and the nearest key") {
  refuses("[machine.link]\n  latncy_ns = 5\n", {},
          "a.toml:2:3: unknown key \"machine.link.latncy_ns\"; did you mean \"machine.link.latency_ns\"?");
  refuses("[link]\nlatency_ns = 5\n", {}, "a.toml:2:1: unknown key \"link.latency_ns\"; did you mean");
  refuses("zzz = 1\n", {}, "a.toml:1:1: unknown key \"zzz\"; --list-keys prints the keys there are");
  refuses("[emptytable]\n", {}, "unknown key \"emptytable\"");
}

TEST_CASE("every problem of a scenario is told at once and in the order of the file") {
  const scratch_folder scratch;
  const auto file =
      scratch.file("a.toml", "[workload]\ntokens = 0\n[machine.link]\nlatency_ns = -1\n[model]\nfiel = 3\n");
  const outcome run = run_pipe({file, "--out", scratch / "out"});
  CHECK(run.code == 2);
  const auto tokens = run.err.find("a.toml:2:10: workload.tokens = 0: must be in 1..1e6");
  const auto latency = run.err.find("a.toml:4:14: machine.link.latency_ns = -1: must be in 0..1e9 ns");
  const auto unknown = run.err.find("a.toml:6:1: unknown key \"model.fiel\"; did you mean \"model.file\"?");
  CHECK(tokens < latency);
  CHECK(latency < unknown);
  CHECK(unknown != std::string::npos);
}

TEST_CASE("a value of the wrong type is refused with its place and what is expected") {
  refuses("[machine.link]\nlatency_ns = \"fast\"\n", {},
          "a.toml:2:14: machine.link.latency_ns = \"fast\": expects a number, got a string");
  refuses("[machine]\ncores = 1.5\n", {}, "machine.cores = 1.5: expects an integer, got a number with a fraction");
  refuses("[machine]\ncores = 1e3\n", {}, "expects an integer, got a number with point or exponent; write 1000");
  refuses("[machine]\ncores = nan\n", {}, "expects an integer, got nan");
  refuses("", {"--set", "machine.cores=99999999999999999999"}, "expects an integer, got a number beyond 64 bits");
  refuses("[workload]\nspeculate = 1\n", {}, "workload.speculate = 1: expects true or false, got an integer");
  refuses("[workload]\ntitle = 7\n", {}, "expects a string, got an integer");
  refuses("[workload]\nprompt_tokens = 7\n", {}, "expects a list of integers, got an integer");
  refuses("[workload]\nprompt_tokens = [7, \"x\"]\n", {}, "item 2: expects an integer, got a string");
  refuses("[workload]\ntokens = 99999999999\n", {}, "does not fit into 32 bits");
  refuses("[workload]\ntokens = 2020-01-01\n", {}, "expects an integer, got a date or time");
  refuses("[workload]\nprompt_tokens = [[1]]\n", {}, "got a list with a list in it");
  refuses("[machine]\nstages_per_wafer = \"fitt\"\n", {}, "expects an integer, got a string (or \"fit\")");
}

TEST_CASE("a table in place of a key and a key in place of a table are told apart") {
  refuses("machine = 3\n", {}, "a.toml:1:1: \"machine\" is a table of keys, not a key");
  refuses("[workload.tokens]\nx = 3\n", {}, "\"workload.tokens\" is a key and takes an integer, not a table");
}

TEST_CASE("a value out of range or outside the choices is refused with what would be right") {
  refuses("[machine]\nclock_ghz = 0\n", {}, "machine.clock_ghz = 0: must be in 0.1..10 GHz");
  refuses("[machine]\nclock_ghz = nan\n", {}, "must be in 0.1..10 GHz");
  refuses("[test]\nbound_scale = inf\n", {}, "must be finite");
  refuses("[workload]\nprompt_tokens = [5, 0]\n", {}, "must be in 1..1e7");
  refuses("[workload]\narrivals = \"posson\"\n", {}, "must be one of fixed, poisson");
  refuses("[workload]\ntags = [\"chat\", \"cod\"]\n", {}, "must be one of chat, code, batch; did you mean \"code\"?");
  refuses("[machine]\npreset = \"wse4\"\n", {}, "must be one of wse2, wse3; did you mean");
  refuses("[workload]\ntokens = 3\n", {}, "a.toml:2:1: workload.tokens = 3: must be even");
  refuses("[trace]\nwindow_end_us = 0\n", {"--waves", "window"}, "must be later than trace.window_start_us");
}

TEST_CASE("text that is not TOML is refused with line and column") {
  refuses("[machine\ncores = 3\n", {}, "a.toml:1:9: not TOML: ");
  refuses("[a]\nx = 1\nx = 2\n", {}, "a.toml:3:");
}

TEST_CASE("a bad setting on the command line is refused with the option as typed") {
  refuses("", {"--set", "machine.link.latncy_ns=3"}, "--set machine.link.latncy_ns=3: unknown key");
  refuses("", {"--set", "machine.cores=many"}, "--set machine.cores=many: machine.cores = many: expects an integer");
  refuses("", {"--set", "machine.cores=-1"}, "must be in 1..1e6");
  refuses("", {"--set", "machine.cores"}, "--set machine.cores: must be written --set key=value");
  refuses("", {"--set", "=3"}, "--set =3: must be written --set key=value");
  refuses("", {"--set", "machine.cores="}, "expects an integer, got a string");
  refuses("", {"--set", "run.seed=1", "--seed", "2"}, "--seed 2: run.seed was already set by --set run.seed=1");
  refuses("", {"--seed", "-4"}, "--seed -4: run.seed = -4: must be in 0..");
  refuses("", {"--seed", "x"}, "--seed x: run.seed = x: expects an integer, got a string");
  refuses("", {"--fidelity", "wavelet"}, "--fidelity wavelet: run.fidelity = wavelet: must be one of formula, burst");
  refuses("", {"--waves", "maybe"}, "--waves maybe: trace.waves = maybe: must be one of off, on, window");
}

TEST_CASE("a bad command line is refused with a pointer to the help") {
  refuses("", {"--budgets", "perhaps"}, "--budgets");
  refuses("", {"--fidelty", "burst"}, "unknown option --fidelty; did you mean \"--fidelity\"?");
  refuses("", {"other.toml"}, "one scenario a run: got ");
  refuses("", {"--set"}, "pipe --help shows the options");
  const outcome none = run_pipe({});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("no scenario file given; usage: pipe SCENARIO.toml"));
  CHECK(run_pipe({"--list-keys=xml"}).code == 2);
}

TEST_CASE("a scenario file that cannot be read is refused with the reason") {
  const scratch_folder scratch;
  const outcome missing = run_pipe({scratch / "none.toml"});
  CHECK(missing.code == 2);
  CHECK_THAT(missing.err, Contains("cannot read") && Contains("none.toml: No such file or directory"));
  const outcome folder = run_pipe({scratch / ""});
  CHECK(folder.code == 2);
  CHECK_THAT(folder.err, Contains("it is a folder"));
}

TEST_CASE("a file that a scenario names is looked for in two places and the error lists them") {
  const scratch_folder scratch;
  const auto file = scratch.file("sub/a.toml", "[model]\nfile = \"m/none.json\"\n");
  const outcome run = run_pipe({file, "--out", scratch / "out"});
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("sub/a.toml:2:1: model.file: no such file: \"m/none.json\"; looked for " +
                               (scratch / "sub/m/none.json") + " and m/none.json"));
}

TEST_CASE("a result folder that cannot be used is refused before the simulation") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "[test]\nfailure = \"defect\"\n");
  scratch.file("taken", "a file");
  for (const std::string where : {"taken", "taken/below"}) {
    const outcome run = run_pipe({file, "--out", scratch / where});
    CHECK(run.code == 2);
    CHECK_THAT(run.err, Contains("--out " + (scratch / where) + ": cannot write results there: "));
  }
}

TEST_CASE("bad budgets are refused with their place") {
  refuses("[budgets]\ntokens = 3\n", {}, "a.toml:2:1: budget \"tokens\": must be written { max = 4.0 }");
  refuses("[budgets]\ntokens = { maximum = 3 }\n", {}, "\"maximum\" is not a limit");
  refuses("[budgets]\ntokens = { max = \"3\" }\n", {}, "\"max\" is not a limit; write max = NUMBER");
  refuses("[budgets]\ntokens = { min = 3, max = 2 }\n", {}, "min 3.0 is above max 2.0");
  refuses("[budgets]\ntokens = { min = nan }\n", {}, "nan is not a limit");
  refuses("budgets = 3\n", {}, "budgets must be a table");
  refuses("", {"--set", "budgets.tokens.max=few"},
          "--set budgets.tokens.max=few: budgets.tokens.max = few: expects a number");
  refuses("", {"--set", "budgets.tokens=4"}, "a budget is set with budgets.METRIC.max=NUMBER");
}

TEST_CASE("a budget for a metric that the run does not have is refused with the nearest one") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "[budgets]\n\"tpot_ms.p05\" = { max = 3 }\n");
  const outcome run = run_pipe({file, "--out", scratch / "out"});
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("a.toml:2:1: budget for unknown metric \"tpot_ms.p05\"; did you mean \"tpot_ms.p50\"?"));
  // The measurement itself is not lost.
  CHECK(scratch.has("out/metrics.json"));
}
