#include <catch2/catch.hpp>
#include <stdexcept>

#include "rtl_tlm/switch/input_set.h"
#include "rtl_tlm/switch/reducer.h"

using namespace scribeline::switching;

TEST_CASE("contributions are combined when every member has one") {
  reducer r({4, 7, 9});
  CHECK_FALSE(r.add(7, 1, 0, 10));
  CHECK_FALSE(r.add(7, 2, 1, 20));
  CHECK_FALSE(r.add(9, 3, 0, 5));
  const auto done = r.add(4, 4, 0, 1);
  REQUIRE(done);
  CHECK(done->sequence == 0);
  CHECK(done->sum == 16);
  CHECK(done->contributions == std::vector<frame_slot>{4, 1, 3});
  CHECK(r.why_blocked() == "1 of 3 members have contributed, missing are those behind ports 4, 9");
}

TEST_CASE("contributions out of order and of strangers are refused") {
  reducer r({0, 1});
  r.add(0, 1, 5, 0);
  CHECK_THROWS_AS(r.add(2, 2, 5, 0), std::logic_error);
  CHECK_THROWS_WITH(r.add(1, 2, 6, 0), Catch::Contains("members must keep one order"));
}

TEST_CASE("the next input in turn is found across words") {
  input_set s(130);
  CHECK(s.first_from(0) == -1);
  for (const int input : {0, 63, 64, 129})
    s.insert(input);
  CHECK(s.first_from(0) == 0);
  CHECK(s.first_from(1) == 63);
  CHECK(s.first_from(64) == 64);
  CHECK(s.first_from(65) == 129);
  CHECK(s.first_from(130) == -1);
  s.erase(129);
  CHECK(s.first_from(65) == -1);
}
