#include <catch2/catch.hpp>

#include "firmware_stubs/collectives/folded_ring.h"
#include "firmware_stubs/kernels/kernel_clock.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

using namespace scribeline;
using namespace scribeline::fabric;
using namespace scribeline::kernels;
using collectives::ring_rank;

namespace {

// Small integers: exact in fp16 sums of these sizes.
double a_element(int row, int column) {
  return (3 * row + 5 * column) % 7 - 3;
}
double b_element(int row, int column) {
  return (5 * row + 2 * column) % 5 - 2;
}

void load(wavelet_engine& engine, int side, const gemm_tiles& t) {
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      const int i = ring_rank(row, side);
      const int j = ring_rank(column, side);
      const int shared = (i + j) % side;
      std::vector<double> a;
      for (int k = 0; k < t.k; ++k)
        for (int m = 0; m < t.m; ++m)
          a.push_back(a_element(i * t.m + m, shared * t.k + k));
      std::vector<double> b;
      for (int k = 0; k < t.k; ++k)
        for (int n = 0; n < t.n; ++n)
          b.push_back(b_element(shared * t.k + k, j * t.n + n));
      engine.write_vector({column, row}, t.a, t.type, a);
      engine.write_vector({column, row}, t.b, t.type, b);
    }
}

void check(const wavelet_engine& engine, int side, const gemm_tiles& t) {
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      const int i = ring_rank(row, side);
      const int j = ring_rank(column, side);
      std::vector<double> expected;
      for (int n = 0; n < t.n; ++n)
        for (int m = 0; m < t.m; ++m) {
          double sum = 0;
          for (int k = 0; k < side * t.k; ++k)
            sum += a_element(i * t.m + m, k) * b_element(k, j * t.n + n);
          expected.push_back(sum);
        }
      CHECK(engine.read_vector({column, row}, t.c, t.type, t.m * t.n) == expected);
    }
}

}  // namespace

TEST_CASE("MeshGEMM multiplies matrices, on even and odd sides, with tiles of odd sizes") {
  for (const int side : {2, 3, 4, 5, 8})
    for (const gemm_tiles& t : {lay_out_gemm(3, 5, 2), lay_out_gemm(2, 2, 2), lay_out_gemm(1, 1, 7)}) {
      INFO("side " << side << ", tiles of " << t.m << " x " << t.k << " x " << t.n);
      run_options options;
      options.values = true;
      wavelet_engine engine(mesh_gemm(wse2_chip(), side, t, {0, 20, 3}), wse2_chip(), options);
      load(engine, side, t);
      const run_result result = engine.run();
      INFO(result.explanation);
      REQUIRE(result.outcome == run_outcome::finished);
      check(engine, side, t);
    }
}

TEST_CASE("every step of a MeshGEMM takes the same, on meshes of every size") {
  const auto cycles = [](int side, const gemm_tiles& t, int steps) {
    kernel_clock clock(wse2_chip(), side, side);
    return clock.time(t, {steps, 50, 0}).total.value();
  };
  for (const gemm_tiles& t : {lay_out_gemm(4, 4, 4), lay_out_gemm(2, 3, 40), lay_out_gemm(9, 1, 1)}) {
    const auto step = (cycles(8, t, 12) - cycles(8, t, 4)) / 8;
    for (const int side : {6, 7, 8}) {
      INFO("side " << side << ", tiles of " << t.m << " x " << t.k << " x " << t.n);
      // Run to the end, and continued from the first steps.
      wavelet_engine engine(mesh_gemm(wse2_chip(), side, t, {24, 50, 0}), wse2_chip());
      const run_result result = engine.run();
      REQUIRE(result.outcome == run_outcome::finished);
      CHECK(std::abs(result.cycles.value() - cycles(side, t, 24)) <= 24 + step / 4);
    }
  }
}
