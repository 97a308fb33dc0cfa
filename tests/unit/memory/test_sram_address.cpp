#include <catch2/catch.hpp>

#include "rtl_tlm/memory/sram_address.h"

using namespace scribeline::memory;

TEST_CASE("a core owns a window of 64 KiB and fields lie wafer, row, column, offset from the top") {
  static_assert(encode({0, {0, 0}, 0xbfff}) == 0xbfff);
  static_assert(encode({0, {0, 1}, 0}) == 0x1'0000);
  static_assert(encode({0, {1, 0}, 0}) == 0x400'0000);
  static_assert(encode({1, {0, 0}, 0}) == 0x20'0000'0000);
  CHECK(encode({3, {1171, 761}, 49151}) == 3ULL * (1ULL << 37) + 1171ULL * (1ULL << 26) + 761ULL * 65536 + 49151);
}

TEST_CASE("decoding takes an address apart into what encoding put together") {
  for (const sram_address a : {sram_address{0, {0, 0}, 0}, sram_address{81, {1171, 761}, 49151},
                               sram_address{(1U << wafer_bits) - 1, {2047, 1023}, 65535}}) {
    const sram_address back = decode(encode(a));
    CHECK(back == a);
  }
  CHECK(encode(decode(0xffff'ffff'ffff'ffff)) == 0xffff'ffff'ffff'ffff);
}

TEST_CASE("cores are ordered row by row") {
  CHECK(core_coordinates{0, 9} < core_coordinates{1, 0});
  CHECK(core_coordinates{1, 0} < core_coordinates{1, 1});
  CHECK_FALSE(core_coordinates{1, 1} < core_coordinates{1, 1});
}
