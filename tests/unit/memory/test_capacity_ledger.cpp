#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>

#include "rtl_tlm/memory/capacity_ledger.h"

using namespace scribeline::memory;
using scribeline::base::bytes;

TEST_CASE("a reservation takes the same bytes on every core of its region") {
  capacity_ledger ledger{10, 20, bytes{1000}};
  const auto whole = ledger.add_region("wafer", core_rectangle{0, 0, 10, 20});
  REQUIRE_FALSE(ledger.reserve_per_core(whole, owner::code, bytes{100}));
  REQUIRE_FALSE(ledger.reserve(whole, owner::weights, bytes{120'000}));

  CHECK(ledger.capacity().value() == 200'000);
  CHECK(ledger.taken().value() == 140'000);
  CHECK(ledger.free_on({9, 19}).value() == 300);
  CHECK(ledger.free_per_core(whole).value() == 300);
  CHECK(ledger.held(owner::code).held.value() == 20'000);
  CHECK(ledger.held(owner::weights).held.value() == 120'000);
  CHECK(ledger.held(owner::cache).held.value() == 0);
  CHECK(ledger.room(whole, owner::cache).value() == 60'000);
}

TEST_CASE("a cache that grows token by token wastes less than a byte per core") {
  capacity_ledger ledger{10, 20, bytes{1000}};
  const auto whole = ledger.add_region("wafer", core_rectangle{0, 0, 10, 20});
  for (int token = 0; token < 100; ++token)
    REQUIRE_FALSE(ledger.reserve(whole, owner::cache, bytes{1153}));
  // 115,300 B on 200 cores: 576.5 rounded up.
  CHECK(ledger.held(owner::cache).held.value() == 115'300);
  CHECK(ledger.held(owner::cache).taken.value() == 577 * 200);
  CHECK(ledger.free_on({0, 0}).value() == 423);
  CHECK(ledger.room(whole, owner::cache).value() == 423 * 200 + 100);
  CHECK(ledger.room(whole, owner::state).value() == 423 * 200);
}

TEST_CASE("a reservation that does not fit names region, owner, first core, need and room, and changes nothing") {
  capacity_ledger ledger{10, 20, bytes{1000}};
  const auto whole = ledger.add_region("wafer", core_rectangle{0, 0, 10, 20});
  const auto experts = ledger.add_region("experts", core_rectangle{4, 7, 2, 3});
  REQUIRE_FALSE(ledger.reserve_per_core(whole, owner::code, bytes{200}));
  REQUIRE_FALSE(ledger.reserve_per_core(experts, owner::weights, bytes{700}));

  const auto misfit = ledger.reserve(whole, owner::cache, bytes{200 * 150 + 1});
  REQUIRE(misfit);
  CHECK(misfit->region == "wafer");
  CHECK(misfit->who == owner::cache);
  CHECK(misfit->core == core_coordinates{4, 7});
  CHECK(misfit->needed.value() == 151);
  CHECK(misfit->available.value() == 100);
  CHECK(misfit->capacity.value() == 1000);
  CHECK(misfit->message() ==
        "region 'wafer': cache needs 151 B more on core (row 4, column 7), which has 100 of 1000 B free");

  CHECK(ledger.held(owner::cache).held.value() == 0);
  CHECK(ledger.held(owner::cache).peak.value() == 0);
  CHECK(ledger.free_on({0, 0}).value() == 800);
  CHECK_FALSE(ledger.reserve(whole, owner::cache, bytes{200 * 100}));
  CHECK(ledger.reserve(whole, owner::cache, bytes{1}));
}

TEST_CASE("regions that overlap share the room of the cores they share") {
  capacity_ledger ledger{4, 4, bytes{100}};
  const auto left = ledger.add_region("left", core_rectangle{0, 0, 4, 3});
  REQUIRE_FALSE(ledger.reserve_per_core(left, owner::weights, bytes{60}));
  // Added later: what the cores hold already stays held.
  const auto right = ledger.add_region("right", core_rectangle{0, 2, 4, 2});
  const auto middle = ledger.reserve_per_core(right, owner::cache, bytes{50});
  REQUIRE(middle);
  CHECK(middle->core == core_coordinates{0, 2});
  CHECK(middle->available.value() == 40);
  REQUIRE_FALSE(ledger.reserve_per_core(right, owner::cache, bytes{30}));
  CHECK(ledger.free_on({3, 0}).value() == 40);
  CHECK(ledger.free_on({3, 2}).value() == 10);
  CHECK(ledger.free_on({3, 3}).value() == 70);
  // The split zone still belongs to the first region.
  ledger.release_per_core(left, owner::weights, bytes{60});
  CHECK(ledger.free_on({3, 0}).value() == 100);
  CHECK(ledger.free_on({3, 2}).value() == 70);
}

TEST_CASE("a region may be a count of cores, and the core that lacks room is one of them") {
  capacity_ledger ledger{4, 10, bytes{100}};
  const auto first = ledger.add_region("layer 0", core_coordinates{0, 0}, 17);
  const auto second = ledger.add_region("layer 1", core_coordinates{1, 7}, 23);
  CHECK(ledger.cores(first) == 17);
  REQUIRE_FALSE(ledger.reserve_per_core(first, owner::weights, bytes{100}));
  REQUIRE_FALSE(ledger.reserve_per_core(second, owner::weights, bytes{100}));
  CHECK(ledger.reserve_per_core(second, owner::weights, bytes{1})->core == core_coordinates{1, 7});
  CHECK(ledger.taken() == ledger.capacity());
}

TEST_CASE("high-water marks stay when bytes are released") {
  capacity_ledger ledger{2, 2, bytes{100}};
  const auto whole = ledger.add_region("wafer", core_rectangle{0, 0, 2, 2});
  REQUIRE_FALSE(ledger.reserve(whole, owner::cache, bytes{300}));
  ledger.release(whole, owner::cache, bytes{200});
  REQUIRE_FALSE(ledger.reserve(whole, owner::cache, bytes{50}));
  CHECK(ledger.held(whole, owner::cache).held.value() == 150);
  CHECK(ledger.held(whole, owner::cache).peak.value() == 300);
  CHECK(ledger.held(owner::cache).peak.value() == 300);
  CHECK(ledger.peak_taken().value() == 300);
  CHECK(ledger.taken().value() == 4 * 38);
}

TEST_CASE("misuse is refused with what is wrong") {
  capacity_ledger ledger{2, 2, bytes{100}};
  CHECK_THROWS_WITH(ledger.add_region("wide", core_rectangle{0, 1, 1, 2}),
                    "region 'wide': 1 x 2 cores from (row 0, column 1) are not all on a wafer of 2 rows x 2 columns");
  CHECK_THROWS_AS(ledger.add_region("empty", core_rectangle{0, 0, 0, 2}), std::invalid_argument);
  CHECK_THROWS_AS(ledger.add_region("long", core_coordinates{1, 0}, 3), std::invalid_argument);
  CHECK_THROWS_AS(ledger.held(0, owner::cache), std::invalid_argument);
  const auto whole = ledger.add_region("wafer", core_rectangle{0, 0, 2, 2});
  REQUIRE_FALSE(ledger.reserve(whole, owner::cache, bytes{10}));
  CHECK_THROWS_WITH(ledger.release(whole, owner::cache, bytes{11}),
                    "region 'wafer': cache cannot release 0 B per core and 11 B spread, it holds 0 B per core and 10 B "
                    "spread");
  CHECK_THROWS_AS(ledger.reserve(whole, owner::cache, bytes{-1}), std::invalid_argument);
  CHECK_THROWS_AS(ledger.free_on({2, 0}), std::invalid_argument);
}

TEST_CASE("random reservations agree with an account kept core by core") {
  const std::uint32_t seed = 7'2024;
  INFO("seed " << seed);
  std::mt19937 random{seed};
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t side = 8;
  const std::int64_t capacity = 500;
  capacity_ledger ledger{side, side, bytes{capacity}};
  std::vector<core_set> regions;
  std::vector<std::array<std::int64_t, owner_count>> spread;
  std::vector<std::int64_t> used(side * side);
  const auto ceil_of = [](std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); };

  int refused = 0;
  for (int step = 0; step < 4000; ++step) {
    if (step % 500 == 0) {
      const std::uint32_t row = below(side), column = below(side);
      const core_rectangle r{row, column, 1 + below(side - row), 1 + below(side - column)};
      ledger.add_region("region", r);
      regions.emplace_back(r);
      spread.push_back({});
    }
    const auto region = below(static_cast<std::uint32_t>(regions.size()));
    const auto who = below(owner_count);
    std::int64_t& held = spread[region][who];
    const std::int64_t cores = regions[region].cores();
    const bool releases = below(3) == 0;
    const std::int64_t amount = releases ? below(static_cast<std::uint32_t>(held + 1)) : below(800);
    const std::int64_t change = ceil_of(held + (releases ? -amount : amount), cores) - ceil_of(held, cores);
    bool fits = true;
    for (std::uint32_t i = 0; i < side * side; ++i)
      if (regions[region].contains({i / side, i % side}) && used[i] + change > capacity) fits = false;
    if (releases) {
      ledger.release(static_cast<int>(region), static_cast<owner>(who), bytes{amount});
    } else {
      REQUIRE(ledger.reserve(static_cast<int>(region), static_cast<owner>(who), bytes{amount}).has_value() == !fits);
    }
    if (!fits) {
      ++refused;
      continue;
    }
    held += releases ? -amount : amount;
    for (std::uint32_t i = 0; i < side * side; ++i)
      if (regions[region].contains({i / side, i % side})) used[i] += change;
    std::int64_t taken = 0;
    for (std::uint32_t i = 0; i < side * side; ++i) {
      REQUIRE(ledger.free_on({i / side, i % side}).value() == capacity - used[i]);
      taken += used[i];
    }
    REQUIRE(ledger.taken().value() == taken);
  }
  CHECK(refused > 100);
}
