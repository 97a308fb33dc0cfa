#include <chrono>
#include <csignal>
#include <thread>

#include "tests/system/every_binary/every_binary.h"

using namespace every_binary;
using Catch::Contains;

namespace {

// What makes the small scenario take long enough to be interrupted.
const std::map<std::string, std::vector<std::string>> lengthened = {
    {"wafer_chain", {"workload.requests=1000000000"}},
    {"asic_rack", {"workload.output_tokens=1000000"}},
    {"wafer_fabric", {"machine.columns=300", "machine.rows=300", "collective.words=2000"}},
    {"data_mode",
     {"model.layers=state_space_dense,state_space_dense", "machine.side=32", "workload.generated_tokens=4096"}},
    {"scale_up_fabric", {"traffic.bytes=10000000000"}},
    {"waferllm",
     {"workload.phase=end_to_end", "machine.side=420", "machine.prefill_side=720", "workload.prompt_tokens=4096",
      "workload.hidden=4096", "workload.feed_forward=14336"}}};

void wait_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

}  // namespace

TEST_CASE("Ctrl-C ends a run with 130 and leaves files that can be read") {
  for_each([](const subject& s) {
    process started(s.folder,
                    with_settings({s.file, "--out", s.folder / "out", "--waves", "window"}, lengthened.at(s.name)));
    // The run begins right behind its effective configuration.
    for (int i = 0; i < 30000 && !s.folder.has("out/effective.toml"); ++i)
      wait_ms(1);
    wait_ms(100);
    REQUIRE(kill(started.id(), SIGINT) == 0);
    const outcome result = started.wait();
    INFO(result.err);
    CHECK(result.exit_code == 130);
    CHECK_THAT(result.err, Contains("interrupted: these files of") && Contains(" metrics.json"));
    CHECK(nlohmann::json::parse(s.folder.read("out/metrics.json"))["partial"] == true);
    const auto files = files_of(s.folder / "out");
    if (files.count("waves.vcd") == 1) {
      CHECK_THAT(files.at("waves.vcd"), Contains("$enddefinitions"));
      CHECK_NOTHROW(nlohmann::json::parse(files.at("timeline.json")));
    }
    for (const auto& [name, text] : files) {
      INFO(name);
      CHECK(name.find(".tmp") == std::string::npos);
      if (name.find(".csv") == std::string::npos) continue;
      CHECK(text.back() == '\n');
      CHECK_THAT(result.err, Contains(" " + name));
    }
    // Everything it names is there.
    const std::string names = result.err.substr(result.err.rfind(':') + 1);
    std::istringstream list(names);
    for (std::string name; list >> name;)
      CHECK(files.count(name) == 1);
  });
}
