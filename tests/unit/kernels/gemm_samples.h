// Matrices of small integers, exact in fp16 sums of these sizes, and how their tiles lie on a square mesh.
#pragma once

#include <functional>

#include "firmware_stubs/kernels/compute_shift.h"
#include "firmware_stubs/kernels/gemm_algorithm.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::kernels::test {

inline double a_element(int row, int column) {
  return (3 * row + 5 * column) % 7 - 3;
}
inline double b_element(int row, int column) {
  return (5 * row + 2 * column) % 5 - 2;
}

// Ranks of a core: MeshGEMM counts along folded rings, the others count positions.
struct core_ranks {
  core_ranks(gemm_algorithm algorithm, int column, int row, int side)
      : i(rank_on(kind(algorithm), column, side)), j(rank_on(kind(algorithm), row, side)) {}
  static ring_kind kind(gemm_algorithm algorithm) {
    return algorithm == gemm_algorithm::mesh ? ring_kind::folded : ring_kind::wrapped;
  }
  int i;
  int j;
};

// Tiles at their own places, or in the alignment that compute-shift begins with.
struct placement {
  gemm_algorithm algorithm;
  bool aligned;

  using write = std::function<void(fabric::coordinate, int tile_row, int tile_column)>;
  void for_each_core(int side, const write& write_a, const write& write_b) const {
    for (int row = 0; row < side; ++row)
      for (int column = 0; column < side; ++column) {
        const core_ranks r(algorithm, column, row, side);
        const int shared = (r.i + r.j) % side;
        write_a({column, row}, r.j, aligned ? shared : r.i);
        write_b({column, row}, aligned ? shared : r.j, r.i);
      }
  }
};

// What a core holds of C, column after column.
inline std::vector<double> expected_c(const core_ranks& r, int side, const gemm_tiles& t,
                                      const std::function<double(int, int)>& b = b_element) {
  std::vector<double> expected;
  for (int n = 0; n < t.n; ++n)
    for (int m = 0; m < t.m; ++m) {
      double sum = 0;
      for (int k = 0; k < side * t.k; ++k)
        sum += a_element(r.j * t.m + m, k) * b(k, r.i * t.n + n);
      expected.push_back(sum);
    }
  return expected;
}

inline std::vector<double> a_tile(const gemm_tiles& t, int tile_row, int tile_column) {
  std::vector<double> a;
  for (int k = 0; k < t.k; ++k)
    for (int m = 0; m < t.m; ++m)
      a.push_back(a_element(tile_row * t.m + m, tile_column * t.k + k));
  return a;
}
inline std::vector<double> b_tile(const gemm_tiles& t, int tile_row, int tile_column) {
  std::vector<double> b;
  for (int k = 0; k < t.k; ++k)
    for (int n = 0; n < t.n; ++n)
      b.push_back(b_element(tile_row * t.k + k, tile_column * t.n + n));
  return b;
}

}  // namespace scribeline::kernels::test
