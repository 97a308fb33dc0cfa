#include <set>

#include "tests/unit/kernels/tiny_logits.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

// Scores of a mesh, row after row; columns of a row hold the same.
using places = std::set<int>;

places chosen_on_mesh(const vector& scores, const std::vector<bool>& occupied, int rows, int columns, int best,
                      base::cycles* took = nullptr) {
  const int n = static_cast<int>(scores.size()) / rows;
  address_counter sram(fp16);
  const int address = sram.take(n);
  const int mask = sram.take(n);
  const int selection = sram.take(n);
  const top_k_search search(n, best, fp16, sram);
  std::vector<mesh_kernel> kernels = search.kernels(address, collectives::axis::column);
  search.add_mask(kernels.back().after, address, mask, selection);
  mesh_machine mesh(fabric::wse2_chip(), columns, rows);
  const auto place = [n](fabric::coordinate at, int i) { return static_cast<std::size_t>(at.row * n + i); };
  write_tiles(mesh, mask, 1, n,
              [&](fabric::coordinate at, int, int i) { return occupied[place(at, i)] ? 0 : nothing_here; });
  write_tiles(mesh, address, 1, n, [&](fabric::coordinate at, int, int i) {
    return scores[place(at, i)] + (occupied[place(at, i)] ? 0 : nothing_here);
  });
  const base::cycles cycles = mesh.run(kernels);
  if (took != nullptr) *took = cycles;
  places chosen;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const vector got = mesh.read({column, row}, selection, fp16, n);
      places of_row;
      for (int i = 0; i < n; ++i) {
        const double m = got[static_cast<std::size_t>(i)];
        REQUIRE((m == 0 || m == rounded(nothing_here)));
        if (m == 0) of_row.insert(row * n + i);
      }
      if (column > 0)
        for (const int i : of_row)
          REQUIRE(chosen.count(i) == 1);
      chosen.insert(of_row.begin(), of_row.end());
    }
  return chosen;
}

places chosen_on_host(const vector& scores, const std::vector<bool>& occupied, int best) {
  vector order;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (occupied[i]) order.push_back(scores[i]);
  std::sort(order.rbegin(), order.rend());
  const std::size_t k = std::min(order.size(), static_cast<std::size_t>(best));
  places chosen;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (occupied[i] && scores[i] >= order[k - 1]) chosen.insert(static_cast<int>(i));
  return chosen;
}

}  // namespace

TEST_CASE("the search chooses the host's best scores, with all that tie with the last of them") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    base::random_stream random(seed);
    const int rows = 2 + static_cast<int>(random.below(7));
    const int n = 1 + static_cast<int>(random.below(12));
    const int best = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(rows * n)));
    const bool coarse = seed % 3 == 0;  // many ties, zeros of both signs
    vector scores;
    std::vector<bool> occupied;
    for (int i = 0; i < rows * n; ++i) {
      const double size = std::pow(10.0, 6 * random.uniform() - 3);
      const double sign = random.below(2) == 0 ? -1 : 1;
      scores.push_back(coarse ? sign * static_cast<double>(random.below(4)) : rounded(sign * size * random.uniform()));
      occupied.push_back(i == 0 || random.below(8) != 0);
    }
    INFO("seed " << seed << ": " << rows << " rows of " << n << ", best " << best);
    CHECK(chosen_on_mesh(scores, occupied, rows, 2, best) == chosen_on_host(scores, occupied, best));
  }
}

TEST_CASE("the search goes down to the last bit of a score") {
  // Neighbouring numbers of 16 bit around 1, where the step changes.
  const vector scores = {1 - 0x1p-11, 1, 1 + 0x1p-10, 1 - 0x1p-10, -1, -1 - 0x1p-10, -1 + 0x1p-11, 0x1p-24};
  const std::vector<bool> all(scores.size(), true);
  CHECK(chosen_on_mesh(scores, all, 4, 2, 1) == places{2});
  CHECK(chosen_on_mesh(scores, all, 4, 2, 2) == places{1, 2});
  CHECK(chosen_on_mesh(scores, all, 4, 2, 4) == places{0, 1, 2, 3});
  CHECK(chosen_on_mesh(scores, all, 4, 2, 6) == places{0, 1, 2, 3, 6, 7});
  CHECK(chosen_on_mesh(scores, all, 4, 2, 7) == places{0, 1, 2, 3, 4, 6, 7});
}

TEST_CASE("a search takes the same time whatever the scores are") {
  const std::vector<bool> all(64, true);
  base::cycles first;
  base::cycles second;
  chosen_on_mesh(random_vector(1, 64), all, 8, 2, 5, &first);
  chosen_on_mesh(random_vector(2, 64, 100), all, 8, 2, 40, &second);
  CHECK(first == second);
}

TEST_CASE("attention to the tokens that an index chooses gives the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  const latent_attention_dimensions d{4, 32, 32, 1 / std::sqrt(48.0), positions, index_dimensions{8, 32, 6}};
  m.add<tiny_latent_attention>(9000, d, stream, sram);
  m.add<tiny_feed_forward>(9500, 128, stream, sram);
  m.add<tiny_latent_attention>(10000, d, stream, sram);
  m.add<tiny_experts>(10500, expert_dimensions{8, 2, 32, 4}, stream, sram);
  check_logits(m, stream, sram, 465);
}
