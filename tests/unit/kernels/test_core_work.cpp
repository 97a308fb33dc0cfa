// The vector operations that are timed for a stage are those of the kernels with values.
#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/grouped_attention.h"
#include "firmware_stubs/kernels/latent_attention.h"
#include "firmware_stubs/kernels/normed_gemv.h"
#include "firmware_stubs/kernels/quantised_gemv.h"
#include "firmware_stubs/kernels/rotary.h"
#include "firmware_stubs/kernels/routine.h"
#include "firmware_stubs/kernels/silu.h"
#include "tests/unit/kernels/vector_operations.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;
using fabric::opcode;

namespace {

constexpr auto fp16 = fabric::element_type::fp16;

wafer::descriptor work(routine code, int a, int b = 1, int argument = 0) {
  wafer::descriptor d;
  d.routine = static_cast<std::uint16_t>(code);
  d.routine_argument = static_cast<std::uint16_t>(argument);
  d.extent_a = static_cast<std::uint32_t>(a);
  d.extent_b = static_cast<std::uint32_t>(b);
  d.work = wafer::arithmetic::copy_fp16;
  return d;
}

wafer::descriptor product(routine code, int a, int b, int argument = 0) {
  wafer::descriptor d = work(code, a, b, argument);
  d.work = code == routine::packed_product_4 || code == routine::packed_product_8 ? wafer::arithmetic::dequant_fma_fp16
                                                                                  : wafer::arithmetic::fma_fp16;
  return d;
}

round_extents positions(int n) {
  round_extents round;
  round.positions = n;
  return round;
}

std::int64_t elements_of(const operation_count& count, opcode op) {
  std::int64_t sum = 0;
  for (const auto& [operation, n] : count)
    if (std::get<0>(operation) == op) sum += n * std::get<2>(operation);
  return sum;
}

std::int64_t all_of(const operation_count& count) {
  std::int64_t sum = 0;
  for (const auto& [operation, n] : count)
    sum += n;
  return sum;
}

}  // namespace

TEST_CASE("a product is the GEMV with values, along outputs") {
  for (const auto& [inputs, outputs] : {std::pair{7, 30}, std::pair{1, 5}, std::pair{12, 12}}) {
    const auto kernel = gemv("product", {{inputs, outputs, 0, 0, 0, fp16}}, collectives::axis::row);
    CHECK(operations_of(product(routine::product_over_a, inputs, outputs)) == operations_of(kernel.before));
  }
}

TEST_CASE("with more inputs than outputs a product is as many scalar products: fewer operations, the same multiplies") {
  const auto kernel = operations_of(gemv("product", {{30, 7, 0, 0, 0, fp16}}, collectives::axis::row).before);
  const auto timed = operations_of(product(routine::product_over_a, 30, 7));
  CHECK(timed == operation_count{{{opcode::copy, fp16, 7}, 1}, {{opcode::multiply_accumulate, fp16, 30}, 7}});
  CHECK(elements_of(timed, opcode::multiply_accumulate) == elements_of(kernel, opcode::multiply_add));
}

TEST_CASE("a packed product is the quantised GEMV with values, along outputs") {
  for (const int bits : {4, 8})
    for (const int group : {1, 5, 32}) {
      quantised_tile tile;
      tile.inputs = 11;
      tile.outputs = 24;
      tile.bits = bits;
      tile.group = group;
      const auto kernel = quantised_gemv("product", tile, collectives::axis::row);
      const auto code = bits == 4 ? routine::packed_product_4 : routine::packed_product_8;
      CHECK(operations_of(product(code, 11, 24, group)) == operations_of(kernel.before));
    }
}

TEST_CASE("pairs of one expert share its expanded weights, those of different ones do not") {
  wafer::descriptor d = product(routine::packed_product_4, 8, 20, 8);
  d.scaled_by = wafer::scale::expert_load;
  const auto expands = [&](int pairs, int matrices) {
    round_extents round;
    round.pairs = pairs;
    round.matrices = matrices;
    const auto count = operations_of(d, round);
    CHECK(elements_of(count, opcode::multiply_add) == pairs * 8 * 20);
    return elements_of(count, opcode::expand_4_bit) / (8 * 20);
  };
  CHECK(expands(1, 1) == 1);
  CHECK(expands(5, 5) == 5);
  CHECK(expands(5, 2) == 2);
  CHECK(expands(7, 1) == 1);
}

TEST_CASE("a norm is the norm with values, before and after its all-reduce") {
  const auto kernel = rms_norm("norm", {24, 240, 0, 0, 0, 0, 1e-5, fp16}, collectives::axis::row);
  CHECK(operations_of(work(routine::norm_squares, 24, 1, 1)) == operations_of(kernel.before));
  CHECK(operations_of(work(routine::norm_scale, 24, 2, 1)) == operations_of(kernel.after));
  const auto of_head = rms_norm("norm", {8, 8, 0, 0, 0, 0, 1e-5, fp16}, collectives::axis::row);
  const auto three = operations_of(of_head.before) + operations_of(of_head.before) + operations_of(of_head.before);
  CHECK(operations_of(work(routine::norm_squares, 24, 1, 3)) == three);
}

