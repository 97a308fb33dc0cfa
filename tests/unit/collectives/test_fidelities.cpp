// Every collective at both fidelities: each finishes, and takes the same cycles within the burst engine's accuracy.
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "tests/support/sanitizers.h"

using namespace scribeline;
using namespace scribeline::collectives;
using namespace scribeline::fabric;

namespace {

struct sizes {
  fabric_chip chip;
  int length;
  vector_spec v;
  std::string text() const {
    return fmt::format("{}, {} cores, {} words of {}", chip.name, length, v.words(), name(v.type));
  }
};

void for_sizes(const std::vector<int>& lengths, const std::vector<int>& words,
               const std::function<void(const sizes&)>& visit) {
  for (fabric_chip chip : {wse2_chip(), wse3_chip()})
    for (const element_type type : {element_type::fp32, element_type::fp16})
      for (const int length : lengths)
        for (const int n : words) {
          chip.columns = chip.rows = 1170;
          visit({chip, length, {type, n * elements_per_word(type), 0}});
        }
}

std::int64_t burst_cycles(const program& p, const fabric_chip& chip) {
  const run_result result = burst_engine(p, chip).run();
  INFO(p.name << ": " << result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  return result.cycles.value();
}

// Random programs have the same limit for those with contention.
void check_agreement(const program& p, const fabric_chip& chip) {
  const std::int64_t burst = burst_cycles(p, chip);
  const run_result wavelet = wavelet_engine(p, chip).run();
  REQUIRE(wavelet.outcome == run_outcome::finished);
  INFO(p.name << ": " << burst << " cycles in bursts, " << wavelet.cycles.value() << " word by word");
  CHECK(std::abs(static_cast<double>(burst - wavelet.cycles.value())) <=
        std::max(2.0, 0.1 * static_cast<double>(wavelet.cycles.value())));
}

std::vector<reduce_plan> plans_for(int length) {
  std::vector<reduce_plan> plans{
      {reduce_kind::chain, 0}, {reduce_kind::star, 0}, {reduce_kind::tree, 0}, {reduce_kind::generated, 0}};
  for (const int group : {0, 1, 2, 3, 7, 16, 23, 32, 34, 128})
    if (group <= length) plans.push_back({reduce_kind::two_phase, group});
  return plans;
}

}  // namespace

TEST_CASE("reduces and all-reduces of lines take the same cycles at both fidelities") {
  const std::vector<int> lengths =
      tests::sanitized ? std::vector<int>{2, 5, 33} : std::vector<int>{2, 3, 4, 5, 8, 17, 33, 64, 100};
  for_sizes(lengths, {1, 2, 8, 33, 256}, [](const sizes& s) {
    INFO(s.text());
    for (const reduce_plan& plan : plans_for(s.length)) {
      check_agreement(reduce_rows(s.chip, s.length, 1, s.v, plan), s.chip);
      check_agreement(all_reduce_rows(s.chip, s.length, 1, s.v, plan), s.chip);
    }
  });
}

TEST_CASE("broadcasts and exchanges of lines take the same cycles at both fidelities") {
  for_sizes({2, 3, 4, 7, 16, 24}, {1, 2, 8, 33}, [](const sizes& s) {
    INFO(s.text());
    check_agreement(broadcast(s.chip, s.length, 1, s.v), s.chip);
    check_agreement(all_reduce_two_tree(s.chip, s.length, 1, axis::row, s.v), s.chip);
    check_agreement(scatter(s.chip, s.length, 1, axis::row, s.v, 24000), s.chip);
    check_agreement(gather(s.chip, s.length, 1, axis::row, s.v, 0), s.chip);
    check_agreement(all_to_all(s.chip, s.length, 1, axis::row, {s.v, 16000, 32000}), s.chip);
    vector_spec divisible = s.v;
    divisible.elements *= s.length;
    check_agreement(all_reduce_ring(s.chip, s.length, 1, axis::row, divisible), s.chip);
  });
}

TEST_CASE("collectives of rectangles take the same cycles at both fidelities") {
  for_sizes({2, 3, 8, 13}, {1, 8, 256}, [](const sizes& s) {
    INFO(s.text());
    const int n = s.length;
    for (const reduce_plan& plan : plans_for(n))
      check_agreement(reduce_xy(s.chip, n, n + 1, s.v, plan, plan), s.chip);
    const reduce_plan two_phase{reduce_kind::two_phase, 0};
    check_agreement(all_reduce_xy(s.chip, n, n + 1, s.v, two_phase, {reduce_kind::tree, 0}), s.chip);
    check_agreement(reduce_snake(s.chip, n, n + 1, s.v), s.chip);
    check_agreement(broadcast(s.chip, n, n + 1, s.v), s.chip);
    check_agreement(edge_multicast(s.chip, n, n, n / 2, rectangle(n / 3, 0, n - n / 3, n), s.v), s.chip);
  });
}

TEST_CASE("collectives of long lines finish at burst fidelity") {
  const std::vector<int> lengths = tests::sanitized ? std::vector<int>{256} : std::vector<int>{256, 755, 1170};
  const std::vector<int> words = tests::sanitized ? std::vector<int>{16, 4096} : std::vector<int>{1, 16, 1000, 4096};
  for_sizes(lengths, words, [](const sizes& s) {
    INFO(s.text());
    for (const reduce_plan& plan : plans_for(s.length)) {
      if (plan.kind == reduce_kind::star && s.length > 256) continue;  // minutes of a machine's time
      burst_cycles(all_reduce_rows(s.chip, s.length, 1, s.v, plan), s.chip);
    }
    burst_cycles(broadcast(s.chip, s.length, 1, s.v), s.chip);
    burst_cycles(all_reduce_two_tree(s.chip, s.length, 1, axis::row, s.v), s.chip);
  });
}
