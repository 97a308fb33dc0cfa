#include <catch2/catch.hpp>

#include "tests/system/asic_rack/asic_rack_binary.h"

using namespace asic_rack_binary;

namespace {

void check_same(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, text] : a) {
    INFO(name);
    REQUIRE(b.count(name) == 1);
    CHECK((text == b.at(name)));
  }
}

}  // namespace

TEST_CASE("two runs write the same bytes in every file, and no path of this machine") {
  scratch_folder folder;
  folder.file("model.json", contents(data("tiny_experts.json")));
  folder.file("s.toml", scenario("model.json"));
  REQUIRE(run(folder, {"s.toml", "--out", "a", "--waves", "on"}, folder / "").exit_code == 0);
  REQUIRE(run(folder, {folder / "s.toml", "--out", folder / "b", "--waves", "on"}, "/").exit_code == 0);
  const auto a = files_of(folder / "a");
  for (const char* name : {"metrics.json", "requests.csv", "waves.vcd", "waves.gtkw", "timeline.json"})
    CHECK(a.count(name) == 1);
  check_same(a, files_of(folder / "b"));
  for (const auto& [name, text] : a) {
    INFO(name);
    CHECK(text.find(folder / "") == std::string::npos);
  }
}

TEST_CASE("the effective configuration, run again, gives the same results, whatever the chip") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_experts.json")));
  for (const char* preset : {"jalapeno", "gb300"}) {
    const std::string chip = std::string("machine.preset=") + preset;
    REQUIRE(run(folder, {file, "--out", folder / "first", "--set", chip, "--set", "mapping.pipeline=2"}).exit_code ==
            0);
    REQUIRE(run(folder, {folder / "first/effective.toml", "--out", folder / "second"}).exit_code == 0);
    check_same(files_of(folder / "first"), files_of(folder / "second"));
  }
}

TEST_CASE("waves change no result") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_experts.json")));
  REQUIRE(run(folder, {file, "--out", folder / "off"}).exit_code == 0);
  REQUIRE(run(folder, {file, "--out", folder / "on", "--waves", "on"}).exit_code == 0);
  for (const char* name : {"requests.csv", "stages.csv", "operations.csv", "collectives.csv"})
    CHECK((folder.read(std::string("off/") + name) == folder.read(std::string("on/") + name)));
  auto a = nlohmann::json::parse(folder.read("off/metrics.json"));
  auto b = nlohmann::json::parse(folder.read("on/metrics.json"));
  for (auto* metrics : {&a, &b})
    metrics->erase("config.trace.waves");
  CHECK(a == b);
}
