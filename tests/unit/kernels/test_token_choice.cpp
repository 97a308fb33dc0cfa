#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/token_choice.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

namespace {

constexpr int columns = 4;
constexpr int rows = 2;
// A vocabulary on a mesh, whose logits are written instead of computed.
class choosing_mesh {
 public:
  explicit choosing_mesh(int vocabulary)
      : sram_(fp16), choice_(make(vocabulary)), mesh_(fabric::wse2_chip(), columns, rows) {
    choice_.write_counters(mesh_);
  }

  int greedy(const vector& logits) { return sampled(logits, 0, 0, 0); }
  int sampled(const vector& logits, double temperature, std::uint64_t seed, std::int64_t position) {
    for_each_core([&](fabric::coordinate at) {
      vector own;
      for (int t = 0; t < choice_.tokens; ++t) {
        const auto token = static_cast<std::size_t>(at.column * choice_.tokens + t);
        own.push_back(token < logits.size() ? logits[token] : 0);
      }
      mesh_.write(at, choice_.logits, fp16, own);
    });
    choice_.write_noise(mesh_, temperature, seed, position);
    mesh_.run(choice_.kernels(temperature));
    const int token = choice_.chosen(mesh_);
    for_each_core([&](fabric::coordinate at) {
      CHECK(mesh_.read(at, choice_.token, fabric::element_type::int32, 1) == vector{static_cast<double>(token)});
    });
    return token;
  }

 private:
  token_choice make(int vocabulary) {
    const int logits = sram_.take(base::ceil_div(vocabulary, columns));
    return {vocabulary, columns, logits, sram_};
  }
  void for_each_core(const std::function<void(fabric::coordinate)>& visit) const {
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        visit({column, row});
  }
  address_counter sram_;
  token_choice choice_;
  mesh_machine mesh_;
};

int first_largest(const vector& v) {
  return static_cast<int>(std::max_element(v.begin(), v.end()) - v.begin());
}

}  // namespace

TEST_CASE("the greedy token is the first of the largest logits, of all signs and sizes") {
  for (const int vocabulary : {4, 5, 13, 64})
    for (const double scale : {0.001, 1.0, 2000.0})
      for (const double centre : {0.0, -5.0}) {
        choosing_mesh mesh(vocabulary);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
          const vector logits = random_vector(seed, vocabulary, scale, centre * scale);
          INFO("seed " << seed << ", " << vocabulary << " tokens, scale " << scale << ", centre " << centre * scale);
          CHECK(mesh.greedy(logits) == first_largest(logits));
        }
      }
}

TEST_CASE("among equal logits the lowest token wins, in a column and across columns") {
  choosing_mesh mesh(16);
  for (const double value : {3.0, 0.0, -3.0})
    for (const int first : {0, 2, 7, 15}) {
      vector logits(16, value - 1);
      for (int token = first; token < 16; token += 1)
        logits[static_cast<std::size_t>(token)] = value;
      INFO("value " << value << ", first " << first);
      CHECK(mesh.greedy(logits) == first);
    }
  // Zeros of both signs are equal.
  vector zeros(16, -0.0);
  zeros[9] = 0.0;
  CHECK(mesh.greedy(zeros) == 0);
}

TEST_CASE("tokens beyond the vocabulary never win") {
  choosing_mesh mesh(13);  // of 16 places
  CHECK(mesh.greedy(vector(13, -100)) == 0);
  for (std::int64_t position = 0; position < 20; ++position)
    CHECK(mesh.sampled(vector(13, -100), 0.5, 3, position) < 13);
}

TEST_CASE("sampling is the arg-max of noisy logits, the same for the same seed and position") {
  constexpr int vocabulary = 37;
  const double temperature = 0.7;
  choosing_mesh mesh(vocabulary);
  const std::uint64_t seed = 77;
  const vector logits = random_vector(seed, vocabulary, 3);
  for (std::int64_t position = 0; position < 10; ++position) {
    vector noisy;
    for (int token = 0; token < vocabulary; ++token) {
      const double cooled = rounded(logits[static_cast<std::size_t>(token)] * rounded(1 / temperature));
      noisy.push_back(rounded(cooled + rounded(gumbel(seed, position, token))));
    }
    INFO("seed " << seed << ", position " << position);
    const int token = mesh.sampled(logits, temperature, seed, position);
    CHECK(token == first_largest(noisy));
    CHECK(mesh.sampled(logits, temperature, seed, position) == token);
  }
}

TEST_CASE("sampled tokens are as frequent as their softmax says") {
  constexpr int vocabulary = 6;
  constexpr int draws = 1500;
  const double temperature = 1.25;
  const vector logits{2, 1, 0.5, 0, -1, 1.5};
  choosing_mesh mesh(vocabulary);
  vector counts(vocabulary, 0);
  const std::uint64_t seed = 5;
  for (std::int64_t position = 0; position < draws; ++position)
    counts[static_cast<std::size_t>(mesh.sampled(logits, temperature, seed, position))] += 1;
  vector cooled;
  for (const double l : logits)
    cooled.push_back(l / temperature);
  const vector expected = softmax(cooled);
  double chi_square = 0;
  for (std::size_t t = 0; t < vocabulary; ++t)
    chi_square += std::pow(counts[t] - draws * expected[t], 2) / (draws * expected[t]);
  INFO("seed " << seed);
  CHECK(chi_square < 20.5);  // exceeded by chance once in a thousand seeds (5 degrees of freedom)
}

TEST_CASE("a column that cannot count its tokens is refused") {
  address_counter sram(fp16);
  CHECK_THROWS_WITH(token_choice(100000, 3, 0, sram), Catch::Contains("a column chooses among 32768 at most"));
}
