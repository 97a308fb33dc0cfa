#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/kernel_clock.h"
#include "firmware_stubs/kernels/mesh_gemm.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/kernels/gemm_samples.h"

using namespace scribeline;
using namespace scribeline::fabric;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

constexpr gemm_algorithm all_algorithms[] = {gemm_algorithm::mesh, gemm_algorithm::cannon, gemm_algorithm::summa};

void check_values(gemm_algorithm algorithm, bool aligned, int side, const gemm_tiles& t) {
  INFO(name(algorithm) << (aligned ? ", aligned, side " : ", side ") << side << ", tiles of " << t.m << " x " << t.k
                       << " x " << t.n);
  run_options options;
  options.values = true;
  gemm_schedule schedule{0, 20, 3};
  schedule.align_a = schedule.align_b = !aligned;
  wavelet_engine engine(gemm(algorithm, wse2_chip(), side, t, schedule), wse2_chip(), options);
  placement{algorithm, aligned}.for_each_core(
      side, [&](coordinate at, int r, int c) { engine.write_vector(at, t.a, t.type, a_tile(t, r, c)); },
      [&](coordinate at, int r, int c) { engine.write_vector(at, t.b, t.type, b_tile(t, r, c)); });
  const run_result result = engine.run();
  INFO(result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      CHECK(engine.read_vector({column, row}, t.c, t.type, t.m * t.n) ==
            expected_c({algorithm, column, row, side}, side, t));
}

}  // namespace

TEST_CASE("MeshGEMM, Cannon and SUMMA multiply matrices, on even and odd sides, with tiles of odd sizes") {
  for (const gemm_algorithm algorithm : all_algorithms)
    for (const int side : {2, 3, 4, 5, 8})
      for (const gemm_tiles& t :
           {lay_out_gemm(3, 5, 2), lay_out_gemm(2, 2, 2), lay_out_gemm(1, 1, 7),
            lay_out_gemm(4, 3, 2, element_type::fp32), lay_out_gemm(2, 3, 1, element_type::int32)})
        check_values(algorithm, false, side, t);
}

TEST_CASE("compute-shift also takes tiles that are aligned already") {
  for (const gemm_algorithm algorithm : {gemm_algorithm::mesh, gemm_algorithm::cannon})
    for (const int side : {2, 3, 4, 5, 8})
      for (const gemm_tiles& t : {lay_out_gemm(3, 5, 2), lay_out_gemm(2, 2, 2), lay_out_gemm(1, 1, 7)})
        check_values(algorithm, true, side, t);
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

TEST_CASE("products with ways across whole lines are timed on large meshes from two smaller ones") {
  const gemm_tiles t = lay_out_gemm(9, 8, 1);
  for (const gemm_algorithm algorithm : all_algorithms)
    for (const int side : {39, 40}) {
      if (tests::sanitized && (side == 40 || algorithm != gemm_algorithm::cannon)) continue;
      gemm_schedule schedule{0, 50, 0};
      schedule.align_a = schedule.align_b = true;
      wavelet_engine engine(gemm(algorithm, wse2_chip(), side, t, schedule), wse2_chip());
      const run_result result = engine.run();
      REQUIRE(result.outcome == run_outcome::finished);
      kernel_clock clock(wse2_chip(), side, side);
      const auto timed = clock.time(t, schedule, algorithm).total.value();
      INFO(name(algorithm) << ", side " << side << ", tiles of " << t.m << " x " << t.k << " x " << t.n << ": " << timed
                           << " of " << result.cycles.value());
      CHECK(std::abs(result.cycles.value() - timed) <= result.cycles.value() / 100);
    }
}

TEST_CASE("products that cannot run or be timed are refused") {
  const gemm_tiles t = lay_out_gemm(1, 1, 1);
  for (const gemm_algorithm algorithm : all_algorithms)
    CHECK_THROWS_WITH(gemm(algorithm, wse2_chip(), 1, t), Catch::Contains("at least 2 x 2 cores"));
  kernel_clock clock(wse2_chip(), 4, 4);
  CHECK_THROWS_WITH(clock.time(t, {2, 0, 0}, gemm_algorithm::summa), Catch::Contains("some steps of a product"));
  // What was refused is not remembered as timed.
  const gemm_tiles too_large = lay_out_gemm(100, 100, 100);
  for (int time = 0; time < 2; ++time)
    CHECK_THROWS(clock.time(too_large, {}));
  kernel_clock rectangle(wse2_chip(), 4, 5);
  CHECK_THROWS_WITH(rectangle.time(t, {}), Catch::Contains("square mesh"));
}
