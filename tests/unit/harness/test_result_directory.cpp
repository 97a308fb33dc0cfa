#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/harness/pipe_scenario.h"
#include "tests/unit/harness/scratch_folder.h"

using namespace scribeline;
using namespace scribeline::harness;
using namespace scribeline::harness::test;
using Catch::Contains;

TEST_CASE("a file that is not committed leaves nothing behind") {
  const scratch_folder scratch;
  result_directory results(scratch / "out");
  { results.create("a.csv")->write("half a table"); }
  CHECK_FALSE(scratch.has("out/a.csv"));
  CHECK_FALSE(scratch.has("out/a.csv.tmp"));
  CHECK(results.files() == std::vector<std::string>{"a.csv"});
  CHECK(results.complete_files().empty());
}

TEST_CASE("whatever an earlier run wrote is gone when the next begins, and nothing else") {
  const scratch_folder scratch;
  scratch.file("out/mine.csv", "a user's file");
  {
    result_directory results(scratch / "out");
    results.write("any_name.csv", "1\n");
    results.write("pictures/1.svg", "<svg/>");
    scratch.file("out/pictures/mine.svg", "");
    scratch.file("out/waves.vcd", "");
    results.stream("waves.vcd");
    scratch.file("out/killed.csv.tmp", "half");  // as a run that was killed leaves it
    results.stream("killed.csv");
  }
  result_directory results(scratch / "out");
  for (const char* name : {"any_name.csv", "pictures/1.svg", "waves.vcd", "killed.csv.tmp"}) {
    INFO(name);
    CHECK_FALSE(scratch.has(std::string("out/") + name));
  }
  CHECK(scratch.has("out/mine.csv"));
  CHECK(scratch.has("out/pictures/mine.svg"));
}

TEST_CASE("a list of earlier results that names files elsewhere removes none of them") {
  const scratch_folder scratch;
  const std::string other = scratch.file("other.csv", "not ours");
  scratch.file("out/folder/a", "");
  scratch.file("out/.scribeline_results", "../other.csv\n" + other + "\nfolder\n\n.\nnever_there.csv\n");
  result_directory results(scratch / "out");
  CHECK(scratch.has("other.csv"));
  CHECK(scratch.has("out/folder/a"));
}

TEST_CASE("inputs of an earlier run stay while they are read, and go when nothing names them any more") {
  const scratch_folder scratch;
  scratch.file("m.json", "{}");
  scratch.file("n.json", "{}");
  REQUIRE(run_pipe({scratch.file("m.toml", "[model]\nfile = \"m.json\"\n"), "--out", scratch / "out"}).code == 0);
  REQUIRE(run_pipe({scratch / "out/effective.toml", "--out", scratch / "out"}).code == 0);
  CHECK(scratch.has("out/inputs/model.file/m.json"));
  REQUIRE(run_pipe({scratch.file("n.toml", "[model]\nfile = \"n.json\"\n"), "--out", scratch / "out"}).code == 0);
  CHECK_FALSE(scratch.has("out/inputs/model.file/m.json"));
  CHECK(scratch.has("out/inputs/model.file/n.json"));
}

TEST_CASE("a folder that another run writes to is refused, and free when that run has ended") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "");
  int ready[2], leave[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(leave) == 0);
  const pid_t other = fork();
  if (other == 0) {
    const result_directory results(scratch / "out");
    char c = 'x';
    if (write(ready[1], &c, 1) != 1 || read(leave[0], &c, 1) != 1) _exit(1);
    _exit(0);
  }
  char c = 'x';
  REQUIRE(read(ready[0], &c, 1) == 1);
  const outcome refused = run_pipe({file, "--out", scratch / "out"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("--out " + (scratch / "out") + ": cannot write results there: another run is doing so"));
  REQUIRE(write(leave[1], &c, 1) == 1);
  waitpid(other, nullptr, 0);
  CHECK(run_pipe({file, "--out", scratch / "out"}).code == 0);
}

TEST_CASE("an interrupted run names no file that is not there") {
  const scratch_folder scratch;
  const auto file = scratch.file("a.toml", "[test]\nfailure = \"interrupt_half_way\"\n");
  const outcome run = run_pipe({file, "--out", scratch / "out"});
  CHECK(run.code == 130);
  CHECK_THAT(run.err, Contains(" metrics.json") && !Contains("stages.csv"));
  CHECK_FALSE(scratch.has("out/stages.csv"));
}

TEST_CASE("a result folder without a name is refused") {
  const scratch_folder scratch;
  const outcome run = run_pipe({scratch.file("a.toml", ""), "--out", ""});
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("--out") && Contains("names no folder"));
}
