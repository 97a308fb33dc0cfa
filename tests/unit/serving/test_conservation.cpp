#include <catch2/catch.hpp>
#include <deque>

#include "rtl_tlm/base/random.h"
#include "tests/unit/serving/echo_chain.h"

using namespace scribeline::serving;
using scribeline::base::random_stream;

namespace {

workload random_workload(random_stream& random) {
  workload load;
  load.arrivals = random.below(2) ? arrival_process::closed : arrival_process::poisson;
  load.users = 1 + random.below(8);
  load.rate_per_s = 1e4 + 1e6 * random.uniform();
  load.requests = 1 + random.below(30);
  load.prompt_tokens = 1 + random.below(100);
  load.cached_tokens = random.below(2) ? random.below(load.prompt_tokens) : 0;
  load.output_tokens = 1 + random.below(20);
  load.most_in_flight = random.below(5);
  load.chunk_tokens = 1 + random.below(40);
  load.chunks_in_flight = 1 + random.below(5);
  load.acceptance.resize(random.below(4));
  for (double& a : load.acceptance)
    a = random.uniform();
  load.draft_latency_ns = 100 * random.uniform();
  load.seed = random.next();
  return load;
}

}  // namespace

TEST_CASE("every request of a random workload arrives, is granted, answered in full and given back, once") {
  const std::uint64_t seed = 20260805;
  INFO("seed " << seed);
  random_stream random(seed);
  std::deque<workload> loads;
  std::deque<std::uint64_t> rooms;
  std::deque<serving_bench> benches;
  for (int i = 0; i < 60; ++i) {
    loads.push_back(random_workload(random));
    rooms.push_back(1 + random.below(6));
    benches.emplace_back(loads.back(), 1000 + 10000 * random.uniform(), rooms.back(), "bench_" + std::to_string(i));
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < benches.size(); ++i) {
    const auto& load = loads[i];
    const auto& bench = benches[i];
    INFO("workload " << i << ": " << load.requests << " requests of " << load.prompt_tokens << " + "
                     << load.output_tokens << " tokens, " << load.users << " users");
    REQUIRE(bench.host->done());
    CHECK(bench.host->why_blocked().empty());
    CHECK(bench.host->finished() == load.requests);
    CHECK(bench.host->records().size() == load.requests);
    CHECK(bench.host->tokens_emitted() == load.requests * load.output_tokens);
    CHECK(bench.host->token_gaps_ps().size() == load.requests * (load.output_tokens - 1));
    CHECK(bench.admission.admitted == load.requests);
    CHECK(bench.admission.retired == load.requests);
    CHECK(bench.admission.now == 0);
    CHECK(bench.admission.most <= rooms[i]);
    if (load.most_in_flight) CHECK(bench.admission.most <= load.most_in_flight);

    std::uint64_t prompt_tokens = 0, passes = 0, started_before = 0;
    for (const auto& p : bench.chain->seen) {
      const bool prefill = p.flags & scribeline::wafer::message_flag::prefill;
      if (prefill) prompt_tokens += p.tokens;
      CHECK(p.tokens <= (prefill ? load.chunk_tokens : 1 + load.acceptance.size()));
      CHECK(p.context + p.tokens <= load.prompt_tokens + load.output_tokens);
    }
    CHECK(prompt_tokens == load.requests * (load.prompt_tokens - load.cached_tokens));
    for (const auto& r : bench.host->records()) {
      INFO("request " << r.what.id);
      CHECK(r.finished());
      CHECK(r.arrival_ps <= r.started_ps);
      CHECK(started_before <= r.started_ps);  // in the order of arrival
      CHECK(r.started_ps < r.first_token_ps);
      CHECK(r.first_token_ps <= r.last_token_ps);
      CHECK(r.queue_ps() + r.prefill_ps() + r.transfer_ps + r.first_decode_ps == r.ttft_ps());
      CHECK(r.prefill_ps() < r.ttft_ps());  // unsigned: a negative rest would be huge
      started_before = r.started_ps;
      passes += r.passes;
    }
    CHECK(bench.host->decode_passes() == passes);
  }
}
