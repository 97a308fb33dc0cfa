#include "tests/system/every_binary/every_binary.h"

using namespace every_binary;
using Catch::Contains;

TEST_CASE("help, version and keys end with 0 on stdout, with nothing on stderr") {
  for_each([](const subject& s) {
    for (const auto& [option, expected] : std::vector<std::pair<std::string, std::string>>{
             {"--help", "usage: " + s.name}, {"--version", s.name + " (Scribeline"}, {"--list-keys", "run.seed"}}) {
      const outcome result = run(s.folder, {option});
      CHECK(result.exit_code == 0);
      CHECK_THAT(result.out, Contains(expected));
      CHECK(result.err == "");
    }
  });
}

TEST_CASE("a scenario file that is missing, a folder, not TOML or asks for unknown keys is refused where it says so") {
  for_each([](const subject& s) {
    const auto refused = [&s](const std::string& file, const std::string& expected) {
      const outcome result = run(s.folder, {file, "--out", s.folder / "out"});
      INFO(result.err);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Catch::StartsWith("error: ") && Contains(expected));
      CHECK_FALSE(s.folder.has("out/metrics.json"));
    };
    refused(s.folder / "nowhere.toml", "nowhere.toml: No such file");
    refused(s.folder / "", "it is a folder");
    refused(s.folder.file("bad.toml", "[model\n"), "bad.toml:1:");
    refused(s.folder.file("bad.toml", contents(s.file) + "[run]\nsed = 3\n"), "run.sed\"; did you mean \"run.seed\"?");
    refused(s.folder.file("bad.toml", contents(s.file) + "[run]\nseed = \"one\"\n"),
            "run.seed = \"one\": expects an integer, got a string");
  });
}

TEST_CASE("a wrong command line is refused with the option") {
  for_each([](const subject& s) {
    for (const auto& [arguments, expected] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{}, "SCENARIO"},
             {{s.file, s.file}, "one scenario a run"},
             {{s.file, "--fast"}, "--fast"},
             {{s.file, "--seeds", "1"}, "unknown option --seeds; did you mean \"--seed\"?"},
             {{s.file, "--set"}, "--set"},
             {{s.file, "--set", "run.seed"}, "key=value"},
             {{s.file, "--set", "run.sed=1"}, "run.seed"},
             {{s.file, "--fidelity", "words"}, "must be one of"},
             {{s.file, "--waves", "maybe"}, "window"},
             {{s.file, "--out", ""}, "names no folder"},
             {{s.file, "--seed", "x"}, "--seed x: run.seed"},
             {{s.file, "--seed", "-1"}, "must be in 0..1e15"},
             {{s.file, "--seed", "1e3"}, "write 1000"}}) {
      const outcome result = run(s.folder, arguments, s.folder / "");
      INFO(result.err);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Contains(expected));
      CHECK(result.out == "");
    }
  });
}
