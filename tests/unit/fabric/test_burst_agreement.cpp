// The burst engine against the wavelet engine, over random programs.
//
// What nothing holds up is exact but for a cycle per dependent stage; where streams share links, ramps or datapaths,
// the burst engine's even shares differ from the word-by-word turns of the hardware by a few percent.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/link_loads.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "tests/support/random_fabric_programs.h"
#include "tests/support/random_numbers.h"
#include "tests/support/sanitizers.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

constexpr std::int64_t word_hops = 200000;  // of a program, about

struct comparison {
  std::uint64_t seed = 0;
  tests::random_case what;
  run_result wavelet, burst;
  bool same_loads = false;

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

bool same_loads(const link_loads& x, const link_loads& y) {
  bool same = true;
  for (int row = 0; row < x.rows(); ++row)
    for (int column = 0; column < x.columns(); ++column)
      for (int side = 0; side < link_ports; ++side)
        same &= x.words({column, row}, static_cast<port>(side)) == y.words({column, row}, static_cast<port>(side));
  return same;
}

// With the lengths of links, unless they are null.
comparison compare(std::uint64_t seed, std::shared_ptr<const link_lengths> (*lengths)(std::uint64_t, const program&)) {
  comparison c;
  c.seed = seed;
  c.what = tests::make_random_case(seed, word_hops);
  run_options options;
  options.link_loads = true;
  if (lengths != nullptr) options.lengths = lengths(seed, c.what.code);
  wavelet_engine wavelet(c.what.code, c.what.chip, options);
  burst_engine burst(c.what.code, c.what.chip, options);
  c.wavelet = wavelet.run();
  c.burst = burst.run();
  if (c.wavelet.outcome == run_outcome::no_progress) {  // merged wires count what stands in them for all their links
    options.merge_wires = false;
    wavelet = wavelet_engine(c.what.code, c.what.chip, options);
    wavelet.run();
  }
  c.same_loads = same_loads(loads_of(wavelet, c.wavelet.cycles), loads_of(burst, c.burst.cycles));
  return c;
}

// Most links of one or two hops, as defects leave them, some much longer.
std::shared_ptr<const link_lengths> random_lengths(std::uint64_t seed, const program& p) {
  tests::random_numbers random(seed);
  auto lengths = std::make_shared<link_lengths>(p.columns, p.rows);
  for (int row = 0; row < p.rows; ++row)
    for (int column = 0; column < p.columns; ++column) {
      if (random.chance(30)) lengths->set_east({column, row}, random.log_between(1, 9));
      if (random.chance(30)) lengths->set_south({column, row}, random.log_between(1, 9));
    }
  return lengths;
}

void check_agreement(int seeds, std::shared_ptr<const link_lengths> (*lengths)(std::uint64_t, const program&)) {
  std::vector<comparison> finished;
  std::map<run_outcome, int> outcomes;
  for (int seed = 1; seed <= seeds; ++seed) {
    comparison c = compare(static_cast<std::uint64_t>(seed), lengths);
    INFO(c.text());
    INFO("wavelet: " << c.wavelet.explanation);
    INFO("burst: " << c.burst.explanation);
    CHECK(c.wavelet.outcome == c.burst.outcome);
    CHECK(c.wavelet.violation == c.burst.violation);
    ++outcomes[c.wavelet.outcome];
    if (c.wavelet.outcome != run_outcome::violation) CHECK(c.same_loads);
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
  if (!tests::sanitized) CHECK(outcomes[run_outcome::violation] > 0);  // too rare for few seeds
}

}  // namespace

TEST_CASE("random programs end the same way and take the same cycles at both fidelities") {
  check_agreement(tests::sanitized ? 90 : 900, nullptr);
}

TEST_CASE("random programs on links of different lengths do, too") {
  check_agreement(tests::sanitized ? 60 : 450, random_lengths);
}
