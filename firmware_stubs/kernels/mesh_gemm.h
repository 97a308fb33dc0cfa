// Matrix times matrix on a square mesh by compute-shift, as MeshGEMM of WaferLLM (OSDI'25, arXiv 2502.04563) does it.
//
// C = A B on P x P cores, all three cut into P x P tiles. Rows and columns are folded rings: in each of P steps a core
// multiplies the tiles it holds while it passes its A tile to the next core of its row ring and its B tile to the next
// core of its column ring, at most two hops away. At the beginning the core of column rank i and row rank j holds
// A(j, i + j) and B(i + j, i), ranks modulo P (Cannon's alignment); after P steps every tile is back where it was.
// A tile is received into the buffer behind the one it is sent from, of three, so that a slow neighbour's words and the
// product of the step before do not meet.
#pragma once

#include "firmware_stubs/kernels/mesh_kernel.h"

namespace scribeline::kernels {

// Tiles of m x k, k x n and m x n elements. A and C lie column after column, B row after row.
struct gemm_tiles {
  int m = 1;
  int k = 1;
  int n = 1;
  int a = 0;  // byte addresses; of A and B the first of three buffers, which lie behind each other
  int b = 0;
  int c = 0;
  fabric::element_type type = fabric::element_type::fp16;

  int a_bytes() const { return buffer(m * k); }
  int b_bytes() const { return buffer(k * n); }
  int c_bytes() const { return buffer(m * n); }
  std::int64_t bytes() const { return 3 * std::int64_t{a_bytes()} + 3 * std::int64_t{b_bytes()} + c_bytes(); }

 private:
  int buffer(int elements) const { return (elements * fabric::bytes_of(type) + 3) / 4 * 4; }
};

// Tiles with buffers one behind the other from byte 0 on.
gemm_tiles lay_out_gemm(int m, int k, int n, fabric::element_type type = fabric::element_type::fp16);

struct gemm_schedule {
  int steps = 0;                   // 0: all P
  std::int64_t call_cycles = 0;    // scalar code of every step, between starting the shifts and the product
  std::int64_t column_cycles = 0;  // scalar code of every column of C in a step, besides the loop
};

// Marks begin and end as collectives do. k n multiply-adds over m elements per core and step. Throws
// std::invalid_argument for a side of less than 2.
fabric::program mesh_gemm(const fabric::fabric_chip& chip, int side, const gemm_tiles& tiles,
                          const gemm_schedule& schedule = {});

// What a core multiplies in one step, without shifts and calls.
mesh_kernel product_of(const gemm_tiles& tiles, std::int64_t column_cycles = 0);

}  // namespace scribeline::kernels
