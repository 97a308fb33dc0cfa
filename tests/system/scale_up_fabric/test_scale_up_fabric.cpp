#include <catch2/catch.hpp>

#include "tests/support/same_files.h"
#include "tests/support/scenario_binary.h"

using namespace scenario_binary;
using Catch::Contains;

namespace {

std::string small(const std::string& pattern, const std::string& more = "") {
  return "[machine]\nranks = 6\n[traffic]\npattern = \"" + pattern + "\"\nbytes = 100000\n" + more;
}

outcome run_small(const scratch_folder& folder, const std::string& pattern, const std::vector<std::string>& settings) {
  const std::string file = folder.file("s.toml", small(pattern));
  return run(folder, with_settings({file, "--out", folder / "out"}, settings));
}

nlohmann::json measure(const scratch_folder& folder, const std::string& pattern,
                       const std::vector<std::string>& settings) {
  return metrics_of(folder, small(pattern), settings);
}

}  // namespace

TEST_CASE("two runs with bit errors write the same bytes in every file") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", small("incast", "[link]\nbit_error_rate = 1e-6\n"));
  REQUIRE(run(folder, {file, "--out", folder / "a", "--waves", "on"}).exit_code == 0);
  REQUIRE(run(folder, {file, "--out", folder / "b", "--waves", "on"}).exit_code == 0);
  const auto a = files_of(folder / "a");
  check_same(a, files_of(folder / "b"));
  CHECK_THAT(a.at("waves.vcd"), Contains("replay_frames") && Contains("queue_req") && Contains("packing"));
}

TEST_CASE("what a run measures moves with what it is given") {
  scratch_folder folder;
  const auto twinax = measure(folder, "ping", {});
  const auto fibre = measure(folder, "ping", {"machine.preset=ethernet_800g_fibre"});
  CHECK(twinax["first_bit_ns"].get<double>() == Approx(477.6));
  CHECK(fibre["first_bit_ns"].get<double>() == Approx(747.6));
  const auto one = measure(folder, "all_to_all", {});
  const auto other_seed = measure(folder, "all_to_all", {"run.seed=2"});
  const auto two_planes = measure(folder, "all_to_all", {"machine.planes=2"});
  CHECK(one["bytes_total"] != other_seed["bytes_total"]);
  CHECK(two_planes["all_to_all_us"].get<double>() < 0.6 * one["all_to_all_us"].get<double>());
}

TEST_CASE("an all-reduce takes least in the switches, and round a ring where bytes count") {
  scratch_folder folder;
  const auto large = measure(folder, "all_reduce", {"traffic.bytes=1000000"});
  for (const char* way : {"in_network_us", "ring_us", "one_shot_us"}) {
    INFO(way);
    const double bound = large["bound." + std::string(way)];
    CHECK(large[way] >= bound);
    CHECK(large[way] <= 1.05 * bound);
  }
  CHECK(large["in_network_us"] < large["ring_us"]);
  CHECK(large["ring_us"] < large["one_shot_us"]);
  // A few bytes: one step instead of ten.
  const auto small_one = measure(folder, "all_reduce", {"traffic.bytes=256"});
  CHECK(small_one["one_shot_us"] < small_one["ring_us"]);
  CHECK(small_one["values.right"] == 6);
}

TEST_CASE("a last frame that is not full takes its own time, not that of a full one") {
  scratch_folder folder;
  for (const char* pattern : {"line_rate", "credit_sweep", "bit_error_sweep"})
    for (const char* bytes : {"1", "255", "4095", "4096", "4097", "100000"}) {
      INFO(pattern << " of " << bytes << " B");
      // 6 is the exit code of a result that beats its bound.
      const auto m = measure(folder, pattern, {std::string("traffic.bytes=") + bytes});
      if (m.contains("goodput.point_0")) CHECK(m["goodput.point_0"].get<double>() == Approx(1));
    }
}

TEST_CASE("a train of frames takes the room of the frames, a short one filled up") {
  scratch_folder folder;
  const auto m = measure(folder, "bit_error_sweep", {"traffic.bytes=4097", "run.fidelity=burst"});
  CHECK(m["goodput.point_0"].get<double>() == Approx(1));
}

TEST_CASE("bit errors cost time with retry on the link, and more without") {
  scratch_folder folder;
  const auto clean = measure(folder, "incast", {"traffic.victims=false"});
  const auto retried =
      measure(folder, "incast", {"traffic.victims=false", "link.bit_error_rate=3e-6", "traffic.bytes=1000000"});
  const auto end_to_end = measure(folder, "incast",
                                  {"traffic.victims=false", "link.bit_error_rate=3e-6", "traffic.bytes=1000000",
                                   "link.retry=false", "endpoint.retry_timeout_ns=20000"});
  CHECK(clean["link.frames_replayed"] == 0);
  CHECK(retried["link.frames_replayed"] > 0);
  CHECK(retried["pdus.repeated"] == 0);
  CHECK(end_to_end["pdus.repeated"] > 0);
  CHECK(end_to_end["last_byte_us"].get<double>() > retried["last_byte_us"].get<double>());
}

TEST_CASE("bad input is told with its key, and a link that is given up with the rank behind it") {
  scratch_folder folder;
  const outcome unknown = run_small(folder, "ping", {"machine.rank=4"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("did you mean \"machine.ranks\""));
  const outcome too_small = run_small(folder, "incast", {"machine.ranks=3"});
  CHECK(too_small.exit_code == 2);
  CHECK_THAT(too_small.err, Contains("machine.ranks"));
  const auto refused = [&folder](const std::vector<std::string>& settings, const std::string& text) {
    const outcome result = run_small(folder, "ping", settings);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::StartsWith("error: " + text));
  };
  refused({"run.fidelity=burst", "link.bit_error_rate=1e-6"}, "link.bit_error_rate = 1e-06: trains of frames");
  refused({"machine.phy_ns=1e6"}, "link.replay_timeout_ns = 10000: must be more than the 2");
  refused({"machine.switch_buffer_bytes=1"}, "machine.switch_buffer_bytes = 1: 6 ports");
  refused({"traffic.pattern=credit_sweep", "sweep.receive_buffer_bytes=8192,64"},
          "sweep.receive_buffer_bytes = 64: a frame of");
  refused({"traffic.pattern=credit_sweep", "run.fidelity=burst"}, "sweep.receive_buffer_bytes = 16384: a frame of");
  refused({"traffic.pattern=bit_error_sweep", "sweep.round_trip_ns=1e6"}, "link.replay_timeout_ns = 10000: must be");
  refused({"machine.receive_buffer_bytes=64"}, "machine.receive_buffer_bytes = 64: a frame of");
  const outcome dead = run_small(folder, "ping", {"link.bit_error_rate=1e-3", "link.replay_limit=2"});
  CHECK(dead.exit_code == 4);
  CHECK_THAT(dead.err, Contains("no plane is left to rank"));
}
