#include <catch2/catch.hpp>

#include "tests/unit/serving/echo_chain.h"

using namespace scribeline::serving;

namespace {

workload speculating(std::vector<double> acceptance, std::uint64_t output_tokens) {
  workload load;
  load.prompt_tokens = 7;
  load.output_tokens = output_tokens;
  load.acceptance = std::move(acceptance);
  return load;
}

}  // namespace

TEST_CASE("drafts that are never accepted bring one token a pass, those that always are bring all and one more") {
  serving_bench never(speculating({0, 0}, 10), 5000, 10, "never");
  serving_bench always(speculating({1, 1}, 10), 5000, 10, "always");
  serving_bench first(speculating({1, 0}, 9), 5000, 10, "first");
  sc_core::sc_start();
  CHECK(never.record(0).passes == 9);
  CHECK(never.record(0).latency_ps() == ps(10 * round_trip));
  CHECK(always.record(0).passes == 3);
  CHECK(always.record(0).latency_ps() == ps(4 * round_trip));
  CHECK(first.record(0).passes == 4);
  for (const auto* bench : {&never, &always})
    CHECK(bench->record(0).emitted == 10);

  // Passes carry the last token and the drafts; the cache grows by what was accepted.
  const auto& seen = always.chain->seen;
  REQUIRE(seen.size() == 4);
  CHECK(seen[1].tokens == 3);
  CHECK(seen[1].context == 7);
  CHECK(seen[2].context == 10);
  CHECK(seen[3].context == 13);
  CHECK(never.chain->seen[1].tokens == 3);
  CHECK(never.chain->seen[2].context == 8);
}

TEST_CASE("tokens of one pass arrive together: one gap, then none") {
  serving_bench bench(speculating({1, 1}, 7));
  bench.run();
  const std::uint64_t gap = ps(round_trip);
  CHECK(bench.host->token_gaps_ps() == std::vector<std::uint64_t>{gap, 0, 0, gap, 0, 0});
  CHECK(bench.record(0).tpot_ps() == Approx(round_trip * 1000 / 3).epsilon(1e-12));
}

TEST_CASE("no more is drafted than the request still wants") {
  serving_bench bench(speculating({1, 1, 1, 1}, 3));
  bench.run();
  REQUIRE(bench.chain->seen.size() == 2);
  CHECK(bench.chain->seen[1].tokens == 2);
  CHECK(bench.record(0).emitted == 3);
}

TEST_CASE("acceptance follows the table: a draft counts only once those before it were accepted") {
  serving_bench bench(speculating({0.8, 0.5, 0.25}, 6001));
  bench.run();
  // 1 + 0.8 + 0.8 x 0.5 + 0.8 x 0.5 x 0.25 = 2.3 tokens a pass; one standard deviation is about 1 %.
  const double per_pass = 6000.0 / static_cast<double>(bench.record(0).passes);
  CHECK(per_pass == Approx(2.3).epsilon(0.05));
}

TEST_CASE("acceptance repeats with the seed and differs with another, and between requests") {
  auto load = speculating({0.5, 0.5}, 200);
  load.requests = 2;
  serving_bench a(load, 5000, 10, "a"), b(load, 5000, 10, "b");
  load.seed = 2;
  serving_bench c(load, 5000, 10, "c");
  sc_core::sc_start();
  CHECK(a.host->token_gaps_ps() == b.host->token_gaps_ps());
  CHECK(a.host->token_gaps_ps() != c.host->token_gaps_ps());
  const auto& gaps = a.host->token_gaps_ps();
  CHECK(std::vector<std::uint64_t>(gaps.begin(), gaps.begin() + 199) !=
        std::vector<std::uint64_t>(gaps.begin() + 199, gaps.end()));
}

TEST_CASE("making drafts delays the passes that have some, and no other") {
  auto load = speculating({1}, 4);
  load.draft_latency_ns = 300;
  serving_bench drafting(load, 5000, 10, "drafting");
  load.acceptance.clear();
  serving_bench plain(load, 5000, 10, "plain");
  sc_core::sc_start();
  // Prompt; two tokens with a draft; the last token, for which none is needed.
  CHECK(drafting.record(0).latency_ps() == ps(3 * round_trip + 300));
  CHECK(plain.record(0).latency_ps() == ps(4 * round_trip));
}
