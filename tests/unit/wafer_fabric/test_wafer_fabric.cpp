// Whole runs of the scenario: results, files, exit codes.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/harness/scratch_folder.h"

using namespace scribeline;
using Catch::Matchers::Contains;
using harness::test::scratch_folder;

namespace {

const std::string small_machine = "[machine]\npreset = \"wse2\"\ncolumns = 8\nrows = 4\n[collective]\nwords = 16\n";

struct outcome {
  int code;
  std::string out, err;
};

std::string quoted(const std::string& argument) {
  return "'" + argument + "'";
}

outcome run_fabric(const scratch_folder& scratch, const std::vector<std::string>& arguments,
                   const std::string& text = small_machine, const std::string& out_folder = "out") {
  std::string command = quoted(WAFER_FABRIC_BINARY) + " " + quoted(scratch.file("a.toml", text)) + " --out " +
                        quoted(scratch / out_folder);
  for (const std::string& argument : arguments)
    command += " " + quoted(argument);
  command += " >" + quoted(scratch / "stdout") + " 2>" + quoted(scratch / "stderr");
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), scratch.read("stdout"), scratch.read("stderr")};
}

nlohmann::json metrics_of(const scratch_folder& scratch) {
  return nlohmann::json::parse(scratch.read("out/metrics.json"));
}

}  // namespace

