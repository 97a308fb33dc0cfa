// Which rows run on their own, and which places of the line have to keep the rows in step.
#include <catch2/catch.hpp>

#include "bench/fabric/traffic.h"
#include "rtl_tlm/fabric/wavelet/sweep_plan.h"

using namespace scribeline::fabric;
namespace bench = scribeline::bench;

namespace {

sweep_plan plan_of(const program& p) {
  return sweep_plan(wavelet_layout(p, wse3_chip(), true));
}

// From the first row to the last of one column.
program column_stream(int columns, int rows, int column) {
  program p("column", columns, rows);
  p.add_route(rectangle(column, 0, 1, rows), 0, port::north, port::south);
  p.add_edge_input({core_at(column, 0), port::north, 0, 10, 1, 1});
  p.add_edge_output({core_at(column, rows - 1), port::south, 0});
  return p;
}

// Every place once, from west to east.
void check_covers(const sweep_plan& plan, const program& p) {
  int next = 0;
  for (const sweep& s : plan.sweeps) {
    CHECK(s.begin == next);
    CHECK(s.begin < s.end);
    next = s.end;
    CHECK(s.bands.front() == 0);
    CHECK(s.bands.back() == p.rows);
  }
  CHECK(next == p.columns + plan.block_cycles - 1);
}

}  // namespace

TEST_CASE("rows that exchange nothing run on their own") {
  const program p = bench::row_chains(100, 7, 16);
  const sweep_plan plan = plan_of(p);
  check_covers(plan, p);
  REQUIRE(plan.sweeps.size() == 1);
  CHECK(plan.sweeps[0].bands == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("rows that exchange words everywhere keep in step in strips") {
  const program p = bench::crossing_streams(200, 5, 16, 2);
  const sweep_plan plan = plan_of(p);
  check_covers(plan, p);
  CHECK(plan.sweeps.size() >= 3);
  for (const sweep& s : plan.sweeps)
    CHECK(s.bands == std::vector<int>{0, 5});
}

TEST_CASE("a column that joins rows holds them in step where it passes") {
  const program p = column_stream(700, 5, 300);
  const sweep_plan plan = sweep_plan(wavelet_layout(p, wse3_chip(), false));
  check_covers(plan, p);
  for (const sweep& s : plan.sweeps) {
    const bool passes = s.begin < 300 + plan.block_cycles && s.end > 300;
    CHECK(s.bands.size() == (passes ? 2 : 6));
  }
}

TEST_CASE("only the rows between both ends of a wire are joined") {
  program p("wire", 400, 6);
  p.add_route(core_at(0, 1), 0, port::ramp, port::south).bind_output(core_at(0, 1), 0, 0);
  p.add_route(core_at(0, 2), 0, port::north, port::south);
  p.add_route(core_at(0, 3), 0, port::north, port::ramp).bind_input(core_at(0, 3), 0, 0);
  p.add_start_task(core_at(0, 1), 8, "send", {copy(element_type::fp32, fabric_out(0), sram(0), 4)});
  p.add_start_task(core_at(0, 3), 8, "take", {copy(element_type::fp32, sram(0), fabric_in(0), 4)});
  for (const bool merged : {false, true}) {
    const sweep_plan plan = sweep_plan(wavelet_layout(p, wse3_chip(), merged));
    check_covers(plan, p);
    CHECK(plan.sweeps.front().bands == std::vector<int>{0, 1, 4, 5, 6});
    CHECK(plan.sweeps.back().bands == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  }
}
