#include "tests/system/every_binary/every_binary.h"

using namespace every_binary;

TEST_CASE("two runs write the same bytes in every file, from whatever directory they are started") {
  for_each([](const subject& s) {
    // A copy, so that files are named relative to it.
    s.folder.file("data/tiny_experts.json", contents(data("tiny_experts.json")));
    const std::string file = s.folder.file("one/two/three/s.toml", contents(s.file));
    s.folder.file("elsewhere/nothing", "");
    REQUIRE(run(s.folder, {"one/two/three/s.toml", "--out", "a"}, s.folder / "").exit_code == 0);
    REQUIRE(run(s.folder, {file, "--out", s.folder / "b"}, "/").exit_code == 0);
    REQUIRE(run(s.folder, {"../one/two/three/s.toml", "--out", "../c"}, s.folder / "elsewhere").exit_code == 0);
    const auto a = files_of(s.folder / "a");
    for (const char* name : {"metrics.json", "effective.toml"})
      CHECK(a.count(name) == 1);
    check_same(a, files_of(s.folder / "b"));
    check_same(a, files_of(s.folder / "c"));
    for (const auto& [name, text] : a) {
      INFO(name << " names a path of this machine");
      CHECK(text.find(s.folder / "") == std::string::npos);
    }
  });
}

TEST_CASE("the effective configuration, run again, gives the same results") {
  for_each([](const subject& s) {
    REQUIRE(s.with({"--out", "first", "--seed", "7"}).exit_code == 0);
    const outcome again = run(s.folder, {s.folder / "first/effective.toml", "--out", s.folder / "second"});
    INFO(again.err);
    REQUIRE(again.exit_code == 0);
    check_same(files_of(s.folder / "first"), files_of(s.folder / "second"));
  });
}

TEST_CASE("waves change no result, are the same bytes twice, and a binary without waves says so") {
  for_each([](const subject& s) {
    REQUIRE(s.with({"--out", "off"}).exit_code == 0);
    for (const char* waves : {"on", "window"}) {
      INFO(waves);
      const outcome result = s.with({"--out", "on", "--waves", waves});
      REQUIRE(result.exit_code == 0);
      REQUIRE(s.with({"--out", "again", "--waves", waves}).exit_code == 0);
      auto on = files_of(s.folder / "on");
      check_same(on, files_of(s.folder / "again"));
      const bool has_waves = on.count("waves.vcd") == 1;
      CHECK(has_waves == (on.count("timeline.json") == 1));
      CHECK(has_waves == (result.err.find("trace.waves has no effect") == std::string::npos));
      for (const auto& [name, text] : files_of(s.folder / "off")) {
        if (name == "metrics.json" || name == "effective.toml" || name == ".scribeline_results") continue;
        INFO(name);
        CHECK((text == on[name]));
      }
      auto a = nlohmann::json::parse(s.folder.read("off/metrics.json"));
      auto b = nlohmann::json::parse(on["metrics.json"]);
      for (auto* metrics : {&a, &b})
        metrics->erase("config.trace.waves");
      CHECK(a == b);
    }
  });
}
