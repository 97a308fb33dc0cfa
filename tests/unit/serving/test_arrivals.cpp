#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/serving/echo_chain.h"

using namespace scribeline::serving;

namespace {

workload poisson(std::uint64_t requests, double rate_per_s, std::uint64_t seed) {
  workload load;
  load.arrivals = arrival_process::poisson;
  load.requests = requests;
  load.rate_per_s = rate_per_s;
  load.seed = seed;
  load.prompt_tokens = 3;
  load.output_tokens = 1;
  return load;
}

std::vector<std::uint64_t> arrivals(const serving_bench& bench) {
  std::vector<std::uint64_t> all;
  for (const auto& r : bench.host->records())
    all.push_back(r.arrival_ps);
  return all;
}

}  // namespace

TEST_CASE("closed arrivals keep the users' number in flight, no more") {
  workload load;
  load.users = 4;
  load.requests = 10;
  load.prompt_tokens = 3;
  load.output_tokens = 3;
  serving_bench few(load, 5000, 1000, "few");
  load.users = 40;
  serving_bench many(load, 5000, 1000, "many");
  sc_core::sc_start();
  CHECK(few.admission.most == 4);
  CHECK(few.host->finished() == 10);
  CHECK(many.admission.most == 10);  // as many as there are requests
  CHECK(many.host->records().size() == 10);
}

TEST_CASE("Poisson arrivals have the rate asked for and exponential gaps") {
  const std::uint64_t n = 4000;
  serving_bench bench(poisson(n, 1e5, 3), 500);
  bench.run();
  REQUIRE(bench.host->done());
  const auto at = arrivals(bench);
  REQUIRE(at.size() == n);
  CHECK(at.front() > 0);
  CHECK(std::is_sorted(at.begin(), at.end()));
  // The mean gap is 10 us; its standard error over n gaps is 10 us / sqrt(n).
  CHECK(static_cast<double>(at.back()) / n == Approx(1e7).epsilon(4 / std::sqrt(double(n))));
  std::size_t above_mean = 0;
  for (std::size_t i = 1; i < n; ++i)
    above_mean += at[i] - at[i - 1] > 10000000;
  CHECK(double(above_mean) / n == Approx(std::exp(-1)).margin(0.03));
}

TEST_CASE("Poisson arrivals depend on the seed, and not on how fast the answers are") {
  serving_bench a(poisson(50, 1e5, 3), 500, 1000, "a");
  serving_bench slow(poisson(50, 1e5, 3), 500000, 1, "slow");
  serving_bench other(poisson(50, 1e5, 4), 500, 1000, "other");
  sc_core::sc_start();
  CHECK(arrivals(a) == arrivals(slow));
  CHECK(arrivals(a) != arrivals(other));
  CHECK(slow.record(49).queue_ps() > 0);
}

TEST_CASE("the rate scales the arrival times of one seed") {
  serving_bench slow(poisson(20, 1e4, 3), 500, 1000, "slow");
  serving_bench fast(poisson(20, 1e5, 3), 500, 1000, "fast");
  sc_core::sc_start();
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(double(slow.record(i).arrival_ps) == Approx(10 * double(fast.record(i).arrival_ps)).margin(20));
}

TEST_CASE("arrivals that simulated time cannot hold are refused with the request and the rate") {
  serving_bench bench(poisson(1000, 1e-6, 3), 500);
  CHECK_THROWS_WITH(bench.run(), Catch::Contains("at 1e-06 requests per second, request") &&
                                     Catch::Contains("of 1000 arrives after more than 106 days"));
}

TEST_CASE("a workload of more requests than memory could hold at once can be started") {
  workload load;
  load.requests = 1000000000000;
  load.prompt_tokens = 3;
  load.output_tokens = 2;
  serving_bench bench(load);
  sc_core::sc_start(ns(10 * round_trip + 1));
  CHECK(bench.host->finished() == 5);
}
