// What must hold for any program.
#include <catch2/catch.hpp>

#include <algorithm>

#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "tests/support/random_fabric_programs.h"
#include "tests/support/random_numbers.h"
#include "tests/support/sanitizers.h"

using namespace scribeline::fabric;
using scribeline::base::cycles;
using scribeline::tests::random_messages;
using scribeline::tests::random_numbers;

namespace {

run_result run_with(const program& p, const fabric_chip& chip, const run_options& options) {
  wavelet_engine engine(p, chip, options);
  run_result result = engine.run();
  INFO(result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  return result;
}

void check_same(const run_result& result, const run_result& reference) {
  CHECK(result.cycles == reference.cycles);
  CHECK(result.word_hops == reference.word_hops);
  CHECK(result.ramp_words == reference.ramp_words);
  REQUIRE(result.timestamps.size() == reference.timestamps.size());
  for (std::size_t i = 0; i < result.timestamps.size(); ++i) {
    const timestamp_record& found = result.timestamps[i];
    const timestamp_record& expected = reference.timestamps[i];
    INFO("mark " << expected.mark << " of " << to_string(expected.where));
    REQUIRE(found.where == expected.where);
    REQUIRE(found.mark == expected.mark);
    REQUIRE(found.cycle == expected.cycle);
  }
}

// In steps of one cycle nothing can run ahead of the clock: what the engine is without its shortcuts.
run_result run_cycle_by_cycle(const program& p, const fabric_chip& chip) {
  run_options plain;
  plain.merge_wires = false;
  wavelet_engine engine(p, chip, plain);
  std::int64_t cycle = 1;
  while (engine.advance_to(cycles{cycle}))
    ++cycle;
  return engine.run();
}

port mirrored(port p) {
  switch (p) {
    case port::east:
      return port::west;
    case port::west:
      return port::east;
    case port::north:
      return port::south;
    case port::south:
      return port::north;
    case port::ramp:
      break;
  }
  return p;
}

port_set mirrored(port_set set) {
  port_set result;
  for (int i = 0; i < ports; ++i)
    if (set.contains(static_cast<port>(i))) result = result.with(mirrored(static_cast<port>(i)));
  return result;
}

// The same program turned by 180 degrees. Programs of single cores only.
program turned(const program& p) {
  program q = p;
  const auto turn = [&](region& r) {
    REQUIRE(r.size() == 1);
    r = core_at(p.columns - 1 - r.first.column, p.rows - 1 - r.first.row);
  };
  for (route& r : q.routes) {
    turn(r.where);
    for (route_position& position : r.positions)
      position = {mirrored(position.receive), mirrored(position.transmit)};
  }
  for (queue_binding& b : q.inputs)
    turn(b.where);
  for (queue_binding& b : q.outputs)
    turn(b.where);
  for (task& t : q.tasks)
    turn(t.where);
  return q;
}

}  // namespace

TEST_CASE("merging wires and carrying values change no cycle") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    random_numbers numbers(seed);
    const int columns = numbers.between(2, 12);
    const int rows = numbers.between(1, 12);
    const program p = random_messages(seed, columns, rows, columns * rows, 80);
    INFO("seed " << seed << ", " << columns << " x " << rows);
    for (const fabric_chip& chip : {wse2_chip(), wse3_chip()}) {
      run_options plain;
      plain.merge_wires = false;
      const run_result reference = run_with(p, chip, plain);
      run_options values = plain;
      values.values = true;
      run_options merged_values;
      merged_values.values = true;
      for (const run_options& options : {run_options{}, values, merged_values}) {
        check_same(run_with(p, chip, options), reference);
      }
    }
  }
}

TEST_CASE("a program turned by 180 degrees takes the same cycles") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    random_numbers numbers(seed + 1000);
    const int columns = numbers.between(2, 10);
    const int rows = numbers.between(1, 10);
    const program p = random_messages(seed, columns, rows, columns * rows / 2, 60);
    INFO("seed " << seed << ", " << columns << " x " << rows);
    // Slots are ordered by color, so turns on shared sides do not depend on directions either.
    CHECK(run_with(p, wse3_chip(), {}).cycles == run_with(turned(p), wse3_chip(), {}).cycles);
  }
}

TEST_CASE("a run in pieces ends in the same cycle as a run at once") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const program p = random_messages(seed, 6, 5, 40, 50);
    INFO("seed " << seed);
    const run_result at_once = run_with(p, wse2_chip(), {});
    wavelet_engine engine(p, wse2_chip());
    run_result piece;
    for (int end = 7; end < 100000; end += 7) {
      piece = engine.run_until(cycles{end});
      if (piece.outcome != run_outcome::cycle_limit) break;
      REQUIRE(piece.cycles < cycles{end});
    }
    CHECK(piece.outcome == run_outcome::finished);
    CHECK(piece.cycles == at_once.cycles);
    CHECK(piece.word_hops == at_once.word_hops);
  }
}

TEST_CASE("a run cycle by cycle is the same as a run at once") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    random_numbers numbers(seed + 2000);
    const int columns = numbers.between(2, 12);
    const int rows = numbers.between(1, 12);
    const program p = random_messages(seed, columns, rows, columns * rows / numbers.between(1, 6), 80);
    INFO("seed " << seed << ", " << columns << " x " << rows);
    for (const fabric_chip& chip : {wse2_chip(), wse3_chip()})
      check_same(run_with(p, chip, {}), run_cycle_by_cycle(p, chip));
  }
}

// Rows that run on their own beside rows that do not: see sweep_plan.h.
TEST_CASE("a wide run cycle by cycle is the same as a run at once") {
  for (std::uint64_t seed = 1; seed <= (scribeline::tests::sanitized ? 6 : 20); ++seed) {
    random_numbers numbers(seed + 3000);
    const int columns = numbers.between(60, 740);
    const int rows = numbers.between(2, 6);
    const int crossings = std::min(columns, numbers.between(1, 30));
    const int first = numbers.chance(50) ? 0 : numbers.between(0, columns - crossings);
    const program p =
        random_messages(seed + 3000, columns, rows, columns * rows / numbers.between(2, 12), 200, {first, crossings});
    INFO("seed " << seed << ", " << columns << " x " << rows << ", columns " << first << ".." << first + crossings - 1);
    const fabric_chip chip = numbers.chance(50) ? wse2_chip() : wse3_chip();
    check_same(run_with(p, chip, {}), run_cycle_by_cycle(p, chip));
  }
}

TEST_CASE("no run beats the words through its busiest link or core") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const program p = random_messages(seed, 8, 8, 100, 100);
    wavelet_engine engine(p, wse2_chip());
    const run_result result = engine.run();
    REQUIRE(result.outcome == run_outcome::finished);
    std::int64_t busiest = 0;
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        for (int side = 0; side < ports; ++side)
          busiest = std::max(busiest, engine.words_in({column, row}, static_cast<port>(side)));
        busiest = std::max(busiest, engine.words_to_core({column, row}));
      }
    INFO("seed " << seed);
    CHECK(result.cycles.value() >= busiest);
  }
}
