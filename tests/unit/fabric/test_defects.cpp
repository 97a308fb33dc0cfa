// Spare cores take the place of dead ones: programs see a regular mesh, at the price of longer links.
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/random.h"
#include "rtl_tlm/fabric/defects.h"
#include "rtl_tlm/fabric/run_once.h"

using namespace scribeline;
using namespace scribeline::fabric;
using Catch::Matchers::Contains;

namespace {

defect_map wafer_with(wafer_extent wafer, std::vector<coordinate> cores, std::vector<dead_link> links = {}) {
  return {wafer, std::move(cores), std::move(links)};
}

// `words` words from core (columns - 1, 0) to core (0, 0); mark 2 when they are there.
program message(int columns, int words) {
  program p("message", columns, 1);
  p.add_route(core_at(columns - 1, 0), 5, port::ramp, port::west);
  p.add_route(rectangle(1, 0, columns - 2, 1), 5, port::east, port::west);
  p.add_route(core_at(0, 0), 5, port::east, port::ramp);
  p.bind_output(core_at(columns - 1, 0), 2, 5).bind_input(core_at(0, 0), 0, 5);
  constexpr element_type f32 = element_type::fp32;
  p.add_start_task(core_at(columns - 1, 0), 8, "send", {copy(f32, fabric_out(2), sram(64), words)});
  p.add_start_task(core_at(0, 0), 8, "receive", {copy(f32, sram(64), fabric_in(0), words), timestamp{2}});
  return p;
}

base::cycles message_end(engine_kind engine, int words, std::shared_ptr<const link_lengths> lengths) {
  run_options options;
  options.lengths = std::move(lengths);
  return run_once(engine, message(6, words), wse3_chip(), options).at({0, 0}, 2);
}

}  // namespace

TEST_CASE("a wafer without defects is the mesh itself") {
  const repaired_mesh mesh(wafer_with({9, 7}, {}), 8, 6);
  CHECK(mesh.moved_cores() == 0);
  CHECK(mesh.longest_link_hops() == 1);
  CHECK(mesh.mean_hops_of_longest_line() == 1.0);
  CHECK(mesh.core_of({7, 5}) == coordinate{7, 5});
}

TEST_CASE("cores behind a dead one move up and the links around it get longer") {
  // Row 1 of 4 columns and 2 spare ones: column 2 is dead, so its mesh columns 2 and 3 are at 3 and 4.
  const repaired_mesh mesh(wafer_with({6, 3}, {{2, 1}}), 4, 3);
  CHECK(mesh.core_of({1, 1}) == coordinate{1, 1});
  CHECK(mesh.core_of({2, 1}) == coordinate{3, 1});
  CHECK(mesh.core_of({3, 1}) == coordinate{4, 1});
  CHECK(mesh.moved_cores() == 2);
  const link_lengths& lengths = *mesh.lengths();
  CHECK(lengths.hops({1, 1}, port::east) == 2);  // passes by the dead core
  CHECK(lengths.hops({2, 1}, port::west) == 2);
  CHECK(lengths.hops({2, 1}, port::east) == 1);
  CHECK(lengths.hops({1, 0}, port::south) == 1);
  CHECK(lengths.hops({2, 0}, port::south) == 2);  // one down, one aside
  CHECK(lengths.hops({2, 2}, port::north) == 2);
  CHECK(lengths.hops({3, 0}, port::east) == 1);  // the edge of the mesh
  CHECK(mesh.longest_link_hops() == 2);
  CHECK(mesh.mean_hops_of_longest_line() == Approx(2.0));  // columns 2 and 3: two links of two hops
}

TEST_CASE("a dead link costs the core at its east or south end") {
  CHECK(repaired_mesh(wafer_with({6, 3}, {}, {{{1, 1}, port::east}}), 4, 3).core_of({2, 1}) == coordinate{3, 1});
  CHECK(repaired_mesh(wafer_with({6, 3}, {}, {{{2, 1}, port::west}}), 4, 3).core_of({2, 1}) == coordinate{3, 1});
  CHECK(repaired_mesh(wafer_with({6, 3}, {}, {{{2, 0}, port::south}}), 4, 3).core_of({2, 1}) == coordinate{3, 1});
  CHECK(repaired_mesh(wafer_with({6, 3}, {}, {{{2, 1}, port::north}}), 4, 3).core_of({2, 1}) == coordinate{3, 1});
}

