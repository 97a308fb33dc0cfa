#include <catch2/catch.hpp>

#include "tests/unit/serving/echo_chain.h"

using namespace scribeline::serving;
namespace flag = scribeline::wafer::message_flag;

TEST_CASE("a prompt goes out in chunks, each behind the positions before it, the last one marked") {
  workload load;
  load.prompt_tokens = 40;
  load.chunk_tokens = 16;
  load.output_tokens = 3;
  serving_bench bench(load);
  bench.run();
  const auto& seen = bench.chain->seen;
  REQUIRE(seen.size() == 5);
  const std::uint64_t tokens[] = {16, 16, 8, 1, 1}, context[] = {0, 16, 32, 40, 41};
  const std::uint64_t flags[] = {flag::prefill, flag::prefill, flag::prefill | flag::emits | flag::last_chunk,
                                 flag::emits, flag::emits};
  for (std::size_t i = 0; i < 5; ++i) {
    INFO("pass " << i);
    CHECK(seen[i].request == 0);
    CHECK(seen[i].tokens == tokens[i]);
    CHECK(seen[i].context == context[i]);
    CHECK(seen[i].flags == flags[i]);
    CHECK(seen[i].bytes == 4 * tokens[i]);
  }
}

TEST_CASE("what is cached of a prompt is not sent again, but for its last token") {
  workload load;
  load.prompt_tokens = 40;
  load.chunk_tokens = 16;
  load.output_tokens = 1;
  load.cached_tokens = 30;
  serving_bench part(load, 5000, 10, "part");
  load.cached_tokens = 40;
  serving_bench all(load, 5000, 10, "all");
  sc_core::sc_start();
  REQUIRE(part.chain->seen.size() == 1);
  CHECK(part.chain->seen[0].tokens == 10);
  CHECK(part.chain->seen[0].context == 30);
  REQUIRE(all.chain->seen.size() == 1);
  CHECK(all.chain->seen[0].tokens == 1);
  CHECK(all.chain->seen[0].context == 39);
}

TEST_CASE("no more chunks of a prompt are unanswered than the window allows") {
  workload load;
  load.prompt_tokens = 100;
  load.chunk_tokens = 10;
  load.output_tokens = 1;
  const auto finished_at = [&](serving_bench& bench) { return bench.record(0).first_token_ps; };
  load.chunks_in_flight = 1;
  serving_bench one(load, 5000, 10, "one");
  load.chunks_in_flight = 3;
  serving_bench three(load, 5000, 10, "three");
  load.chunks_in_flight = 1000;
  serving_bench all(load, 5000, 10, "all");
  sc_core::sc_start();
  CHECK(one.chain->most_under_way == 1);
  CHECK(three.chain->most_under_way == 3);
  CHECK(all.chain->most_under_way == 10);
  CHECK(finished_at(one) == 10 * ps(round_trip));
  // Ten frames of 40 B leave back to back.
  CHECK(finished_at(all) == ps(round_trip + 9 * 6.72));
  CHECK(finished_at(three) > finished_at(all));
  CHECK(finished_at(three) < finished_at(one));
}
