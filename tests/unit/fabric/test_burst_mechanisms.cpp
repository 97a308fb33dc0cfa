// Single mechanisms of the burst engine, against hand-computed cycles and against the wavelet engine.
#include <catch2/catch.hpp>

#include "rtl_tlm/fabric/burst_engine.h"
#include "rtl_tlm/fabric/wavelet_engine.h"

using namespace scribeline::fabric;
using scribeline::base::cycles;

namespace {

run_result burst_run(const program& p, const fabric_chip& chip) {
  run_result result = burst_engine(p, chip).run();
  INFO(result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  return result;
}

}  // namespace

TEST_CASE("burst: an operation between SRAM vectors takes its elements over the rate") {
  const fabric_chip chip = wse2_chip();  // copies two 32-bit elements per cycle, adds one
  program p("local", 1, 1);
  p.add_start_task(p.all(), 8, "local",
                   {timestamp{1}, copy(element_type::fp32, sram(0), sram(8000), 1000), timestamp{2},
                    add(element_type::fp32, sram(0), sram(0), sram(8000), 1000), timestamp{3}});
  const run_result result = burst_run(p, chip);
  const cycles overhead{chip.core.timestamp_cycles + chip.core.vector_setup_cycles};
  CHECK(result.at({0, 0}, 2) - result.at({0, 0}, 1) == overhead + cycles{500});
  CHECK(result.at({0, 0}, 3) - result.at({0, 0}, 2) == overhead + cycles{1000});
}