TEST_CASE("a run tells cycles beside closed form and bound, and what every link carried") {
  const scratch_folder scratch;
  const outcome run = run_fabric(scratch, {"--set", "collective.values=true"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const nlohmann::json m = metrics_of(scratch);
  CHECK(m["cycles"] > m["bound.cycles"]);
  CHECK(m["formula.cycles"] > m["bound.cycles"]);
  CHECK(m["time_us"].get<double>() == Approx(m["cycles"].get<double>() / 0.85e3));
  CHECK(m["values.compared"] == 8 * 4 * 16);
  // Reduce: every core but the root sends its words once, and the leader of a second group past its own group; the
  // broadcast passes every link of column 0 and of the rows.
  CHECK(m["word_hops"].get<int>() > 2 * 31 * 16);
  std::istringstream links(scratch.read("out/links.csv"));
  std::string line;
  std::getline(links, line);
  CHECK(line == "column,row,direction,words,utilisation");
  std::int64_t words = 0;
  while (std::getline(links, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int i = 0; i < 4; ++i)
      std::getline(cells, cell, ',');
    words += std::stoll(cell);
  }
  CHECK(words == m["word_hops"]);
  CHECK_THAT(scratch.read("out/heatmap.svg"), Contains("two-phase x two-phase all-reduce"));
  CHECK_THAT(run.err, Contains("word-hops in"));
  CHECK_THAT(run.out, !Contains("ns each"));  // the wall clock is no result
}

TEST_CASE("the closed form alone runs no words") {
  const scratch_folder scratch;
  REQUIRE(run_fabric(scratch, {"--fidelity", "formula"}).code == 0);
  const nlohmann::json m = metrics_of(scratch);
  CHECK(m["cycles"] == m["formula.cycles"]);
  CHECK_FALSE(m.contains("word_hops"));
  CHECK_FALSE(scratch.has("out/links.csv"));
  const outcome values = run_fabric(scratch, {"--fidelity", "formula", "--set", "collective.values=true"});
  CHECK(values.code == 2);
  CHECK_THAT(values.err, Contains("collective.values needs --fidelity wavelet"));
  CHECK(run_fabric(scratch, {"--fidelity", "formula", "--waves", "on"}).code == 2);
}

TEST_CASE("streams instead of words give nearly the same cycles, and the same words") {
  const scratch_folder scratch;
  const std::string text = "[machine]\ncolumns = 16\nrows = 12\n[collective]\nwords = 64\n";
  REQUIRE(run_fabric(scratch, {}, text).code == 0);
  const nlohmann::json words = metrics_of(scratch);
  const outcome run = run_fabric(scratch, {"--fidelity", "burst"}, text);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const nlohmann::json streams = metrics_of(scratch);
  CHECK(streams["cycles"].get<double>() == Approx(words["cycles"].get<double>()).epsilon(0.05));
  CHECK(streams["word_hops"] == words["word_hops"]);
  CHECK(streams["ramp_words"] == words["ramp_words"]);
  CHECK_FALSE(streams.contains("links.used"));
  CHECK_FALSE(scratch.has("out/links.csv"));
  CHECK(run_fabric(scratch, {"--fidelity", "burst", "--set", "collective.values=true"}).code == 2);
  CHECK(run_fabric(scratch, {"--fidelity", "burst", "--waves", "on"}).code == 2);
}

TEST_CASE("streams use the same links as words, on a repaired mesh, too") {
  const scratch_folder scratch;
  const std::string text =
      "[machine]\ncolumns = 16\nrows = 12\n[collective]\nwords = 64\n[defects]\ncores = [\"3,0\", \"4,0\", \"2,2\"]\n";
  const auto run = [&](const char* fidelity, const char* folder) {
    const outcome result = run_fabric(scratch, {"--fidelity", fidelity, "--set", "results.links=on"}, text, folder);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return nlohmann::json::parse(scratch.read(std::string(folder) + "/metrics.json"));
  };
  const nlohmann::json words = run("wavelet", "words");
  const nlohmann::json streams = run("burst", "streams");
  CHECK(streams["cycles"].get<double>() == Approx(words["cycles"].get<double>()).epsilon(0.05));
  CHECK(streams["links.used"] == words["links.used"]);
  CHECK(streams["defects.longest_link_hops"] == 3);
  CHECK(scratch.has("streams/heatmap.svg"));
  const auto words_of_links = [&](const char* file) {  // without the utilisation, which follows the cycles
    std::istringstream lines(scratch.read(file));
    std::string all;
    for (std::string line; std::getline(lines, line);)
      all += line.substr(0, line.rfind(',')) + '\n';
    return all;
  };
  CHECK(words_of_links("streams/links.csv") == words_of_links("words/links.csv"));
}

TEST_CASE("reduces work in place, so SRAM banks do not slow them down") {
  const scratch_folder scratch;
  REQUIRE(run_fabric(scratch, {}).code == 0);
  const nlohmann::json without = metrics_of(scratch);
  REQUIRE(run_fabric(scratch, {"--set", "machine.bank_conflicts=true"}).code == 0);
  CHECK(metrics_of(scratch)["cycles"] == without["cycles"]);
  const outcome refused = run_fabric(scratch, {"--fidelity", "burst", "--set", "machine.bank_conflicts=true"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("machine.bank_conflicts needs --fidelity wavelet"));
}

TEST_CASE("the same scenario gives the same bytes, with waves or without") {
  const scratch_folder scratch;
  REQUIRE(run_fabric(scratch, {}).code == 0);
  const std::string metrics = scratch.read("out/metrics.json");
  REQUIRE(run_fabric(scratch, {}, small_machine, "again").code == 0);
  CHECK(scratch.read("again/metrics.json") == metrics);
  CHECK(scratch.read("again/heatmap.svg") == scratch.read("out/heatmap.svg"));
  CHECK(scratch.read("again/links.csv") == scratch.read("out/links.csv"));
}

TEST_CASE("waves show a rectangle of cores and change no result") {
  const scratch_folder scratch;
  const outcome run = run_fabric(scratch, {"--waves", "on", "--set", "trace.core_column=6", "trace.core_row=1",
                                           "trace.core_columns=4", "trace.core_rows=2"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const std::string vcd = scratch.read("out/waves.vcd");
  CHECK_THAT(vcd,
             Contains("core_06_01") && Contains("core_07_02") && !Contains("core_08_01") && !Contains("core_05_01"));
  CHECK_THAT(vcd, Contains("from_east") && Contains("to_core"));
  CHECK_THAT(vcd, Contains("ssend ") && Contains("no\\040data\\040of\\040color"));
  const std::string view = scratch.read("out/waves.gtkw");
  CHECK_THAT(view, Contains("fabric.core_06_01.router.from_west[7:0]") && Contains("fabric.cycle"));
  CHECK(nlohmann::json::parse(scratch.read("out/timeline.json")).size() > 0);
  const nlohmann::json traced = metrics_of(scratch);
  REQUIRE(run_fabric(scratch, {}, small_machine, "plain").code == 0);
  CHECK(traced["cycles"] == nlohmann::json::parse(scratch.read("plain/metrics.json"))["cycles"]);
}

TEST_CASE("waves of a window cover its cycles only") {
  const scratch_folder scratch;
  REQUIRE(run_fabric(scratch, {"--waves", "window", "--set", "trace.window_start_us=0.05", "trace.window_end_us=0.1"})
              .code == 0);
  std::istringstream vcd(scratch.read("out/waves.vcd"));
  std::string line;
  std::int64_t last = 0;
  while (std::getline(vcd, line))
    if (!line.empty() && line[0] == '#') {
      last = std::stoll(line.substr(1));
      CHECK(last >= 50'000);
    }
  CHECK(last == 100'000);
}

TEST_CASE("defects cost cycles and are told") {
  const scratch_folder scratch;
  REQUIRE(run_fabric(scratch, {}).code == 0);
  const nlohmann::json healthy = metrics_of(scratch);
  const outcome run = run_fabric(scratch, {"--set", "defects.cores=[\"3,0\", \"4,0\", \"2,2\"]",
                                           "defects.links=[\"1,1,south\"]", "collective.values=true"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const nlohmann::json repaired = metrics_of(scratch);
  CHECK(repaired["cycles"] > healthy["cycles"]);
  CHECK(repaired["formula.cycles"] > healthy["formula.cycles"]);
  CHECK(repaired["bound.cycles"] == healthy["bound.cycles"]);
  CHECK(repaired["values.compared"] == 8 * 4 * 16);
  CHECK(repaired["defects.longest_link_hops"] == 3);  // over two dead cores
  CHECK(repaired["defects.moved_cores"] == 5 + 7);    // rows 0 and 2
}

TEST_CASE("defects beyond the spare cores do not fit") {
  const scratch_folder scratch;
  const outcome run = run_fabric(
      scratch, {"--set", "defects.cores=[\"3,0\", \"4,0\"]", "defects.spare_columns=1", "defects.spare_rows=0"});
  CHECK(run.code == 3);
  CHECK_THAT(run.err, Contains("row 0 of the wafer: 8 working cores needed, 7 available (2 dead, 1 spare columns)"));
  CHECK(run_fabric(scratch, {"--set", "defects.cores=[\"3;0\"]"}).code == 2);
  CHECK(run_fabric(scratch, {"--set", "defects.links=[\"3,0,up\"]"}).code == 2);
  CHECK(run_fabric(scratch, {"--set", "defects.cores=[\"30,0\"]"}).code == 2);
}

TEST_CASE("a missed budget ends with 1") {
  const scratch_folder scratch;
  CHECK(run_fabric(scratch, {}, small_machine + "[budgets]\ncycles = { max = 10 }\n").code == 1);
  CHECK(run_fabric(scratch, {}, small_machine + "[budgets]\ncycles = { max = 1e6 }\n", "out2").code == 0);
}

TEST_CASE("a program that does not end in time makes no progress") {
  const scratch_folder scratch;
  const outcome late = run_fabric(scratch, {"--set", "run.limit_cycles=50"});
  CHECK(late.code == 4);
  CHECK_THAT(late.err, Contains("still busy after"));
}

TEST_CASE("what cannot be run is bad input that names the key or the cores") {
  const scratch_folder scratch;
  const outcome large = run_fabric(scratch, {"--set", "collective.words=12000", "collective.pattern=chain"});
  CHECK(large.code == 0);  // 48,000 of 49,152 B
  CHECK(run_fabric(scratch, {"--set", "collective.words=13000"}).code == 2);
  CHECK(run_fabric(scratch, {"--set", "collective.group=9"}).code == 2);
  CHECK(run_fabric(scratch, {"--set", "trace.core_column=8"}).code == 2);
  const outcome many = run_fabric(scratch, {"--set", "trace.core_columns=17", "trace.core_rows=16"});
  CHECK(many.code == 2);
  CHECK_THAT(many.err, Contains("trace.core_columns") && Contains("256"));
}

TEST_CASE("the program of a collective can be written, and run again as a program of one's own") {
  const scratch_folder scratch;
  REQUIRE(run_fabric(scratch, {"--set", "results.program=true"}).code == 0);
  const nlohmann::json collective = metrics_of(scratch);
  scratch.file("mine.txt", scratch.read("out/program.txt"));
  const std::string text = "[machine]\npreset = \"wse2\"\n[program]\nfile = \"mine.txt\"\n";
  for (const char* fidelity : {"wavelet", "burst"}) {
    const outcome run = run_fabric(scratch, {"--fidelity", fidelity, "--set", "results.program=true"}, text, "again");
    INFO(run.err);
    REQUIRE(run.code == 0);
    const auto m = nlohmann::json::parse(scratch.read("again/metrics.json"));
    CHECK(m["word_hops"] == collective["word_hops"]);
    CHECK(m["machine.cores"] == 32);
    if (fidelity == std::string("wavelet")) CHECK(m["cycles"] == collective["program.cycles"]);
    CHECK(scratch.read("again/program.txt") == scratch.read("out/program.txt"));
    CHECK_THAT(scratch.read("again/timestamps.csv"), Contains("column,row,mark,cycle\n"));
  }
}

TEST_CASE("a program of one's own that cannot run is named with file and line, or with the core") {
  const scratch_folder scratch;
  const std::string text = "[program]\nfile = \"mine.txt\"\n";
  scratch.file("mine.txt", "program \"p\", 2 columns x 1 rows\nroute color 1 at column 0, row 0: ramp > east\n");
  outcome run = run_fabric(scratch, {}, text);
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("mine.txt:2:40: expected \"->\", found \">\""));
  scratch.file("mine.txt", "program \"p\", 2 columns x 1 rows\nroute color 1 at column 1, row 0: ramp -> east\n");
  run = run_fabric(scratch, {}, text);
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("mine.txt") && Contains("(column 1, row 0)") && Contains("leaves the fabric"));
  run = run_fabric(scratch, {"--fidelity", "formula"}, text);
  CHECK(run.code == 2);
  run = run_fabric(scratch, {"--set", "trace.core_column=5"}, text);
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("2 x 1 cores") && Contains("(column 5, row 0)"));
  CHECK_THAT(run_fabric(scratch, {}, "[program]\nfile = \"no.txt\"\n").err, Contains("no.txt"));
  // Two cores that wait for each other's words: who waits for whom, and exit code 4.
  scratch.file("mine.txt",
               "program \"p\", 2 columns x 1 rows\n"
               "route color 1 at column 0, row 0: ramp -> east\nroute color 1 at column 1, row 0: west -> ramp\n"
               "route color 2 at column 1, row 0: ramp -> west\nroute color 2 at column 0, row 0: east -> ramp\n"
               "output queue 2 feeds color 1 at column 0, row 0\noutput queue 2 feeds color 2 at column 1, row 0\n"
               "input queue 0 takes color 2 at column 0, row 0\ninput queue 0 takes color 1 at column 1, row 0\n"
               "task 8 \"swap\" at columns 0..1, row 0, active at start\n"
               "  copy fp32 sram[0] <- input queue 0, 4 elements\n"
               "  copy fp32 output queue 2 <- sram[0], 4 elements\n");
  for (const char* fidelity : {"wavelet", "burst"}) {
    run = run_fabric(scratch, {"--fidelity", fidelity}, text);
    CHECK(run.code == 4);
    CHECK_THAT(run.err, Contains("(column 0, row 0)") && Contains("(column 1, row 0)"));
  }
}
