#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/quantised_gemv.h"
#include "firmware_stubs/tiny_model/tiny_model.h"
#include "tests/unit/kernels/packed_weights.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;
using namespace scribeline::tiny_model;

namespace {

double scale(int group, int o) {
  return (1 + (group + 3 * o) % 4) / 64.0;
}

void write_weights(mesh_machine& mesh, const quantised_tile& t) {
  for (int row = 0; row < mesh.rows(); ++row)
    for (int column = 0; column < mesh.columns(); ++column)
      for (int i = 0; i < t.inputs; ++i)
        mesh.write({column, row}, t.weights + i * t.row_bytes(), fabric::element_type::int16,
                   packed(t.outputs, t.bits,
                          [&](int o) { return stored(row * t.inputs + i, column * t.outputs + o, t.bits); }));
}

}  // namespace

TEST_CASE("weights of 8 and 4 bit with group scales multiply as on the host") {
  constexpr int side = 4;
  for (const int bits : {8, 4})
    for (const int group : {1, 3, 5, 8}) {
      quantised_tile t;
      t.inputs = 8;
      t.outputs = 7;
      t.bits = bits;
      t.group = group;
      address_counter sram(fp16);
      t.weights = sram.take(t.inputs * t.row_bytes() / 2);
      t.scales = sram.take(t.groups() * t.outputs);
      t.input = sram.take(t.inputs);
      t.output = sram.take(t.outputs);
      t.expanded = sram.take(t.outputs);
      t.group_sum = sram.take(t.outputs);
      mesh_machine mesh(fabric::wse2_chip(), side, side);
      write_weights(mesh, t);
      const vector x = random_vector(5, side * t.inputs);
      write_along_rows(mesh, t.input, t.inputs, x);
      write_tiles(mesh, t.scales, t.groups(), t.outputs, [&](fabric::coordinate at, int g, int o) {
        return scale(at.row * t.groups() + g, at.column * t.outputs + o);
      });
      mesh.run(quantised_gemv("quantised", t, collectives::axis::column));
      for (int o = 0; o < side * t.outputs; ++o) {
        double expected = 0;
        double size = 0;
        for (int i = 0; i < side * t.inputs; ++i) {
          const int of_core = i / t.inputs * t.groups() + i % t.inputs / group;
          const double term = x[static_cast<std::size_t>(i)] * stored(i, o, bits) * scale(of_core, o);
          expected += term;
          size += std::abs(term);
        }
        const double got =
            mesh.read({o / t.outputs, o % side}, t.output, fp16, t.outputs)[static_cast<std::size_t>(o % t.outputs)];
        INFO(bits << " bit, groups of " << group << ", output " << o);
        CHECK(std::abs(got - expected) <= size / 512);
      }
    }
}
