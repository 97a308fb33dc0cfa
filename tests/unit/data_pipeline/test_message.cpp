#include <catch2/catch.hpp>

#include "platforms/data_pipeline/data_message.h"

using namespace scribeline;
using namespace scribeline::platforms;
using Catch::Matchers::Contains;

TEST_CASE("a step and its vector become the bytes of a message, low byte first, and come back") {
  const link::message m = to_link({{0x01020304, 5}, {10, 11, 12}});
  CHECK(m.size == base::bytes{11});
  CHECK(*m.data == link::message_data{4, 3, 2, 1, 5, 0, 0, 0, 10, 11, 12});
  const data_message back = from_link(m);
  CHECK(back.step.position == 0x01020304);
  CHECK(back.step.token == 5);
  CHECK(back.vector == std::vector<std::uint8_t>{10, 11, 12});
  CHECK(from_link(to_link({{7, 8}, {}})).vector.empty());
}

TEST_CASE("a message without data, or with too little for a step, is refused") {
  link::message m;
  m.size = base::bytes{100};
  CHECK_THROWS_WITH(from_link(m), Contains("position and a token in its first 8 bytes"));
  m.data = std::make_shared<const link::message_data>(7);
  CHECK_THROWS_AS(from_link(m), std::invalid_argument);
}
