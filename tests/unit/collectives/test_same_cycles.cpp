// The wavelet engine may take shortcuts, but no cycle may change by them.
#include <catch2/catch.hpp>

#include <array>

#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "tests/unit/collectives/collective_samples.h"

using namespace scribeline;
using namespace scribeline::collectives;
using namespace scribeline::fabric;

namespace {

// What a run leaves behind.
struct trail {
  std::int64_t cycles;
  std::int64_t word_hops;
  std::int64_t ramp_words;
  std::int64_t marks;  // the sum of all timestamps

  friend bool operator==(const trail& a, const trail& b) {
    return a.cycles == b.cycles && a.word_hops == b.word_hops && a.ramp_words == b.ramp_words && a.marks == b.marks;
  }
  friend std::ostream& operator<<(std::ostream& out, const trail& t) {
    return out << "{" << t.cycles << ", " << t.word_hops << ", " << t.ramp_words << ", " << t.marks << "}";
  }
};

trail trail_of(const run_result& result) {
  INFO(result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  trail t{result.cycles.value(), result.word_hops, result.ramp_words, 0};
  for (const timestamp_record& record : result.timestamps)
    t.marks += record.cycle.value();
  return t;
}

trail run_at_once(const program& p, const fabric_chip& chip, const run_options& options = {}) {
  return trail_of(wavelet_engine(p, chip, options).run());
}

// Every queue on its own, and nothing runs ahead of the clock.
trail run_cycle_by_cycle(const program& p, const fabric_chip& chip) {
  run_options options;
  options.merge_wires = false;
  wavelet_engine engine(p, chip, options);
  std::int64_t cycle = 1;
  while (engine.advance_to(base::cycles{cycle}))
    ++cycle;
  return trail_of(engine.run());
}

}  // namespace

TEST_CASE("runs at once, with values and cycle by cycle are the same") {
  for (const fabric_chip& chip : {wse2_chip(), wse3_chip()})
    for (const program& p : test::collective_samples(chip)) {
      INFO(chip.name << ": " << p.name << ", " << p.columns << " x " << p.rows);
      const trail reference = run_cycle_by_cycle(p, chip);
      CHECK(run_at_once(p, chip) == reference);
      run_options values;
      values.values = true;
      CHECK(run_at_once(p, chip, values) == reference);
    }
}

// Recorded with the engine as of its first release. A change here is a change of the machine, not of the engine's
// speed.
TEST_CASE("collectives take the cycles that were recorded") {
  const std::array<std::array<trail, 2>, 17> recorded{{
      {trail{238, 3300, 6600, 742}, trail{380, 3300, 6600, 1026}},
      {trail{1708, 38412, 6684, 3682}, trail{1871, 38412, 6684, 4008}},
      {trail{487, 8906, 6656, 1240}, trail{562, 8906, 6656, 1390}},
      {trail{243, 5718, 6636, 752}, trail{310, 5718, 6636, 886}},
      {trail{174, 2812, 3256, 614}, trail{238, 2812, 3256, 742}},
      {trail{298, 16021, 19610, 1889}, trail{439, 16021, 19610, 2030}},
      {trail{314, 1517, 3034, 561}, trail{565, 1517, 3034, 812}},
      {trail{105, 10064, 10101, 24565}, trail{147, 10064, 10101, 31658}},
      {trail{360, 13527, 15129, 24135}, trail{464, 13527, 15129, 30537}},
      {trail{448, 60310, 65860, 252148}, trail{645, 60310, 65860, 354608}},
      {trail{827, 577950, 629850, 2167195}, trail{1238, 577950, 629850, 3166790}},
      {trail{533, 9680, 10560, 32000}, trail{706, 9680, 10560, 42340}},
      {trail{327, 6720, 8160, 19475}, trail{362, 6720, 8160, 21370}},
      {trail{850, 26400, 29040, 37428}, trail{876, 26400, 29040, 38548}},
      {trail{274, 2184, 672, 8688}, trail{291, 2184, 672, 9240}},
      {trail{120, 2136, 664, 2352}, trail{127, 2136, 664, 2428}},
      {trail{120, 2960, 2849, 8767}, trail{139, 2960, 2849, 9680}},
  }};
  const std::vector<program> wse2 = test::collective_samples(wse2_chip());
  const std::vector<program> wse3 = test::collective_samples(wse3_chip());
  REQUIRE(wse2.size() == recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    INFO(wse2[i].name << ", " << wse2[i].columns << " x " << wse2[i].rows);
    CHECK(run_at_once(wse2[i], wse2_chip()) == recorded[i][0]);
    CHECK(run_at_once(wse3[i], wse3_chip()) == recorded[i][1]);
  }
}
