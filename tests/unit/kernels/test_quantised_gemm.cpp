#include <catch2/catch.hpp>

#include <utility>

#include "firmware_stubs/kernels/kernel_clock.h"
#include "tests/unit/kernels/gemm_samples.h"
#include "tests/unit/kernels/packed_weights.h"

using namespace scribeline;
using namespace scribeline::fabric;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

// Powers of two: what is expanded is exact in fp16.
double scale(int group_of_all, int n) {
  return (group_of_all + n) % 2 == 0 ? 1 : 0.5;
}

struct weights {
  const gemm_tiles& t;
  int stored(int k, int n) const { return test::stored(k, n, t.bits) / (t.bits == 8 ? 8 : 1); }
  double value(int k, int n) const { return stored(k, n) * scale(k / t.k * t.groups() + k % t.k / t.group, n); }

  void write(wavelet_engine& engine, coordinate at, int tile_row, int tile_column) const {
    for (int k = 0; k < t.k; ++k)
      engine.write_vector(at, t.b + k * t.packed_row_bytes(), element_type::int16, packed(t.n, t.bits, [&](int n) {
                            return stored(tile_row * t.k + k, tile_column * t.n + n);
                          }));
    std::vector<double> scales;
    for (int group = 0; group < t.groups(); ++group)
      for (int n = 0; n < t.n; ++n)
        scales.push_back(scale(tile_row * t.groups() + group, tile_column * t.n + n));
    engine.write_vector(at, t.b + t.scales_offset(), t.type, scales);
  }
};

}  // namespace

TEST_CASE("products with weights of 8 and 4 bit and group scales are those of the expanded weights") {
  constexpr int side = 4;
  for (const gemm_algorithm algorithm : {gemm_algorithm::mesh, gemm_algorithm::cannon, gemm_algorithm::summa})
    for (const int bits : {8, 4})
      for (const auto& [outputs, group] : {std::pair(3, 1), std::pair(3, 2), std::pair(4, 2), std::pair(4, 8)}) {
        const gemm_tiles t = lay_out_quantised_gemm(3, 5, outputs, bits, group);
        run_options options;
        options.values = true;
        gemm_schedule schedule;
        schedule.align_a = schedule.align_b = true;
        wavelet_engine engine(gemm(algorithm, wse2_chip(), side, t, schedule), wse2_chip(), options);
        const weights b{t};
        placement{algorithm, false}.for_each_core(
            side, [&](coordinate at, int r, int c) { engine.write_vector(at, t.a, t.type, a_tile(t, r, c)); },
            [&](coordinate at, int r, int c) { b.write(engine, at, r, c); });
        REQUIRE(engine.run().outcome == run_outcome::finished);
        INFO(name(algorithm) << ", " << bits << " bit, groups of " << group << ", " << outputs << " columns");
        for (int row = 0; row < side; ++row)
          for (int column = 0; column < side; ++column)
            CHECK(engine.read_vector({column, row}, t.c, t.type, t.m * t.n) ==
                  expected_c({algorithm, column, row, side}, side, t, [&](int k, int n) { return b.value(k, n); }));
      }
}

TEST_CASE("packed tiles take fewer words on their way and more work to expand") {
  const gemm_tiles whole = lay_out_gemm(2, 16, 16);
  const gemm_tiles packed = lay_out_quantised_gemm(2, 16, 16, 4, 16);
  CHECK(whole.b_elements() == 256);
  CHECK(packed.b_elements() == 16 * 4 + 16);
  CHECK(packed.bytes() < whole.bytes());
  kernel_clock clock(wse2_chip(), 16, 16);
  CHECK(clock.time(packed, {}).compute > clock.time(whole, {}).compute);
}

TEST_CASE("weights of other widths are refused") {
  CHECK_THROWS_WITH(lay_out_quantised_gemm(1, 1, 1, 5, 1), Catch::Contains("weights of 5 bit"));
  CHECK_THROWS_WITH(lay_out_quantised_gemm(1, 1, 1, 4, 0), Catch::Contains("0 rows share scales"));
}
