#include <catch2/catch.hpp>

#include "firmware_stubs/kernels/expert_choice.h"
#include "firmware_stubs/tiny_model/tiny_model.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::tiny_model;

namespace {

// The softmax over the best scores, zero elsewhere.
vector chosen_weights(const vector& scores, int chosen) {
  vector sorted = scores;
  std::sort(sorted.rbegin(), sorted.rend());
  const double last = sorted[static_cast<std::size_t>(chosen - 1)];
  double sum = 0;
  vector weights;
  for (const double s : scores) {
    weights.push_back(s >= last ? std::exp(s - sorted[0]) : 0);
    sum += weights.back();
  }
  for (double& w : weights)
    w /= sum;
  return weights;
}

}  // namespace

TEST_CASE("a line of cores that rank a share of the experts each, and one core for itself, choose the best ones") {
  const std::uint64_t seed = 20261204;
  INFO("seed " << seed);
  base::random_stream random(seed);
  for (int i = 0; i < 12; ++i) {
    const int columns = 2 + static_cast<int>(random.below(5));
    const int own = 1 + static_cast<int>(random.below(3));
    const int experts = columns * own;
    const int chosen = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(experts)));
    const vector scores = random_vector(seed + i, experts, 2);
    const vector expected = chosen_weights(scores, chosen);
    INFO(experts << " experts, " << chosen << " chosen, " << columns << " cores");

    address_counter sram(fp16);
    expert_rank rank;
    rank.experts = experts;
    rank.chosen = chosen;
    rank.own = own;
    rank.scores = sram.take(experts);
    rank.own_scores = fabric::affine(rank.scores, own * fabric::bytes_of(fp16), 0);
    rank.weights = sram.take(own);
    rank.sum = sram.take(1);
    rank.hit = sram.take(experts);
    rank.count = sram.take(own);
    rank.best = sram.take(1);
    mesh_kernel kernel;
    kernel.name = "rank";
    add_expert_rank(kernel.before, rank);
    kernel.reduce = reduction{collectives::axis::row, {fp16, 1, rank.sum, fabric::opcode::add}};
    add_rank_division(kernel.after, rank);
    mesh_machine mesh(fabric::wse3_chip(), columns, 2);
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < columns; ++column)
        mesh.write({column, row}, rank.scores, fp16, scores);
    mesh.run(kernel);
    for (int e = 0; e < experts; ++e) {
      const double got = mesh.read({e / own, 1}, rank.weights, fp16, own)[static_cast<std::size_t>(e % own)];
      CHECK(std::abs(got - expected[static_cast<std::size_t>(e)]) <= 0.005);
    }

    expert_choice choice;
    choice.experts = experts;
    choice.chosen = chosen;
    choice.scores = rank.scores;
    choice.weights = sram.take(experts);
    choice.rest = sram.take(experts);
    choice.hit = sram.take(experts);
    choice.best = sram.take(3);
    mesh_kernel alone;
    alone.name = "choice";
    add_expert_choice(alone.before, choice);
    mesh_machine core(fabric::wse3_chip(), 1, 1);
    core.write({0, 0}, choice.scores, fp16, scores);
    core.run(alone);
    const vector got = core.read({0, 0}, choice.weights, fp16, experts);
    for (int e = 0; e < experts; ++e)
      CHECK(std::abs(got[static_cast<std::size_t>(e)] - expected[static_cast<std::size_t>(e)]) <= 0.005);
  }
}
