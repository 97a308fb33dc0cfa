#include <sys/resource.h>

#include <csignal>

#include "tests/system/every_binary/every_binary.h"

using namespace every_binary;
using Catch::Contains;

TEST_CASE("a result folder that cannot be made is refused before anything is simulated") {
  for_each([](const subject& s) {
    const std::string obstacle = s.folder.file("file", "");
    for (const std::string& where : {obstacle, obstacle + "/out"}) {
      const outcome result = s.with({"--out", where});
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Contains("--out " + where + ": cannot write results there"));
      CHECK(result.out == "");
    }
  });
}

TEST_CASE("a run into a used folder leaves nothing of the run before, whatever wrote it") {
  const scratch_folder used;
  for_each([&used](const subject& s) { REQUIRE(s.with({"--out", used / "", "--waves", "on"}).exit_code == 0); });
  for_each([&used](const subject& s) {
    REQUIRE(s.with({"--out", used / ""}).exit_code == 0);
    REQUIRE(s.with({"--out", "fresh"}).exit_code == 0);
    check_same(files_of(used / ""), files_of(s.folder / "fresh"));
  });
}

TEST_CASE("a result that cannot be written ends with 5 and names it, and nothing is half there") {
  for_each([](const subject& s) {
    // The results, but for what grows, fit into 1500 B in part only.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{}, small{};
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1500;
    setrlimit(RLIMIT_FSIZE, &small);
    process started(s.folder, {s.file, "--out", s.folder / "full"});
    setrlimit(RLIMIT_FSIZE, &before);
    const outcome result = started.wait();
    CHECK(result.exit_code == 5);
    CHECK_THAT(result.err, Contains("error: cannot write") && Contains("File too large"));
    CHECK_FALSE(s.folder.has("full/metrics.json"));
    for (const auto& [name, text] : files_of(s.folder / "full"))
      CHECK(name.find(".tmp") == std::string::npos);
  });
}
