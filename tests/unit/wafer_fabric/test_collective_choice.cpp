// The collectives a scenario can name: programs that keep their bounds and give the host's result.
#include <catch2/catch.hpp>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "scenarios/wafer_fabric/collective_choice.h"
#include "scenarios/wafer_fabric/fabric_results.h"
#include "scenarios/wafer_fabric/fabric_values.h"

using namespace scribeline;
using namespace scribeline::scenarios;
using Catch::Matchers::Contains;

namespace {

fabric::run_result run_with_values(const collective_settings& settings, const fabric::fabric_chip& chip, int columns,
                                   int rows) {
  fabric::run_options options;
  options.values = true;
  const fabric::program program = program_of(settings, chip, columns, rows);
  fabric::wavelet_engine engine(program, chip, options);
  const value_check values(settings, columns, rows, 5);
  values.write(engine, program);
  fabric::run_result result = engine.run();
  INFO(result.explanation);
  REQUIRE(result.outcome == fabric::run_outcome::finished);
  CHECK(values.check(engine) > 0);
  return result;
}

}  // namespace

TEST_CASE("every collective and pattern gives the host's result and keeps its bound on both chips") {
  for (const auto& [name, what] : collective_names())
    for (const auto& [pattern_name, pattern] : pattern_names())
      for (const fabric::fabric_chip& chip : {fabric::wse2_chip(), fabric::wse3_chip()}) {
        INFO(name << " " << pattern_name << " on " << chip.name);
        collective_settings settings;
        settings.what = what;
        settings.pattern = settings.column_pattern = pattern;
        settings.words = 12;
        settings.type = fabric::element_type::fp16;
        for (const auto along : {collectives::axis::row, collectives::axis::column}) {
          settings.along = along;
          const fabric::run_result result = run_with_values(settings, chip, 6, 4);
          const fabric::fabric_timing timing = fabric::ideal_timing(chip);
          const base::cycles bound = least_cycles(settings, timing, 6, 4).cycles;
          CHECK(collectives::cycles_between_marks(result) >= bound);
          CHECK(closed_form(settings, timing, 6, 4) >= bound);
        }
      }
}

TEST_CASE("types and operations give the host's result") {
  for (const auto type : {fabric::element_type::fp32, fabric::element_type::fp16, fabric::element_type::bf16,
                          fabric::element_type::int32, fabric::element_type::int16})
    for (const auto op : {fabric::opcode::add, fabric::opcode::maximum, fabric::opcode::minimum}) {
      collective_settings settings;
      settings.words = 7;
      settings.type = type;
      settings.op = op;
      run_with_values(settings, fabric::wse2_chip(), 9, 3);
    }
}

TEST_CASE("a wrong element is found and named") {
  collective_settings settings;
  settings.words = 4;
  const fabric::fabric_chip chip = fabric::wse2_chip();
  fabric::run_options options;
  options.values = true;
  const fabric::program program = program_of(settings, chip, 3, 2);
  fabric::wavelet_engine engine(program, chip, options);
  const value_check values(settings, 3, 2, 1);
  values.write(engine, program);
  engine.run();
  REQUIRE(values.check(engine) == 24);
  const float wrong = 1e6f;
  engine.write_sram({2, 1}, settings.vector().address + 8, &wrong, 4);
  CHECK_THROWS_WITH(values.check(engine), Contains("element 2 at (column 2, row 1) is 1000000, the host computes"));
}

TEST_CASE("sums stay exact on more cores than a type has integers") {
  collective_settings settings;
  settings.what = collective::reduce_rows;
  settings.pattern = collectives::reduce_kind::chain;
  settings.words = 8;
  settings.type = fabric::element_type::bf16;
  run_with_values(settings, fabric::wse2_chip(), 400, 1);
}

TEST_CASE("the bound of a row of four cores is what a word of the farthest core needs") {
  collective_settings settings;
  settings.what = collective::reduce_rows;
  settings.words = 10;
  // WSE-2: nine words before it, three hops, datapath and both ramps.
  const fabric::fabric_timing timing = fabric::ideal_timing(fabric::wse2_chip());
  CHECK(least_cycles(settings, timing, 4, 1).cycles == base::cycles{9 + 3 + 5});
  CHECK(least_cycles(settings, timing, 4, 9).cycles == base::cycles{9 + 3 + 5});
  settings.what = collective::reduce_xy;
  CHECK(least_cycles(settings, timing, 4, 9).cycles == base::cycles{9 + 11 + 5});
  CHECK(least_cycles(settings, timing, 1, 1).cycles == base::cycles{0});
  // Three chunks through the root's ramp, the last of them from the neighbour; four over the middle link.
  settings.what = collective::gather;
  CHECK(least_cycles(settings, timing, 4, 1).cycles == base::cycles{29 + 1 + 5});
  settings.what = collective::all_to_all;
  CHECK(least_cycles(settings, timing, 4, 1).cycles == base::cycles{39 + 1 + 5});
}

TEST_CASE("what a pattern or a chip cannot do is bad input that says what") {
  collective_settings settings;
  settings.group = 9;
  CHECK_THROWS_WITH(program_of(settings, fabric::wse2_chip(), 4, 4),
                    Contains("collective.group = 9: rows have 4 cores"));
  settings.group = 0;
  settings.column_group = 9;
  CHECK_THROWS_WITH(program_of(settings, fabric::wse2_chip(), 16, 4),
                    Contains("collective.column_group = 9: columns have 4 cores"));
  settings.column_group = 0;
  settings.words = 13'000;
  CHECK_THROWS_AS(program_of(settings, fabric::wse2_chip(), 4, 4), base::bad_input);
  settings.words = 4;
  CHECK_THROWS_WITH(program_of(settings, fabric::wse2_chip(), 800, 4), Contains("800"));
}
