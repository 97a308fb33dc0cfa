#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/normed_gemv.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

TEST_CASE("a norm whose squares travel with the product gives the product of the normed vector") {
  for (const auto& [columns, rows, inputs, outputs] : {std::tuple{3, 4, 5, 6}, std::tuple{1, 7, 2, 3}}) {
    const int total = rows * inputs;
    const vector x = random_vector(11, total, 3);
    const vector norm_weights = random_vector(12, total, 0.5, 1);
    const matrix weights(13, total, columns * outputs);
    address_counter sram(fp16);
    normed_tile t;
    t.product.inputs = inputs;
    t.product.outputs = outputs;
    t.product.weights = sram.take(inputs * outputs);
    t.product.input = sram.take(inputs);
    t.product.output = sram.take(outputs + 1);
    t.sum = t.product.output + outputs * fabric::bytes_of(fp16);
    t.total = total;
    mesh_machine mesh(fabric::wse3_chip(), columns, rows);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        vector tile;
        for (int i = 0; i < inputs; ++i)
          for (int o = 0; o < outputs; ++o)
            tile.push_back(norm_weights[static_cast<std::size_t>(row * inputs + i)] *
                           weights.at(row * inputs + i, column * outputs + o));
        mesh.write({column, row}, t.product.weights, fp16, tile);
        mesh.write({column, row}, t.product.input, fp16, slice(x, row * inputs, inputs));
      }
    mesh.run(normed_gemv("normed", t, collectives::axis::column));
    const vector expected = weights.times(normed(x, norm_weights, t.epsilon));
    for (int o = 0; o < columns * outputs; ++o) {
      INFO(columns << " x " << rows << ", output " << o);
      const vector got = mesh.read({o / outputs, o % rows}, t.product.output, fp16, outputs);
      CHECK(got[static_cast<std::size_t>(o % outputs)] ==
            Approx(expected[static_cast<std::size_t>(o)]).margin(0.02).epsilon(0.01));
    }
  }
  normed_tile apart;
  apart.product.outputs = 4;
  apart.sum = 6;
  CHECK_THROWS_AS(normed_gemv("normed", apart, collectives::axis::column), std::invalid_argument);
}
