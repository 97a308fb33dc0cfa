#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/softmax.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

namespace {

constexpr int line = 5;
constexpr int vectors = 3;
constexpr int elements = 4;  // per core
constexpr double masked = -30000;

// Vectors of line * elements random numbers, the last two masked.
struct sample {
  explicit sample(std::uint64_t seed) : data(random_vector(seed, vectors * line * elements, 4)) {}
  double at(int v, int element) const { return data[static_cast<std::size_t>(v * line * elements + element)]; }
  static double mask(int element) { return element < line * elements - 2 ? 0 : masked; }
  vector expected(int v, double scale) const {
    vector scores;
    for (int e = 0; e < line * elements; ++e)
      scores.push_back(at(v, e) * scale + mask(e));
    return softmax(scores);
  }
  vector data;
};

}  // namespace

TEST_CASE("softmax of vectors behind each other, along columns") {
  softmax_rows s;
  s.vectors = vectors;
  s.elements = elements;
  s.scale = 0.5;
  address_counter sram(fp16);
  s.data = sram.take(vectors * elements);
  s.mask = sram.take(elements);
  s.maxima = sram.take(vectors);
  s.sums = sram.take(vectors);
  const std::uint64_t seed = 21;
  const sample x(seed);
  mesh_machine mesh(fabric::wse2_chip(), 1, line);
  write_tiles(mesh, s.data, vectors, elements,
              [&](fabric::coordinate at, int v, int e) { return x.at(v, at.row * elements + e); });
  write_tiles(mesh, s.mask, 1, elements,
              [&](fabric::coordinate at, int, int e) { return sample::mask(at.row * elements + e); });
  mesh.run(kernels::softmax(s, collectives::axis::column));
  INFO("seed " << seed);
  for (int row = 0; row < line; ++row) {
    const vector got = mesh.read({0, row}, s.data, fp16, vectors * elements);
    for (int v = 0; v < vectors; ++v)
      for (int e = 0; e < elements; ++e)
        CHECK(got[static_cast<std::size_t>(v * elements + e)] ==
              Approx(x.expected(v, s.scale)[static_cast<std::size_t>(row * elements + e)]).margin(0.004));
  }
}

TEST_CASE("softmax of tiles with vectors beside each other and a mask in common, along rows") {
  softmax_tiles s;
  s.tiles = 2;
  s.vectors = vectors;
  s.elements = elements;
  s.scale = 0.5;
  address_counter sram(fp16);
  s.data = sram.take(2 * vectors * elements);
  s.mask = sram.take(vectors * elements);
  s.statistics = sram.take(2 * vectors);
  const std::uint64_t seed = 22;
  const sample x[] = {sample(seed), sample(seed + 1)};
  mesh_machine mesh(fabric::wse2_chip(), line, 1);
  write_tiles(mesh, s.data, 2 * elements, vectors, [&](fabric::coordinate at, int i, int v) {
    return x[i / elements].at(v, at.column * elements + i % elements);
  });
  write_tiles(mesh, s.mask, elements, vectors,
              [&](fabric::coordinate at, int e, int) { return sample::mask(at.column * elements + e); });
  mesh.run(kernels::softmax(s, collectives::axis::row));
  INFO("seed " << seed);
  for (int column = 0; column < line; ++column) {
    const vector got = mesh.read({column, 0}, s.data, fp16, 2 * vectors * elements);
    for (int tile = 0; tile < 2; ++tile)
      for (int v = 0; v < vectors; ++v)
        for (int e = 0; e < elements; ++e)
          CHECK(got[static_cast<std::size_t>((tile * elements + e) * vectors + v)] ==
                Approx(x[tile].expected(v, s.scale)[static_cast<std::size_t>(column * elements + e)]).margin(0.004));
  }
}
