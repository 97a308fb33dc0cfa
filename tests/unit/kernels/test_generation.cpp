// From a prompt of tokens to the tokens of an answer, with every product, norm and choice on the mesh. The host looks
// up embeddings and writes noise.
#include <catch2/catch.hpp>

#include "tests/unit/kernels/prompted_decoder.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

constexpr int answer = 12;

vector embedding(std::uint64_t seed, int token) {
  return random_vector(seed + 5000 + static_cast<std::uint64_t>(token), prompted_decoder::hidden);
}

// The largest logit, and how far ahead it is.
struct winner {
  explicit winner(const vector& logits) {
    token = static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    vector sorted = logits;
    std::sort(sorted.rbegin(), sorted.rend());
    lead = sorted[0] - sorted[1];
  }
  int token;
  double lead;
};

void check_answer(std::uint64_t seed, double temperature) {
  prompted_decoder model(seed, 2, {2, 2, 16, prompted_decoder::positions}, 16);
  const std::vector<int> prompt{5, 17, 80, 3, 3, 41, 9};
  std::vector<vector> tokens;
  for (const int token : prompt)
    tokens.push_back(embedding(seed, token));
  mesh_machine mesh(fabric::wse2_chip(), prompted_decoder::side, prompted_decoder::side);
  model.load(mesh);
  model.prefill(mesh, tokens);
  model.hand_over_last(mesh, static_cast<int>(prompt.size()));
  vector on_host;
  int position = 0;
  for (; position < static_cast<int>(prompt.size()); ++position)
    on_host = model.on_host(tokens[static_cast<std::size_t>(position)], position);
  int clear = 0;
  for (int i = 0; i < answer; ++i, ++position) {
    INFO("seed " << seed << ", temperature " << temperature << ", position " << position);
    model.head.choice.write_noise(mesh, temperature, seed, position);
    mesh.run(model.head.kernels(model.stream, temperature));
    const int token = model.head.choice.chosen(mesh);
    vector logits = model.logits_on_host(on_host);
    if (temperature > 0)
      for (int t = 0; t < prompted_decoder::vocabulary; ++t) {
        double& logit = logits[static_cast<std::size_t>(t)];
        logit = logit / temperature + gumbel(seed, position, t);
      }
    const winner expected(logits);
    // Where two are closer than fp16 carries, either is right; the answer goes on with the mesh's.
    const double unsure = 2 * tolerance / (temperature > 0 ? std::min(temperature, 1.0) : 1.0);
    CHECK(logits[static_cast<std::size_t>(expected.token)] - logits[static_cast<std::size_t>(token)] <= unsure);
    if (expected.lead > unsure) {
      ++clear;
      CHECK(token == expected.token);
    }
    model.decode(mesh, embedding(seed, token), position);
    on_host = model.on_host(embedding(seed, token), position);
  }
  CHECK(clear >= answer / 2);
}

}  // namespace

TEST_CASE("a greedy answer to a prompt is the host's, token by token") {
  check_answer(61, 0);
}

TEST_CASE("a sampled answer to a prompt is the host's with the same noise, token by token") {
  check_answer(62, 0.8);
  check_answer(63, 1.5);
}
