#include "firmware_stubs/kernels/gemm_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

gemm_tiles with_addresses(gemm_tiles t) {
  t.b = 3 * t.a_bytes();
  t.c = t.b + 3 * t.b_bytes();
  t.expanded = t.c + t.c_bytes();
  return t;
}

// The rows of B as numbers of the product's type, one behind the other; rows without padding between them at once, as
// those that share scales.
void add_expansion(std::vector<instruction>& body, const gemm_tiles& t, const stepped_tile& b) {
  const opcode expand = t.bits == 8 ? opcode::expand_8_bit : opcode::expand_4_bit;
  const int row_bytes = t.n * bytes_of(t.type);
  const int rows_at_once = t.n * t.bits % 16 == 0 ? t.k : 1;
  for (int k = 0; k < t.k; k += rows_at_once)
    body.push_back(unary(expand, t.type, sram(t.expanded + k * row_bytes), sram(b.begin(k * t.packed_row_bytes())),
                         rows_at_once * t.n));
  for (int group = 0; group < t.groups(); ++group) {
    const int first = group * t.group;
    const int rows = std::min(t.group, t.k - first);
    const operand of_group = sram(t.expanded + first * row_bytes);
    const operand scales = sram_repeated(b.begin(t.scales_offset() + group * row_bytes), t.n);
    body.push_back(binary(opcode::multiply, t.type, of_group, of_group, scales, rows * t.n));
  }
}

}  // namespace

gemm_tiles lay_out_gemm(int m, int k, int n, element_type type) {
  gemm_tiles t;
  t.m = m;
  t.k = k;
  t.n = n;
  t.type = type;
  return with_addresses(t);
}

gemm_tiles lay_out_quantised_gemm(int m, int k, int n, int bits, int group) {
  if (bits != 8 && bits != 4)
    throw std::invalid_argument(fmt::format("weights of {} bit: the kernel expands 8 or 4", bits));
  if (group < 1) throw std::invalid_argument(fmt::format("{} rows share scales: at least one does", group));
  gemm_tiles t = lay_out_gemm(m, k, n);
  t.bits = bits;
  t.group = group;
  return with_addresses(t);
}

affine stepped_tile::begin(int offset, int ahead) const {
  if (buffers == 1) return address + offset;
  return affine(address + offset)
      .wrapped((first + ahead) * buffer_bytes, buffers * buffer_bytes)
      .with_iteration(buffer_bytes);
}

affine stepped_tile::at(int offset, int per_column) const {
  if (buffers == 1) return affine(address + offset).with_iteration(per_column);
  return affine(address + offset)
      .wrapped(first * buffer_bytes, buffers * buffer_bytes)
      .with_iteration(per_column, buffer_bytes);
}

void add_product(std::vector<instruction>& body, const tile_product& t, std::int64_t column_cycles) {
  const int bytes = bytes_of(t.type);
  const operand c = sram(t.c.at(0, t.m * bytes));
  body.push_back(begin_loop{t.n});
  body.push_back(scalar_work{column_cycles});
  for (int k = 0; k < t.k; ++k)
    body.push_back(multiply_add(t.type, c, c, sram(t.a.at(k * t.m * bytes, 0)), t.b.at(k * t.b_row, t.b_column), t.m)
                       .keeping(k == 0 ? 0 : kept_in_sum));
  body.push_back(end_loop{});
}

void add_step(std::vector<instruction>& body, const gemm_tiles& t, std::int64_t column_cycles, const stepped_tile& a,
              const stepped_tile& b) {
  const int bytes = bytes_of(t.type);
  if (t.bits != 0) add_expansion(body, t, b);
  const stepped_tile weights = t.bits == 0 ? b : stepped_tile{t.expanded};
  add_product(body, {t.m, t.k, t.n, a, weights, {t.c}, t.n * bytes, bytes, t.type}, column_cycles);
}

mesh_kernel product_of(const gemm_tiles& t, std::int64_t column_cycles) {
  mesh_kernel kernel;
  kernel.name = "tile product";
  add_step(kernel.before, t, column_cycles, {t.a}, {t.b});
  return kernel;
}

}  // namespace scribeline::kernels
