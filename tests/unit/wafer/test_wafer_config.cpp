#include <catch2/catch.hpp>

#include "rtl_tlm/wafer/wafer_config.h"

using namespace scribeline::wafer;

TEST_CASE("the presets are found by name, and no other name is") {
  REQUIRE(find_wafer_preset("wse2") != nullptr);
  REQUIRE(find_wafer_preset("wse3") != nullptr);
  CHECK(find_wafer_preset("wse4") == nullptr);
  CHECK(find_wafer_preset("") == nullptr);
}

TEST_CASE("the presets come to the totals the vendor publishes") {
  struct published {
    const char* name;
    double sram_gb, sram_pb_per_s;
  };
  // WSE-2: 40 GB and 20 PB/s over 850,000 cores; WSE-3: 44 GB and 21 PB/s over 900,000. The program rectangle is the
  // smaller part of them that a program may use, and the published WSE-2 bandwidth counts writes (24 B a cycle).
  for (const published& p : {published{"wse2", 40, 20}, published{"wse3", 44, 21}}) {
    INFO(p.name);
    const wafer_config c = find_wafer_preset(p.name)->config;
    CHECK(static_cast<double>(c.cores() * c.sram_bytes_per_core) / 1e9 < p.sram_gb * 1.024);
    CHECK(static_cast<double>(c.cores() * c.sram_bytes_per_core) / 1e9 > p.sram_gb * 0.9);
    CHECK(static_cast<double>(c.cores()) * c.vector.sram_bytes_per_cycle * c.clock_ghz / 1e6 <= p.sram_pb_per_s);
    CHECK(c.vector.fma_fp16_per_cycle <= c.vector.peak_fma_fp16_per_cycle);
    CHECK(c.data_bytes_per_core() == 44976);
    CHECK(c.stages == 1);
  }
}
