// The same logits over two wafers as on one mesh, and as on the host.
#include <catch2/catch.hpp>

#include "tests/unit/data_pipeline/tiny_pipeline.h"

using namespace scribeline;
using namespace scribeline::platforms;
using namespace scribeline::platforms::test;

namespace {

double largest_difference(const tiny_model::vector& a, const tiny_model::vector& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// More tokens than rows: caches go round them once.
constexpr int generated = 20;

void check_same_logits(const tiny_decoder_spec& spec, int wafers) {
  tiny_pipeline p(spec, wafers, pipeline_config({5}, generated));
  p.run();
  one_mesh reference(spec);
  tiny_decoder host(spec, 1, chip().sram_bytes);
  REQUIRE(p.machine->host.steps().size() == generated);
  int token = 5;
  for (const host_step& s : p.machine->host.steps()) {
    INFO("position " << s.step.position << ", seed " << spec.seed);
    REQUIRE(s.step.token == token);
    CHECK((s.vector == reference.decode(s.step)));
    CHECK(largest_difference(tiny_model::numbers_of(s.vector), host.logits_on_host(s.step)) < tolerance);
    REQUIRE(host.closest_call() > near_call);
    token = greedy(s.vector);
  }
}

}  // namespace

TEST_CASE("two wafers of grouped attention and dense feed-forward give the logits of one mesh and of the host") {
  check_same_logits(grouped_dense(), 2);
}

TEST_CASE("two wafers of latent attention and experts give the logits of one mesh and of the host") {
  check_same_logits(latent_experts(), 2);
}

TEST_CASE("two wafers of state-space layers give the logits of one mesh and of the host") {
  check_same_logits(state_space_experts(), 2);
}

TEST_CASE("three layers of all kinds over three wafers of 8 x 8 cores give the same logits") {
  tiny_decoder_spec spec = model_of({{mixer::state_space, feed_forward::dense},
                                     {mixer::grouped_attention, feed_forward::dense},
                                     {mixer::latent_attention, feed_forward::dense}});
  spec.side = 8;
  spec.hidden = 60;      // the last row's slice is padded
  spec.vocabulary = 61;  // and the last column's logits
  check_same_logits(spec, 3);
}

TEST_CASE("tokens of a prompt are under way together and give the same logits as one by one") {
  const tiny_decoder_spec spec = grouped_dense();
  const std::vector<int> prompt = {3, 1, 4, 1, 5, 9, 2, 6};
  tiny_pipeline p(spec, 2, pipeline_config(prompt, 4));
  p.run();
  one_mesh reference(spec);
  REQUIRE(p.machine->host.steps().size() == prompt.size() + 3);
  for (const host_step& s : p.machine->host.steps()) {
    INFO("position " << s.step.position);
    const auto position = static_cast<std::size_t>(s.step.position);
    if (position < prompt.size()) CHECK(s.step.token == prompt[position]);
    CHECK((s.vector == reference.decode(s.step)));
  }
  // Both wafers worked at the same time, on different tokens.
  int overlaps = 0;
  for (const wafer_step& first : p.machine->wafers[0].steps())
    for (const wafer_step& second : p.machine->wafers[1].steps())
      if (first.begun < second.left && second.begun < first.left) ++overlaps;
  CHECK(overlaps > 0);
}
