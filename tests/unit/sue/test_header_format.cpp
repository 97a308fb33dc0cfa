#include <catch2/catch.hpp>
#include <cstdlib>

#include "rtl_tlm/base/random.h"
#include "rtl_tlm/sue/header_format.h"

using namespace scribeline;
using namespace scribeline::sue;

TEST_CASE("a reliability header is 8 bytes and survives its trip") {
  base::random_stream random(11);
  for (int i = 0; i < 1000; ++i) {
    reliability_header h;
    h.source = static_cast<int>(random.below(max_ranks));
    h.channel = static_cast<int>(random.below(max_channels));
    h.psn = static_cast<std::uint16_t>(random.next());
    h.carries_data = random.below(2) == 1;
    h.acknowledges = static_cast<acknowledgement>(random.below(3));
    h.acked_psn = static_cast<std::uint16_t>(random.next());
    CAPTURE(i);
    const reliability_header back = reliability_header::unpack(h.pack());
    REQUIRE(back.source == h.source);
    REQUIRE(back.channel == h.channel);
    REQUIRE(back.psn == h.psn);
    REQUIRE(back.carries_data == h.carries_data);
    REQUIRE(back.acknowledges == h.acknowledges);
    REQUIRE(back.acked_psn == h.acked_psn);
  }
  STATIC_REQUIRE(sizeof(reliability_header{}.pack()) == reliability_header_bytes);
}

TEST_CASE("16-bit sequence numbers stand for the nearest number") {
  CHECK(extend_psn(5, 0) == 5);
  CHECK(extend_psn(0xffff, 0) == -1);
  CHECK(extend_psn(0, 0xffff) == 0x10000);
  CHECK(extend_psn(3, 0x1fffe) == 0x20003);
  CHECK(extend_psn(0xfffe, 0x20001) == 0x1fffe);
  for (std::int64_t near = 65'000; near < 66'000; near += 7)
    for (std::int64_t distance = -32'767; distance < 32'768; distance += 911)
      REQUIRE(extend_psn(static_cast<std::uint16_t>(near + distance), near) == near + distance);
}

// n P / (n P + H + 20), by hand.
TEST_CASE("payload efficiency by header, transactions and their size") {
  struct row {
    std::int64_t header, n, transaction;
    double efficiency;
  };
  const row rows[] = {
      {10, 1, 32, 32.0 / 62},  {10, 1, 256, 256.0 / 286},   {10, 4, 64, 256.0 / 286},    {10, 16, 256, 4096.0 / 4126},
      {24, 1, 32, 32.0 / 76},  {24, 1, 256, 256.0 / 300},   {24, 4, 128, 512.0 / 556},   {24, 16, 256, 4096.0 / 4140},
      {34, 1, 64, 64.0 / 118}, {34, 4, 256, 1024.0 / 1078}, {34, 16, 32, 512.0 / 566},   {34, 16, 256, 4096.0 / 4150},
      {46, 1, 32, 32.0 / 98},  {46, 1, 256, 256.0 / 322},   {46, 4, 256, 1024.0 / 1090}, {46, 16, 256, 4096.0 / 4162},
      {78, 1, 32, 32.0 / 130}, {78, 1, 256, 256.0 / 354},   {78, 4, 32, 128.0 / 226},    {78, 16, 256, 4096.0 / 4194},
  };
  for (const row& r : rows) {
    CAPTURE(r.header, r.n, r.transaction);
    CHECK(payload_efficiency(r.n, r.transaction, r.header) == r.efficiency);
  }
}
