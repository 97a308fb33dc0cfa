#include <catch2/catch.hpp>
#include <deque>

#include "rtl_tlm/link/ring_queue.h"
#include "tests/unit/link/traffic.h"

using namespace scribeline::link;

TEST_CASE("a ring queue keeps first in, first out while it grows and wraps") {
  const std::uint32_t seed = 5;
  INFO("seed " << seed);
  random_source random{seed};
  ring_queue<std::int64_t> queue;
  std::deque<std::int64_t> reference;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    if (random.below(100) < (i < 5000 ? 55 : 45)) {
      queue.push_back(i);
      reference.push_back(i);
    } else if (!reference.empty()) {
      REQUIRE(queue.front() == reference.front());
      queue.pop_front();
      reference.pop_front();
    }
    REQUIRE(queue.size() == reference.size());
    for (std::size_t k = 0; k < reference.size(); k += 37)
      REQUIRE(queue.at(k) == reference[k]);
  }
}

TEST_CASE("a timed queue gives the earliest first and equals in order of insertion") {
  timed_queue<int> queue;
  queue.insert(ns(5), 1);
  queue.insert(ns(3), 2);
  queue.insert(ns(5), 3);
  queue.insert(ns(3), 4);
  queue.insert(ns(4), 5);
  CHECK_FALSE(queue.due(ns(2)));
  CHECK(queue.due(ns(3)));
  std::vector<int> order;
  while (!queue.empty())
    order.push_back(queue.take());
  CHECK(order == std::vector<int>{2, 4, 5, 1, 3});
}
