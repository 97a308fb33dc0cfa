#include <catch2/catch.hpp>

#include "platforms/wafer_chain/wafer_chain.h"
#include "rtl_tlm/base/error.h"
#include "tests/unit/wafer_chain/tiny_chain.h"

using namespace scribeline;
using namespace scribeline::platforms;

TEST_CASE("a chain in which nothing moves any more says who waits for whom") {
  auto config = tiny_chain(tiny_dense());
  config.link.receive_buffer_bytes = 2500;  // a chunk of 8 tokens is a message of 1024 B: two fit
  const auto plan = plan_chain(config);
  wafer_chain chain("chain", config, plan);
  // A wafer that takes messages and does nothing with them, as one without its firmware would.
  chain.wafers[2].upstream.on_message([](link::delivery&) {});
  std::string text;
  try {
    chain.run(sc_core::sc_time(1, sc_core::SC_MS), [] { return false; });
  } catch (const base::no_progress& problem) {
    text = problem.what();
  }
  INFO(text);
  CHECK_THAT(text, Catch::Contains("nothing moves any more at 1 ms with 0 of 1 requests answered") &&
                       Catch::Contains("host: request 0 waits for its prompt to be processed (0 of 5 tokens out)") &&
                       Catch::Contains("chain.wafer_2.upstream: 2 delivered messages hold the receive buffer") &&
                       Catch::Contains("chain.wafer_1.downstream: 1 messages (512 B) wait on virtual channel 0 for "
                                       "chain.wafer_2.upstream to free its receive buffer"));
}
