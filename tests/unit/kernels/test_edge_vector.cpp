// Vectors through the edge of a mesh.
#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/edge_vector.h"
#include "firmware_stubs/kernels/mesh_machine.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using Catch::Matchers::Contains;

namespace {

constexpr auto f16 = fabric::element_type::fp16;
using held_by = edge_vector::held_by;

std::vector<std::uint8_t> counting_bytes(std::size_t n) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < n; ++i)
    bytes.push_back(static_cast<std::uint8_t>(1 + i % 251));
  return bytes;
}

std::vector<std::uint8_t> sram_of(const mesh_machine& mesh, fabric::coordinate core, int address, int bytes) {
  std::vector<std::uint8_t> found(static_cast<std::size_t>(bytes));
  mesh.engine().read_sram(core, address, found.data(), bytes);
  return found;
}

std::vector<std::uint8_t> part(const std::vector<std::uint8_t>& v, std::size_t first, std::size_t n) {
  std::vector<std::uint8_t> p(v.begin() + static_cast<std::ptrdiff_t>(std::min(first, v.size())), v.end());
  p.resize(n, 0);  // padding enters as zeros
  return p;
}

// In through the west edge of one mesh, out through the east edge of another one with the same SRAM.
void check_round_trip(int columns, int rows, const edge_vector& v) {
  INFO(columns << " x " << rows << " cores, " << v.total << " elements in slices of " << v.elements);
  const fabric::fabric_chip chip = fabric::wse2_chip();
  mesh_machine mesh(chip, columns, rows);
  const std::vector<std::uint8_t> bytes = counting_bytes(v.bytes());
  mesh.run(entry_program(v, chip, columns, rows),
           [&](fabric::wavelet_engine& engine) { set_entering(engine, v, columns, rows, bytes); });
  const int slice = v.elements * fabric::bytes_of(v.type);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      REQUIRE(sram_of(mesh, {column, row}, v.address, slice) ==
              part(bytes, static_cast<std::size_t>(row * slice), static_cast<std::size_t>(slice)));
  mesh.run(exit_program(v, chip, columns, rows));
  CHECK(bytes_that_left(mesh.engine(), v, columns, rows) == bytes);
}

}  // namespace

TEST_CASE("a vector that rows hold enters every core of its row and leaves as it came") {
  check_round_trip(4, 4, {16, 4, 64, held_by::rows, f16});
  check_round_trip(5, 3, {9, 3, 100, held_by::rows, f16});  // half-filled words
  check_round_trip(4, 4, {13, 4, 64, held_by::rows, f16});  // the last slice is padded
  check_round_trip(4, 6, {13, 4, 64, held_by::rows, f16});  // slices of nothing but padding
  check_round_trip(1, 3, {6, 2, 0, held_by::rows, f16});
  check_round_trip(7, 2, {40, 20, 8, held_by::rows, fabric::element_type::fp32});
}

TEST_CASE("a vector that columns hold leaves in order, also where columns share a row") {
  for (const auto& [columns, rows] : std::vector<std::pair<int, int>>{{4, 4}, {3, 5}, {7, 3}, {1, 1}}) {
    INFO(columns << " x " << rows);
    const edge_vector v{3 * columns - 1, 3, 64, held_by::columns, f16};
    const fabric::fabric_chip chip = fabric::wse2_chip();
    mesh_machine mesh(chip, columns, rows);
    tiny_model::vector expected;
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row)
        mesh.write({column, row}, 64, f16, {column + 0.25, column + 0.5, column + 0.75});
    for (int i = 0; i < v.total; ++i)
      expected.push_back(i / 3 + 0.25 * (i % 3 + 1));
    mesh.run(exit_program(v, chip, columns, rows));
    const auto bytes = bytes_that_left(mesh.engine(), v, columns, rows);
    tiny_model::vector found;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
      found.push_back(core::float_from_fp16(static_cast<std::uint16_t>(bytes[i] | bytes[i + 1] << 8)));
    CHECK(found == expected);
  }
}

TEST_CASE("a vector enters in the cycles that its way takes") {
  // On wide meshes the words arrive when the last core's copy is already set up: a column more is a hop more.
  const fabric::fabric_chip chip = fabric::wse2_chip();
  const edge_vector v{16, 4, 64, held_by::rows, f16};
  std::vector<std::int64_t> cycles;
  for (const int columns : {40, 41, 48}) {
    fabric::wavelet_engine engine(entry_program(v, chip, columns, 4), chip, {});
    cycles.push_back(engine.run().cycles.value());
  }
  CHECK(cycles[1] == cycles[0] + chip.hop_cycles);
  CHECK(cycles[2] == cycles[0] + 8 * chip.hop_cycles);
}

TEST_CASE("what cannot pass the edge is refused") {
  const fabric::fabric_chip chip = fabric::wse2_chip();
  const edge_vector by_columns{16, 4, 64, held_by::columns, f16};
  CHECK_THROWS_WITH(entry_program(by_columns, chip, 4, 4), Contains("along rows"));
  const edge_vector v{16, 4, 64, held_by::rows, f16};
  mesh_machine mesh(chip, 4, 4);
  CHECK_THROWS_WITH(
      mesh.run(entry_program(v, chip, 4, 4),
               [&](fabric::wavelet_engine& engine) { set_entering(engine, v, 4, 4, counting_bytes(30)); }),
      Contains("30 B for a vector of 32 B"));
}