TEST_CASE("a product that takes a norm's squares along is the one with values, and scales its input for later, too") {
  normed_tile tile;
  tile.product.inputs = 12;
  tile.product.outputs = 24;
  tile.sum = 48;
  tile.total = 120;
  const auto kernel = normed_gemv("normed", tile, collectives::axis::row);
  const auto squares = operations_of(work(routine::norm_squares, 12, 1, 1));
  CHECK(squares + operations_of(product(routine::product_over_a, 12, 24)) == operations_of(kernel.before));
  const auto root = operations_of(work(routine::norm_scale, 12, 2, 1));
  auto both = operations_of(work(routine::scale, 24)) + root;
  CHECK(--both[{opcode::multiply_add, fp16, 12}] == 0);
  CHECK(--both[{opcode::multiply, fp16, 12}] == 0);
  both.erase({opcode::multiply_add, fp16, 12});
  both.erase({opcode::multiply, fp16, 12});
  CHECK(both == operations_of(kernel.after));
}

TEST_CASE("rotary embedding and gate are those with values") {
  std::vector<fabric::instruction> kernel;
  add_rotary(kernel, {3, 8, 8, 0, 0, 0, 0, fp16});
  CHECK(operations_of(work(routine::rotary, 24, 2, 3)) == operations_of(kernel));
  kernel.clear();
  add_silu_gate(kernel, {24, 0, 0, 0, fp16});
  CHECK(operations_of(work(routine::gate, 24, 6)) == operations_of(kernel));
}

// The stage weighs values before it divides by the sum of exponentials, and divides the result (flash decoding): the
// kernel with values divides the weights. All else is the same.
TEST_CASE("attention over a cache is that with values, but for where it divides") {
  constexpr int queries = 3, elements = 4, value_elements = 12, held = 10;
  attention_slice slice;
  slice.queries = queries;
  slice.elements = elements;
  slice.value_elements = value_elements;
  slice.positions = held;
  const auto kernels = attention(slice);
  REQUIRE(kernels.size() == 4);
  const auto scores = operations_of(product(routine::product_over_b, queries, elements), positions(held));
  CHECK(scores == operations_of(kernels[0].before));
  CHECK(operations_of(work(routine::softmax_maximum, queries), positions(held)) == operations_of(kernels[1].before));
  CHECK(operations_of(work(routine::softmax_exponential, queries), positions(held)) ==
        operations_of(kernels[2].before));
  const auto values = operations_of(product(routine::product_over_positions, queries, value_elements), positions(held));
  CHECK(values == operations_of(kernels[3].before));
  CHECK(operations_of(work(routine::softmax_division, queries * value_elements, 1, queries)) ==
        operation_count{{{opcode::reciprocal, fp16, queries}, 1}, {{opcode::multiply, fp16, value_elements}, queries}});
}

// All heads attend to one latent vector, so a core has many queries and few positions: the stage's operations run along
// the queries. They are fewer and longer, and multiply as many elements.
TEST_CASE("latent attention multiplies and exponentiates as that with values, along the queries of a core") {
  latent_attention_dimensions d;
  d.heads = 20;
  d.latent = 16;
  d.rotary = 8;
  d.positions = 12;
  address_counter sram(fp16);
  const residual_stream stream(32, 4, 4, fp16, 1e-5, sram);
  const attention_slice slice = latent_attention(d, stream, sram).slice;
  const auto kernels = attention(slice);
  const auto round = positions(slice.positions);
  const auto scores = operations_of(product(routine::product_over_b, d.heads, slice.elements), round);
  const auto values = operations_of(product(routine::product_over_positions, d.heads, slice.value_elements), round);
  CHECK(elements_of(scores, opcode::multiply_add) ==
        elements_of(operations_of(kernels[0].before), opcode::multiply_add));
  CHECK(elements_of(values, opcode::multiply_add) ==
        elements_of(operations_of(kernels[3].before), opcode::multiply_add));
  CHECK(scores == operation_count{{{opcode::multiply_add, fp16, d.heads}, slice.elements * slice.positions}});
  CHECK(all_of(scores) < all_of(operations_of(kernels[0].before)));
  const auto maximum = operations_of(work(routine::softmax_maximum, d.heads), round);
  const auto exponential = operations_of(work(routine::softmax_exponential, d.heads), round);
  CHECK(elements_of(maximum, opcode::maximum) == elements_of(operations_of(kernels[1].before), opcode::maximum));
  CHECK(elements_of(exponential, opcode::exponential) ==
        elements_of(operations_of(kernels[2].before), opcode::exponential));
}

TEST_CASE("several tokens multiply as often as one after the other, in longer operations or fewer expansions") {
  round_extents tokens;
  tokens.tokens = 40;
  const auto along_tokens = operations_of(product(routine::product_over_a, 7, 30), tokens);
  CHECK(along_tokens == operation_count{{{opcode::multiply_add, fp16, 40}, 7 * 30}});
  wafer::descriptor joined = product(routine::product_over_b, 3, 4);
  joined.tokens_join_a = 1;
  tokens.positions = 10;
  CHECK(operations_of(joined, tokens) == operation_count{{{opcode::multiply_add, fp16, 120}, 40}});
}

TEST_CASE("a routine that does not exist is refused") {
  CHECK_THROWS_AS(core_work(work(static_cast<routine>(1000), 3), {}), std::invalid_argument);
}
