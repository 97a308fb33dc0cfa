#include "firmware_stubs/kernels/chosen_experts.h"

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "tests/unit/kernels/tiny_logits.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

class tiny_chosen_experts : public tiny_experts {
 public:
  using tiny_experts::tiny_experts;

  void run(mesh_machine& mesh, int) const override {
    mesh.run(block_.route(stream_));
    mesh.run(chosen_experts(block_, stream_, fabric::wse2_chip()));
    mesh.run(block_.combine(stream_));
  }
  // The experts with weights by hand instead of a router; the cycles up to the end of the block.
  std::int64_t run_with(mesh_machine& mesh, const vector& weights) const {
    load(mesh);
    const int part = mesh.columns() / d_.groups;
    write_along_rows(mesh, stream_.normalised, stream_.elements, random_vector(1, stream_.total));
    write_tiles(mesh, block_.own, 1, block_.held, [&](fabric::coordinate at, int, int e) {
      return weights[static_cast<std::size_t>(at.column / part * block_.held + e)];
    });
    const base::cycles experts = mesh.run(chosen_experts(block_, stream_, fabric::wse2_chip()));
    return (experts + mesh.run(block_.combine(stream_))).value();
  }
  vector weighted(const vector& weights) const {
    const vector y = random_vector(1, stream_.total);
    vector up = up_.times(y);
    const vector gate = gate_.times(y);
    for (std::size_t i = 0; i < up.size(); ++i)
      up[i] *= silu(gate[i]) * weights[i / static_cast<std::size_t>(d_.width)];
    return down_.times(up);
  }
  fabric::program with_assumed(std::optional<int> assumed) const {
    return chosen_experts(block_, stream_, fabric::wse2_chip(), {}, assumed);
  }
  std::int64_t combined(mesh_machine& mesh) const { return mesh.run(block_.combine(stream_)).value(); }
  std::int64_t all_computed(mesh_machine& mesh) const {
    const std::vector<mesh_kernel> all = block_.kernels(stream_);
    return mesh.run(std::vector<mesh_kernel>(all.begin() + 2, all.end())).value();
  }
};

// 16 experts in 4 groups of 4.
struct placed_experts {
  explicit placed_experts(int hidden_width = 24, int expert_width = 16)
      : stream(hidden_width, 8, 6, fp16, 1e-5, sram),
        experts(40, expert_dimensions{16, 2, expert_width, 4}, stream, sram),
        mesh(fabric::wse2_chip(), 8, 6) {}

  address_counter sram{fp16};
  residual_stream stream;
  tiny_chosen_experts experts;
  mesh_machine mesh;
};

}  // namespace

TEST_CASE("any set of experts can be chosen, and only those count") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    base::random_stream random(seed);
    vector weights;
    for (int e = 0; e < 16; ++e)
      weights.push_back(random.below(3) == 0 ? rounded(random.uniform()) : 0);
    placed_experts placed;
    placed.experts.run_with(placed.mesh, weights);
    const vector expected = placed.experts.weighted(weights);
    const vector got = read_activation(placed.mesh, placed.stream);  // was zero
    INFO("seed " << seed);
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(std::abs(got[i] - expected[i]) < tolerance);
  }
}

TEST_CASE("the time is that of the group with most chosen experts") {
  placed_experts placed(96, 128);
  const auto cycles = [&](const std::vector<int>& chosen) {
    vector weights(16, 0);
    for (const int e : chosen)
      weights[static_cast<std::size_t>(e)] = 0.5;
    return placed.experts.run_with(placed.mesh, weights);
  };
  const auto none = cycles({});
  const auto one = cycles({5});
  const auto two = cycles({5, 6});
  CHECK(none < one / 4);
  CHECK(cycles({9}) == one);
  CHECK(cycles({1, 5, 9, 13}) == one);
  CHECK(cycles({1, 2, 5, 14}) == two);
  CHECK(10 * (two - one) > 8 * (one - none));
  CHECK(10 * (two - one) < 12 * (one - none));
  const auto all = placed.experts.all_computed(placed.mesh);
  INFO("none " << none << ", one " << one << ", two " << two << ", four " << cycles({0, 1, 2, 3}) << ", all computed "
               << all);
  CHECK(2 * one < all);
  CHECK(two < all);
}

TEST_CASE("without values a number of experts is assumed, or the run is refused") {
  placed_experts placed;
  const fabric::fabric_chip chip = fabric::wse2_chip();
  for (const int assumed : {0, 1, 3}) {
    vector weights(16, 0);
    for (int group = 0; group < 4; ++group)
      for (int e = 0; e < assumed; ++e)
        weights[static_cast<std::size_t>(4 * group + e)] = 0.5;
    const std::int64_t combine = placed.experts.combined(placed.mesh);
    const std::int64_t with_values = placed.experts.run_with(placed.mesh, weights) - combine;
    const fabric::program p = placed.experts.with_assumed(assumed);
    fabric::wavelet_engine wavelet(p, chip);
    CHECK(collectives::cycles_between_marks(wavelet.run()).value() == with_values);
    fabric::burst_engine burst(p, chip);
    const auto cycles = static_cast<double>(collectives::cycles_between_marks(burst.run()).value());
    CHECK(cycles == Approx(static_cast<double>(with_values)).epsilon(0.05));
  }
  CHECK_THROWS_WITH(fabric::wavelet_engine(placed.experts.with_assumed(std::nullopt), chip),
                    Catch::Contains("this depends on data"));
}

TEST_CASE("layers that compute chosen experts only give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  m.add<tiny_latent_attention>(18000, latent_attention_dimensions{4, 32, 32, 1 / std::sqrt(48.0), positions}, stream,
                               sram);
  m.add<tiny_chosen_experts>(18500, expert_dimensions{8, 2, 32, 4}, stream, sram);
  m.add<tiny_grouped_attention>(19000, grouped_attention_dimensions{2, 2, 16, positions}, stream, sram);
  m.add<tiny_chosen_experts>(19500, expert_dimensions{8, 3, 32, 2}, stream, sram);
  check_logits(m, stream, sram, 37);
}
