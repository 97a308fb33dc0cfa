#include <catch2/catch.hpp>

#include "tests/unit/serving/echo_chain.h"

using namespace scribeline::serving;

TEST_CASE("a request of one user: first token after one round trip, then one more for every token") {
  workload load;
  load.requests = 2;
  load.prompt_tokens = 5;
  load.output_tokens = 4;
  serving_bench bench(load);
  bench.run();
  REQUIRE(bench.host->done());
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& r = bench.record(i);
    INFO("request " << i);
    CHECK(r.arrival_ps == i * ps(4 * round_trip));  // when the first is answered the user asks again
    CHECK(r.ttft_ps() == ps(round_trip));
    CHECK(r.latency_ps() == ps(4 * round_trip));
    CHECK(r.tpot_ps() == Approx(round_trip * 1000).epsilon(1e-12));
    CHECK(r.emitted == 4);
    CHECK(r.passes == 3);
  }
  CHECK(bench.host->token_gaps_ps() == std::vector<std::uint64_t>(6, ps(round_trip)));
  CHECK(bench.host->decode_passes() == 6);
  CHECK(bench.host->decode_return_ps() == 6 * ps(1006.72));
}

TEST_CASE("three requests of two users, by hand: TTFT and its parts, TPOT, latency") {
  workload load;
  load.users = 2;
  load.requests = 3;
  load.prompt_tokens = 40;
  load.output_tokens = 2;
  load.chunk_tokens = 16;
  serving_bench bench(load);
  bench.run();
  REQUIRE(bench.host->done());

  // Chunks of 16, 16 and 8 tokens (64, 64 and 32 B) of both users leave back to back at time 0: the last bits of
  // the two last chunks arrive 2 x 8.16 + 6.72 = 23.04 and 46.08 ns behind the latency.
  const double first[] = {1023.04 + 5000 + 1006.72, 1046.08 + 5000 + 1006.72};
  CHECK(bench.record(0).arrival_ps == 0);
  CHECK(bench.record(1).arrival_ps == 0);
  CHECK(bench.record(0).ttft_ps() == ps(first[0]));
  CHECK(bench.record(1).ttft_ps() == ps(first[1]));
  // The third arrives when the first is answered and finds the link free.
  CHECK(bench.record(2).arrival_ps == ps(first[0] + round_trip));
  CHECK(bench.record(2).ttft_ps() == ps(first[0]));

  const double to_chain[] = {1023.04, 1046.08, 1023.04};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& r = bench.record(i);
    INFO("request " << i);
    CHECK(r.queue_ps() == 0);
    CHECK(r.transfer_ps == ps(to_chain[i] + 1006.72));
    CHECK(r.first_decode_ps == echo_chain::last_stage_ps);
    CHECK(r.prefill_ps() == ps(5000 - 700));
    CHECK(r.queue_ps() + r.prefill_ps() + r.transfer_ps + r.first_decode_ps == r.ttft_ps());
    CHECK(r.tpot_ps() == Approx(round_trip * 1000).epsilon(1e-12));
    CHECK(r.latency_ps() == r.ttft_ps() + ps(round_trip));
  }
}

TEST_CASE("a request of one token is done with its prompt and has no time per token") {
  workload load;
  load.output_tokens = 1;
  load.prompt_tokens = 1;
  serving_bench bench(load);
  bench.run();
  REQUIRE(bench.host->done());
  CHECK(bench.record(0).latency_ps() == bench.record(0).ttft_ps());
  CHECK(bench.record(0).tpot_ps() == 0);
  CHECK(bench.record(0).passes == 0);
  CHECK(bench.host->token_gaps_ps().empty());
}

TEST_CASE("requests whose cache is refused wait their turn, and the wait is their queue time") {
  workload load;
  load.users = 3;
  load.requests = 3;
  load.prompt_tokens = 5;
  load.output_tokens = 2;
  serving_bench bench(load, 5000, 1);
  bench.run();
  REQUIRE(bench.host->done());
  CHECK(bench.admission.most == 1);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(bench.record(i).arrival_ps == 0);
    CHECK(bench.record(i).queue_ps() == i * ps(2 * round_trip));
    CHECK(bench.record(i).ttft_ps() == bench.record(i).queue_ps() + ps(round_trip));
  }
}

TEST_CASE("a limit on running requests holds others back in the same way") {
  workload load;
  load.users = 3;
  load.requests = 3;
  load.prompt_tokens = 5;
  load.output_tokens = 2;
  load.most_in_flight = 2;
  serving_bench bench(load);
  bench.run();
  REQUIRE(bench.host->done());
  CHECK(bench.admission.most == 2);
  CHECK(bench.record(0).queue_ps() == 0);
  CHECK(bench.record(1).queue_ps() == 0);
  CHECK(bench.record(2).queue_ps() == ps(2 * round_trip));
}

TEST_CASE("a host that cannot go on says which requests wait, and for what") {
  workload load;
  load.users = 3;
  load.requests = 3;
  load.prompt_tokens = 5;
  load.output_tokens = 2;
  serving_bench memory(load, 5000, 2, "memory");
  load.most_in_flight = 1;
  serving_bench limit(load, 5000, 10, "limit");
  sc_core::sc_start(ns(round_trip + 100));
  CHECK_THAT(memory.host->why_blocked(),
             Catch::Contains("1 requests wait for cache space, request 2 first") &&
                 Catch::Contains("request 0 waits for a token from the last stage (1 of 2 tokens out)"));
  CHECK_THAT(limit.host->why_blocked(),
             Catch::Contains("2 requests wait for one of the 1 that may run to finish, request 1 first"));
  sc_core::sc_start();
  CHECK(memory.host->done());
  CHECK(memory.host->why_blocked().empty());
}
