// The burst engine against the wavelet engine, over random programs.
//
// What nothing holds up is exact but for a cycle per dependent stage; where streams share links, ramps or datapaths,
// the burst engine's even shares differ from the word-by-word turns of the hardware by a few percent.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "tests/support/random_fabric_programs.h"
#include "tests/support/sanitizers.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

constexpr int seeds = tests::sanitized ? 90 : 900;
constexpr std::int64_t word_hops = 200000;  // of a program, about

struct comparison {
  std::uint64_t seed = 0;
  tests::random_case what;
  run_result wavelet, burst;

  double error() const {
    const auto reference = static_cast<double>(std::max<std::int64_t>(1, wavelet.cycles.value()));
    return static_cast<double>((burst.cycles - wavelet.cycles).value()) / reference;
  }
  std::string text() const {
    return fmt::format("seed {:>4} {:<16} {} {:>2} x {:<2} {:>6} cycles, burst {:>6} ({:+.2f} %)", seed, what.pattern,
                       what.chip.name, what.code.columns, what.code.rows, wavelet.cycles.value(), burst.cycles.value(),
                       error() * 100);
  }
};

comparison compare(std::uint64_t seed) {
  comparison c;
  c.seed = seed;
  c.what = tests::make_random_case(seed, word_hops);
  c.wavelet = wavelet_engine(c.what.code, c.what.chip).run();
  c.burst = burst_engine(c.what.code, c.what.chip).run();
  return c;
}

}  // namespace

TEST_CASE("random programs end the same way and take the same cycles at both fidelities") {
  std::vector<comparison> finished;
  std::map<run_outcome, int> outcomes;
  for (int seed = 1; seed <= seeds; ++seed) {
    comparison c = compare(static_cast<std::uint64_t>(seed));
    INFO(c.text());
    INFO("wavelet: " << c.wavelet.explanation);
    INFO("burst: " << c.burst.explanation);
    CHECK(c.wavelet.outcome == c.burst.outcome);
    CHECK(c.wavelet.violation == c.burst.violation);
    ++outcomes[c.wavelet.outcome];
    if (c.wavelet.outcome != run_outcome::finished || c.burst.outcome != run_outcome::finished) continue;
    CHECK(c.wavelet.word_hops == c.burst.word_hops);
    CHECK(c.wavelet.ramp_words == c.burst.ramp_words);
    if (c.what.contended)
      CHECK(std::abs(c.error()) <= 0.10);
    else
      CHECK(std::abs((c.burst.cycles - c.wavelet.cycles).value()) <= c.what.stages);
    finished.push_back(std::move(c));
  }

  double sum = 0;
  int contended = 0;
  for (const comparison& c : finished)
    if (c.what.contended) {
      sum += std::abs(c.error());
      ++contended;
    }
  std::sort(finished.begin(), finished.end(),
            [](const comparison& x, const comparison& y) { return std::abs(x.error()) > std::abs(y.error()); });
  std::string report = fmt::format("{} of {} programs finish, {} with contention: {:.2f} % mean\n", finished.size(),
                                   seeds, contended, 100 * sum / contended);
  for (std::size_t i = 0; i < std::min<std::size_t>(10, finished.size()); ++i)
    report += finished[i].text() + "\n";
  WARN(report);
  CHECK(sum <= 0.05 * contended);
  CHECK(outcomes[run_outcome::finished] >= seeds / 2);
  CHECK(outcomes[run_outcome::no_progress] > 0);
  CHECK(outcomes[run_outcome::violation] > 0);
}
