#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/layer_norm.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

namespace {

vector layer_normed(const vector& x, const vector& weights, const vector& bias, double epsilon) {
  const auto n = static_cast<double>(x.size());
  double mean = 0;
  for (const double v : x)
    mean += v / n;
  double variance = 0;
  for (const double v : x)
    variance += (v - mean) * (v - mean) / n;
  vector y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back((x[i] - mean) / std::sqrt(variance + epsilon) * weights[i] + bias[i]);
  return y;
}

}  // namespace

TEST_CASE("layer normalisation along rows and columns gives the host's, also for a mean far from zero") {
  constexpr int side = 6;
  for (const collectives::axis along : {collectives::axis::row, collectives::axis::column})
    for (const double centre : {0.0, 8.0})
      for (const int elements : {1, 5}) {
        const std::uint64_t seed = 40 + static_cast<std::uint64_t>(elements);
        const int total = side * elements;
        address_counter sram(fp16);
        layer_norm_slice slice;
        slice.elements = elements;
        slice.total = total;
        slice.input = sram.take(elements);
        slice.weights = sram.take(elements);
        slice.bias = sram.take(elements);
        slice.output = sram.take(elements);
        slice.sum = sram.take(1);
        const vector x = random_vector(seed, total, 1, centre);
        const vector weights = random_vector(seed + 1, total, 0.2, 1);
        const vector bias = random_vector(seed + 2, total);
        mesh_machine mesh(fabric::wse2_chip(), side, side);
        const auto write = along == collectives::axis::row ? write_along_columns : write_along_rows;
        write(mesh, slice.input, elements, x);
        write(mesh, slice.weights, elements, weights);
        write(mesh, slice.bias, elements, bias);
        mesh.run(layer_norm("norm", slice, along));
        const vector expected = layer_normed(x, weights, bias, slice.epsilon);
        INFO("seed " << seed << ", centre " << centre << ", " << elements << " elements a core");
        for (int i = 0; i < total; ++i) {
          const int place = i / elements;
          const int other = i % side;
          const fabric::coordinate at =
              along == collectives::axis::row ? fabric::coordinate{place, other} : fabric::coordinate{other, place};
          const double got = mesh.read(at, slice.output, fp16, elements)[static_cast<std::size_t>(i % elements)];
          // A mean of eight has steps of 2^-7, which its rounding leaves in every element.
          CHECK(std::abs(got - expected[static_cast<std::size_t>(i)]) <= (centre > 0 ? 0.03 : 0.01));
        }
      }
}

TEST_CASE("layer normalisation of equal elements leaves the bias") {
  constexpr int side = 4;
  mesh_machine mesh(fabric::wse2_chip(), side, 1);
  layer_norm_slice slice;
  slice.elements = 2;
  slice.total = 2 * side;
  slice.weights = 4;
  slice.bias = 8;
  slice.output = 12;
  slice.sum = 16;
  for (int column = 0; column < side; ++column) {
    mesh.write({column, 0}, slice.input, fp16, {3, 3});
    mesh.write({column, 0}, slice.weights, fp16, {1, 2});
    mesh.write({column, 0}, slice.bias, fp16, {0.5, -0.25});
  }
  mesh.run(layer_norm("norm", slice, collectives::axis::row));
  for (int column = 0; column < side; ++column)
    CHECK(mesh.read({column, 0}, slice.output, fp16, 2) == vector{0.5, -0.25});
}
