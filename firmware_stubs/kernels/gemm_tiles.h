// Tiles of a matrix product on a square mesh, and what a core does with two of them.
//
// C = A B on P x P cores, all three cut into P x P tiles: A(i, k) is the tile of tile row i and tile column k. How
// tiles come together is the business of mesh_gemm.h, cannon_gemm.h and summa_gemm.h; multiplying them is the same for
// all.
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
  // B may be stored in 8 or 4 bit: rows of two's complement, each from a new 16-bit element on, then scales in the type
  // of the product, `n` for every `group` rows. It travels like this and is expanded in every step.
  int bits = 0;      // 0: elements of `type`
  int group = 1;     // rows of a tile that share scales
  int expanded = 0;  // scratch: k x n

  int groups() const { return (k + group - 1) / group; }
  int packed_row_bytes() const { return (n * bits + 15) / 16 * 2; }
  int scales_offset() const { return k * packed_row_bytes(); }  // from the beginning of a tile
  // As many elements as the tile of B takes on its way.
  int b_elements() const { return bits == 0 ? k * n : k * packed_row_bytes() / 2 + groups() * n; }

  int a_bytes() const { return buffer(m * k); }
  int b_bytes() const { return buffer(b_elements()); }
  int c_bytes() const { return buffer(m * n); }
  int expanded_bytes() const { return bits == 0 ? 0 : buffer(k * n); }
  std::int64_t bytes() const {
    return 3 * std::int64_t{a_bytes()} + 3 * std::int64_t{b_bytes()} + c_bytes() + expanded_bytes();
  }

 private:
  int buffer(int elements) const { return (elements * fabric::bytes_of(type) + 3) / 4 * 4; }
};

// Tiles with buffers one behind the other from byte 0 on.
gemm_tiles lay_out_gemm(int m, int k, int n, fabric::element_type type = fabric::element_type::fp16);
// The same with B in 8 or 4 bit. Throws std::invalid_argument for other widths or a type that is not of 16 bit.
gemm_tiles lay_out_quantised_gemm(int m, int k, int n, int bits, int group);

struct gemm_schedule {
  int steps = 0;                   // 0: all P
  std::int64_t call_cycles = 0;    // scalar code of every step, between starting the transfers and the product
  std::int64_t column_cycles = 0;  // scalar code of every column of C in a step, besides the loop
  // Of compute-shift: tiles come as A(j, i) or B(j, i) at the core of column rank i and row rank j, and are shifted
  // into the alignment of the first step before it.
  bool align_a = false;
  bool align_b = false;
};

// Where a tile lies in a step of a loop over steps: always in the same place, or in the next of several buffers.
struct stepped_tile {
  int address = 0;
  int buffers = 1;
  int buffer_bytes = 0;
  int first = 0;  // the buffer in use in the first step

  // A byte of the tile, or of the one `ahead` of it, for an instruction right in the loop of steps.
  fabric::affine begin(int offset = 0, int ahead = 0) const;
  // A byte plus per_column times the iteration of a loop inside the loop of steps.
  fabric::affine at(int offset, int per_column) const;
};

// One product of tiles in a step: C += A B, a loop over the columns of C, unrolled over k.
struct tile_product {
  int m = 1;
  int k = 1;
  int n = 1;
  stepped_tile a;
  stepped_tile b;
  stepped_tile c;
  int b_row = 0;     // bytes from an element of B to the one below it
  int b_column = 0;  // and to the one beside it
  fabric::element_type type = fabric::element_type::fp16;
};
void add_product(std::vector<fabric::instruction>& body, const tile_product& product, std::int64_t column_cycles);

// The product of a step with tiles in `a` and `b`, with what expanding B takes.
void add_step(std::vector<fabric::instruction>& body, const gemm_tiles& tiles, std::int64_t column_cycles,
              const stepped_tile& a, const stepped_tile& b);

// What a core multiplies in one step, without transfers and calls.
mesh_kernel product_of(const gemm_tiles& tiles, std::int64_t column_cycles = 0);

}  // namespace scribeline::kernels