TEST_CASE("a row with too many dead cores is left out while there are spare rows") {
  const repaired_mesh mesh(wafer_with({5, 4}, {{0, 1}, {3, 1}}), 4, 3);
  CHECK(mesh.left_out_rows() == std::vector<int>{1});
  CHECK(mesh.core_of({0, 1}) == coordinate{0, 2});
  CHECK(mesh.lengths()->hops({0, 0}, port::south) == 2);
  CHECK(mesh.lengths()->hops({0, 1}, port::south) == 1);
}

TEST_CASE("what cannot be repaired is refused with the row, needed and available cores") {
  CHECK_THROWS_WITH(repaired_mesh(wafer_with({5, 4}, {{0, 1}, {3, 1}, {1, 2}, {2, 2}}), 4, 3),
                    "row 2 of the wafer: 4 working cores needed, 3 available (2 dead, 1 spare columns); spare rows: 1, "
                    "taken for rows 1");
  CHECK_THROWS_AS(repaired_mesh(wafer_with({5, 3}, {{0, 1}, {3, 1}}), 4, 3), base::does_not_fit);
  CHECK_THROWS_AS(repaired_mesh(wafer_with({5, 3}, {}), 6, 3), base::does_not_fit);
  CHECK_THROWS_WITH(repaired_mesh(wafer_with({5, 3}, {{5, 0}}), 4, 3), Contains("dead core (column 5, row 0)"));
  CHECK_THROWS_WITH(repaired_mesh(wafer_with({5, 3}, {}, {{{4, 0}, port::east}}), 4, 3), Contains("its other end"));
}

TEST_CASE("random defects are different places, the same for the same seed") {
  const defect_map map = random_defects({40, 30}, 1200, 100, 7);
  std::set<std::pair<int, int>> places;
  for (const coordinate c : map.dead_cores)
    places.insert({c.column, c.row});
  CHECK(places.size() == 1200);
  CHECK(map.dead_links.size() == 100);
  const defect_map again = random_defects({40, 30}, 1200, 100, 7);
  const defect_map other = random_defects({40, 30}, 600, 0, 8);
  CHECK(again.dead_cores == map.dead_cores);
  CHECK(other.dead_cores != random_defects({40, 30}, 600, 0, 7).dead_cores);
  CHECK_THROWS_AS(random_defects({40, 30}, 1201, 0, 7), std::invalid_argument);
}

TEST_CASE("whatever the defects, the mesh is regular, in order and on working cores") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    base::random_stream random(seed);
    const wafer_extent wafer{24, 20};
    const defect_map map = random_defects(wafer, static_cast<std::int64_t>(random.below(16)),
                                          static_cast<std::int64_t>(random.below(8)), seed);
    const repaired_mesh mesh(map, 17, 18);
    for (int row = 0; row < mesh.rows(); ++row)
      for (int column = 0; column < mesh.columns(); ++column) {
        const coordinate here = mesh.core_of({column, row});
        REQUIRE(std::count(map.dead_cores.begin(), map.dead_cores.end(), here) == 0);
        REQUIRE(here.column < wafer.columns);
        if (column > 0) {
          const coordinate west = mesh.core_of({column - 1, row});
          REQUIRE(west.row == here.row);
          REQUIRE(here.column - west.column == mesh.lengths()->hops({column, row}, port::west));
          REQUIRE(west.column < here.column);
        }
        if (row > 0) REQUIRE(mesh.core_of({column, row - 1}).row < here.row);
      }
  }
}

TEST_CASE("a longer link delays words by its hops and streams at the same rate") {
  const repaired_mesh healthy(wafer_with({9, 1}, {}), 6, 1);
  const repaired_mesh repaired(wafer_with({9, 1}, {{2, 0}, {3, 0}, {5, 0}}), 6, 1);
  for (const engine_kind engine : {engine_kind::wavelet, engine_kind::burst}) {
    for (const int words : {1, 10, 300}) {
      const base::cycles uniform = message_end(engine, words, nullptr);
      CHECK(message_end(engine, words, healthy.lengths()) == uniform);
      // Three cores passed by, two cycles a hop on WSE-3.
      CHECK(message_end(engine, words, repaired.lengths()) == uniform + base::cycles{6});
    }
    run_options options;
    options.lengths = healthy.lengths();
    CHECK_THROWS_AS(run_once(engine, message(5, 1), wse3_chip(), options), std::invalid_argument);
  }
}

TEST_CASE("WSE-3 with a defect in every thousand cores is repaired with its spare columns") {
  const defect_map map = random_defects(wse3_extent, wse3_extent.columns * wse3_extent.rows / 1000, 0, 1);
  const repaired_mesh mesh(map, 755, 1170);
  CHECK(mesh.left_out_rows().empty());
  CHECK(mesh.moved_cores() > 0);
  CHECK(mesh.longest_link_hops() <= 8);
}
