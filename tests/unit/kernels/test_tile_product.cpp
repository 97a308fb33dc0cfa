// Products in loops against the host, on one core with values.
#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/tile_product.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

namespace {

using body = std::vector<fabric::instruction>;

void run(mesh_machine& core, const body& work) {
  mesh_kernel kernel;
  kernel.name = "product";
  kernel.before = work;
  core.run(kernel);
}

vector transposed(const vector& m, int rows, int columns) {
  vector t(m.size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      t[static_cast<std::size_t>(c * rows + r)] = m[static_cast<std::size_t>(r * columns + c)];
  return t;
}

std::size_t at(int row, int columns, int column) {
  return static_cast<std::size_t>(row * columns + column);
}

int small(base::random_stream& random, int most) {
  return 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most)));
}

// Integers that `bits` hold, and how 16-bit elements hold them.
vector random_integers(base::random_stream& random, int n, int bits) {
  vector v;
  for (int i = 0; i < n; ++i)
    v.push_back(static_cast<double>(random.below(std::uint64_t{1} << bits)) - (1 << (bits - 1)));
  return v;
}
vector packed_rows(const vector& rows, int columns, int bits) {
  vector packed;
  const int per_element = 16 / bits;
  for (std::size_t row = 0; row < rows.size(); row += static_cast<std::size_t>(columns))
    for (int first = 0; first < columns; first += per_element) {
      unsigned element = 0;
      for (int k = 0; k < per_element && first + k < columns; ++k) {
        const int value = static_cast<int>(rows[row + static_cast<std::size_t>(first + k)]);
        element |= (static_cast<unsigned>(value) & ((1u << bits) - 1u)) << (k * bits);
      }
      packed.push_back(static_cast<std::int16_t>(element));
    }
  return packed;
}

}  // namespace

TEST_CASE("products in loops give what the host gives, along either extent") {
  const std::uint64_t seed = 20261201;
  INFO("seed " << seed);
  base::random_stream random(seed);
  for (int i = 0; i < 30; ++i) {
    address_counter sram(fp16);
    tile_product t;
    t.reduced = small(random, 12);
    t.repeats = small(random, 5);
    t.length = small(random, 12);
    t.scalars = sram.take(t.repeats * t.reduced);
    t.vectors = sram.take(t.reduced * t.length);
    t.output = sram.take(t.repeats * t.length);
    const vector scalars = random_vector(seed + i, t.repeats * t.reduced);
    const vector vectors = random_vector(seed - i, t.reduced * t.length);
    for (const bool along_reduced : {false, true}) {
      mesh_machine core(fabric::wse3_chip(), 1, 1);
      core.write({0, 0}, t.scalars, fp16, scalars);
      core.write({0, 0}, t.vectors, fp16, along_reduced ? transposed(vectors, t.reduced, t.length) : vectors);
      body work;
      along_reduced ? add_scalar_products(work, t) : add_multiply_adds(work, t);
      run(core, work);
      const vector got = core.read({0, 0}, t.output, fp16, t.repeats * t.length);
      for (int s = 0; s < t.repeats; ++s)
        for (int l = 0; l < t.length; ++l) {
          double expected = 0;
          for (int r = 0; r < t.reduced; ++r)
            expected += scalars[at(s, t.reduced, r)] * vectors[at(r, t.length, l)];
          INFO(t.repeats << " x " << t.reduced << " x " << t.length << ", along reduced: " << along_reduced);
          CHECK(std::abs(got[at(s, t.length, l)] - expected) <= t.reduced / 512.0);
        }
    }
  }
}

TEST_CASE("packed products in loops give what the host gives, along each of their extents") {
  const std::uint64_t seed = 20261202;
  INFO("seed " << seed);
  base::random_stream random(seed);
  for (int i = 0; i < 40; ++i) {
    packed_tile t;
    t.inputs = small(random, 11);
    t.outputs = small(random, 9);
    t.tokens = small(random, 4);
    t.bits = i % 2 == 0 ? 4 : 8;
    t.group = small(random, t.inputs);
    address_counter sram(fp16);
    t.weights = sram.take(std::max(t.inputs * t.row_bytes(t.outputs), t.outputs * t.row_bytes(t.inputs)) / 2);
    t.scales = sram.take(t.groups() * t.outputs);
    t.input = sram.take(t.tokens * t.inputs);
    t.output = sram.take(t.tokens * t.outputs);
    t.expanded = sram.take(std::max(t.inputs, t.outputs));
    t.sums = sram.take(t.groups() * t.tokens * t.outputs);
    const vector weights = random_integers(random, t.inputs * t.outputs, t.bits);
    const vector scales = random_vector(seed + i, t.groups() * t.outputs, 0.0078125);
    const vector input = random_vector(seed - i, t.tokens * t.inputs);
    for (const int form : {0, 1, 2}) {
      mesh_machine core(fabric::wse3_chip(), 1, 1);
      const bool by_token = form == 2;
      core.write({0, 0}, t.weights, fabric::element_type::int16,
                 form == 0 ? packed_rows(weights, t.outputs, t.bits)
                           : packed_rows(transposed(weights, t.inputs, t.outputs), t.inputs, t.bits));
      core.write({0, 0}, t.scales, fp16, by_token ? transposed(scales, t.groups(), t.outputs) : scales);
      core.write({0, 0}, t.input, fp16, by_token ? transposed(input, t.tokens, t.inputs) : input);
      body work;
      form == 0   ? add_packed_by_input(work, t)
      : form == 1 ? add_packed_by_output(work, t)
                  : add_packed_by_token(work, t);
      run(core, work);
      vector got = core.read({0, 0}, t.output, fp16, t.tokens * t.outputs);
      if (by_token) got = transposed(got, t.outputs, t.tokens);
      for (int token = 0; token < t.tokens; ++token)
        for (int o = 0; o < t.outputs; ++o) {
          double expected = 0;
          double size = 0;
          for (int k = 0; k < t.inputs; ++k) {
            const double term =
                input[at(token, t.inputs, k)] * weights[at(k, t.outputs, o)] * scales[at(k / t.group, t.outputs, o)];
            expected += term;
            size += std::abs(term);
          }
          INFO(t.inputs << " x " << t.outputs << ", " << t.tokens << " tokens, " << t.bits << " bit, groups of "
                        << t.group << ", form " << form);
          CHECK(std::abs(got[at(token, t.outputs, o)] - expected) <= size / 128 + 1e-6);
        }
    }
  }
}

TEST_CASE("a product takes the form of fewer operations") {
  const auto operations = [](int reduced, int repeats, int length) {
    body work;
    add_product(work, {reduced, repeats, length, 0, 0, 0, fp16});
    return vector_operations_in(work);
  };
  CHECK(operations(5, 2, 40) == 10);   // along the length
  CHECK(operations(50, 2, 40) == 81);  // along what is summed: 80 scalar products, and zeros before
  const auto packed = [](int inputs, int outputs, int tokens, int group, bool along_tokens) {
    body work;
    packed_tile t;
    t.inputs = inputs;
    t.outputs = outputs;
    t.tokens = tokens;
    t.group = group;
    t.bits = 4;
    add_packed_product(work, t, along_tokens);
    return vector_operations_in(work);
  };
  CHECK(packed(20, 60, 1, 32, true) == 1 + 20 * 2 + 1);
  CHECK(packed(60, 20, 1, 32, true) == 2 + 20 * 3 + 2);
  CHECK(packed(20, 30, 64, 32, true) == 30 * (1 + 1 + 20));
  CHECK(packed(20, 30, 64, 32, false) == 1 + 20 * 65 + 64);
}
