#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/scenario_binary.h"

using namespace scenario_binary;
using Catch::Contains;

namespace {

std::string small(const std::string& more = "") {
  return "[model]\nlayers = [\"grouped_dense\", \"state_space_dense\"]\nhidden = 32\nvocabulary = 40\n"
         "feed_forward = 48\n[machine]\nside = 8\n[workload]\nprompt = [5, 7]\ngenerated_tokens = 5\n" +
         more;
}

outcome run_small(const scratch_folder& folder, const std::vector<std::string>& settings) {
  const std::string file = folder.file("s.toml", small());
  return run(folder, with_settings({file, "--out", folder / "out"}, settings));
}

nlohmann::json measure(const scratch_folder& folder, const std::vector<std::string>& settings) {
  const std::string file = folder.file("s.toml", small());
  const outcome result = run(folder, with_settings({file, "--json", "--out", folder / "out"}, settings));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out);
}

}  // namespace

TEST_CASE("a good run ends with 0, a row a token and nothing on stderr") {
  scratch_folder folder;
  const outcome result = run_small(folder, {});
  CHECK(result.exit_code == 0);
  CHECK(result.err == "");
  CHECK_THAT(result.out, Contains("largest difference of a logit to the host's") &&
                             Contains("Tokens: what the wafers computed, beside the host") &&
                             Contains("difference.largest  <= 0.03"));
  for (const char* file : {"metrics.json", "effective.toml", "tokens.csv", "wafers.csv"})
    CHECK(folder.has(std::string("out/") + file));
}

TEST_CASE("two runs with bad frames write the same bytes in every file") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", small());
  const auto run_into = [&](const char* out) {
    const outcome result = run(
        folder, with_settings({file, "--out", folder / out, "--waves", "on"}, {"machine.link.frame_error_rate=0.1"}));
    REQUIRE(result.exit_code == 0);
    return files_of(folder / out);
  };
  const auto a = run_into("a"), b = run_into("b");
  for (const char* name : {"metrics.json", "tokens.csv", "wafers.csv", "waves.vcd", "waves.gtkw", "timeline.json"})
    CHECK(a.count(name) == 1);
  REQUIRE(a.size() == b.size());
  for (const auto& [name, text] : a) {
    INFO(name);
    CHECK((text == b.at(name)));
  }
}

TEST_CASE("a run into a used folder leaves nothing of the run before") {
  scratch_folder folder;
  REQUIRE(run_small(folder, {}).exit_code == 0);
  CHECK(folder.has("out/tokens.csv"));
  REQUIRE(run_small(folder, {"machine.link.frame_error_rate=0.9", "machine.link.retry=false"}).exit_code == 4);
  for (const char* file : {"metrics.json", "tokens.csv", "wafers.csv"})
    CHECK_FALSE(folder.has(std::string("out/") + file));
}

TEST_CASE("waves change no result") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", small());
  REQUIRE(run(folder, {file, "--out", folder / "off"}).exit_code == 0);
  REQUIRE(run(folder, {file, "--out", folder / "on", "--waves", "on"}).exit_code == 0);
  for (const char* name : {"tokens.csv", "wafers.csv"})
    CHECK((folder.read(std::string("off/") + name) == folder.read(std::string("on/") + name)));
  CHECK_THAT(folder.read("on/waves.vcd"), Contains("row_07") && Contains("activation\\040enters"));
}

TEST_CASE("the logits are the same bits over one wafer and two, with and without bad frames, and only time changes") {
  scratch_folder folder;
  const auto one = measure(folder, {"machine.wafers=1"});
  const auto two = measure(folder, {});
  const auto noisy = measure(folder, {"machine.link.frame_error_rate=0.2"});
  const auto other_seed = measure(folder, {"run.seed=2"});
  CHECK(one["logits.fingerprint"] == two["logits.fingerprint"]);
  CHECK(noisy["logits.fingerprint"] == two["logits.fingerprint"]);
  CHECK(other_seed["logits.fingerprint"] != two["logits.fingerprint"]);
  CHECK(noisy["links.frames_replayed"].get<int>() > 0);
  CHECK(noisy["token_us.mean"].get<double>() > two["token_us.mean"].get<double>());
  CHECK(noisy["wafer_1.cycles.p50"] == two["wafer_1.cycles.p50"]);
  CHECK(two["token_us.p50"].get<double>() > one["token_us.p50"].get<double>() + 5);  // a link more
  CHECK(two["tokens"] == 6);
}

