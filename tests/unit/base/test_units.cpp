#include <catch2/catch.hpp>

#include "rtl_tlm/base/units.h"

using namespace scribeline::base;
using sc_core::sc_time;

TEST_CASE("the kernel counts picoseconds, as the conversions assume") {
  REQUIRE(sc_core::sc_get_time_resolution() == sc_time(1, sc_core::SC_PS));
}

TEST_CASE("cycles become time through their clock and round once") {
  const frequency wse3{0.875};
  CHECK(wse3.duration(cycles{7}) == sc_time(8000, sc_core::SC_PS));
  // 1 cycle is 1142.857 ps; a thousand of them must not add up a thousand rounding errors.
  CHECK(wse3.duration(cycles{1}) == sc_time(1143, sc_core::SC_PS));
  CHECK(wse3.duration(cycles{1000}) == sc_time(1142857, sc_core::SC_PS));
}

TEST_CASE("bytes become time through their link") {
  CHECK(bandwidth{100}.duration(bytes{1500}) == sc_time(120, sc_core::SC_NS));
  CHECK(bandwidth{800}.duration(bytes{4140}) == sc_time(41400, sc_core::SC_PS));
}

TEST_CASE("ceil_div rounds up") {
  CHECK(ceil_div(0, 4) == 0);
  CHECK(ceil_div(1, 4) == 1);
  CHECK(ceil_div(4, 4) == 1);
  CHECK(ceil_div(5, 4) == 2);
}
