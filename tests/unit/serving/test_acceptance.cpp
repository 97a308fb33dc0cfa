#include <catch2/catch.hpp>
#include <string>

#include "firmware_stubs/serving/acceptance.h"
#include "rtl_tlm/base/random.h"
#include "tests/unit/serving/echo_chain.h"

using namespace scribeline::serving;

namespace {

const std::vector<double>& lengths_of(const std::string& name) {
  for (const auto& table : acceptance_tables())
    if (table.name == name) return table.lengths;
  throw std::out_of_range(name);
}

}  // namespace

TEST_CASE("the expected length with every number of drafts is the published one") {
  // Written down a second time: a slip in the presets must not hide.
  const std::vector<std::pair<std::string, std::vector<double>>> published = {
      {"kimi-k2.5-eagle3", {1.83, 2.43, 2.88, 3.24, 3.46, 3.62, 3.71, 3.77}},
      {"deepseek-v4-pro-mtp", {1.79, 2.27, 2.49, 2.54, 2.55, 2.55, 2.54, 2.58}}};
  for (const auto& [name, lengths] : published) {
    for (std::size_t drafts = 1; drafts <= 8; ++drafts) {
      INFO(name << ", " << drafts << " drafts");
      const auto acceptance = acceptance_from_lengths(lengths_of(name), drafts);
      REQUIRE(acceptance.size() == drafts);
      CHECK(expected_length(acceptance) == Approx(lengths[drafts - 1]).epsilon(1e-12));
      for (const double a : acceptance) {
        CHECK(a >= 0);
        CHECK(a <= 1);
      }
    }
  }
}

TEST_CASE("where lengths grow by less and less, each draft is reached as often as the length grows with it") {
  const auto acceptance = acceptance_from_lengths(lengths_of("kimi-k2.5-eagle3"), 3);
  CHECK(acceptance[0] == Approx(0.83));
  CHECK(acceptance[1] == Approx(0.60 / 0.83));
  CHECK(acceptance[2] == Approx(0.45 / 0.60));
}

TEST_CASE("growth that rises again or turns negative is shared among neighbours") {
  // Grows by 0.5, 0.1, 0.3: the last two get 0.2.
  const auto rising = acceptance_from_lengths({1.5, 1.6, 1.9}, 3);
  CHECK(rising[1] == Approx(0.2 / 0.5));
  CHECK(rising[2] == Approx(1));
  // Grows by 0.5, 0.02, -0.02: the last two are never reached.
  const auto falling = acceptance_from_lengths({1.5, 1.52, 1.5}, 3);
  CHECK(falling[0] == Approx(0.5));
  CHECK(falling[1] == Approx(0).margin(1e-12));
  CHECK(expected_length(falling) == Approx(1.5));
}

TEST_CASE("any table of possible lengths is met, whatever its shape") {
  const std::uint64_t seed = 20260811;
  INFO("seed " << seed);
  scribeline::base::random_stream random(seed);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> lengths;
    const std::size_t n = 1 + random.below(10);
    for (std::size_t k = 1; k <= n; ++k)
      lengths.push_back(1 + static_cast<double>(k) * random.uniform());
    const auto acceptance = acceptance_from_lengths(lengths, n);
    CHECK(expected_length(acceptance) == Approx(lengths.back()).epsilon(1e-9));
  }
}

TEST_CASE("impossible lengths and too short tables are refused with what is possible") {
  CHECK_THROWS_WITH(acceptance_from_lengths({1.8, 3.2}, 2),
                    Catch::Contains("3.2 tokens with 2 drafts; possible are 1 to 3"));
  CHECK_THROWS_WITH(acceptance_from_lengths({0.9}, 1), Catch::Contains("possible are 1 to 2"));
  CHECK_THROWS_WITH(acceptance_from_lengths({1.8}, 2), Catch::Contains("2 drafts were asked for, the table ends at 1"));
}

TEST_CASE("a run accepts as much as the table says") {
  workload load;
  load.prompt_tokens = 7;
  load.output_tokens = 20001;
  load.acceptance = acceptance_from_lengths(lengths_of("kimi-k2.5-eagle3"), 4);
  serving_bench bench(load);
  bench.run();
  // The standard deviation of a pass is below 1.6 tokens: 1 % is four deviations of the mean over 6,000 passes.
  CHECK(20000.0 / static_cast<double>(bench.record(0).passes) == Approx(3.24).epsilon(0.03));
}