TEST_CASE("what a run measures moves with what it is given") {
  scratch_folder folder;
  const auto base = measure(folder, {"workload.prompt=5"});
  const auto near = measure(folder, {"workload.prompt=5", "machine.link.latency_ns=2000"});
  const auto fast = measure(folder, {"workload.prompt=5", "machine.clock_ghz=1.7"});
  const auto slow_firmware = measure(folder, {"workload.prompt=5", "firmware.interrupt_latency_ns=1200"});
  CHECK(base["token_us.p50"].get<double>() - near["token_us.p50"].get<double>() == Approx(9));
  CHECK(fast["fabric_us.mean"].get<double>() == Approx(base["fabric_us.mean"].get<double>() / 2).epsilon(1e-3));
  CHECK(slow_firmware["token_us.p50"].get<double>() - base["token_us.p50"].get<double>() == Approx(2));
  double parts = 0;
  for (const char* part : {"links_us.mean", "waiting_us.mean", "firmware_us.mean", "fabric_us.mean"})
    parts += base[part].get<double>();
  CHECK(parts == Approx(base["token_us.mean"].get<double>()));
}

TEST_CASE("logits beyond the tolerance end the run with 1") {
  scratch_folder folder;
  const outcome result = run_small(folder, {"check.tolerance=1e-6"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("difference.largest") && Contains("MISSED"));
}

TEST_CASE("wrong keys and values are refused with 2 and by name") {
  scratch_folder folder;
  const auto refused = [&](const std::string& setting, const std::string& expected) {
    const outcome result = run_small(folder, {setting});
    INFO(setting << ": " << result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(setting.substr(0, setting.find('='))) && Contains(expected));
    CHECK_FALSE(folder.has("out/metrics.json"));
  };
  refused("machine.wafer=2", "machine.wafers");
  refused("machine.wafers=3", "be at most the number of model.layers");
  refused("machine.side=7", "be 4, 8, 16 or 32");
  refused("model.layers=grouped_sparse", "grouped_dense");
  refused("model.layers=[]", "name a layer at least");
  refused("workload.prompt=50", "below model.vocabulary");
  refused("workload.generated_tokens=0", "1..4096");
  refused("machine.link.frame_error_rate=1", "0..0.9");
  refused("machine.link.receive_buffer_bytes=1000", "would never fit");
}

TEST_CASE("a model that no core can hold ends with 3 and what it takes") {
  scratch_folder folder;
  const outcome result = run_small(folder, {"model.vocabulary=4000", "model.hidden=512"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Contains("wafer 0") && Contains("B of every core, which has"));
}

TEST_CASE("a message lost for good ends with 4 and where it was lost") {
  scratch_folder folder;
  const outcome result = run_small(folder, {"machine.link.frame_error_rate=0.9", "machine.link.retry=false"});
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.err, Contains("did not arrive") && Contains("frames were bad and retry is off"));
}

TEST_CASE("the effective configuration, run again, gives the same results") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", small());
  REQUIRE(run(folder, {file, "--out", folder / "first", "--seed", "7"}).exit_code == 0);
  REQUIRE(run(folder, {folder / "first/effective.toml", "--out", folder / "second"}).exit_code == 0);
  for (const char* name : {"metrics.json", "tokens.csv", "wafers.csv"})
    CHECK((folder.read(std::string("first/") + name) == folder.read(std::string("second/") + name)));
}
