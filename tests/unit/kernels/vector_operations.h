// The vector operations of a body one by one, loops counted: what a core does, whatever code says it.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "firmware_stubs/kernels/core_work.h"

namespace scribeline::kernels::test {

// How many of each operation, type and length.
using operation_count = std::map<std::tuple<fabric::opcode, fabric::element_type, std::int64_t>, std::int64_t>;

inline void count_operations(operation_count& count, const std::vector<fabric::instruction>& body,
                             std::int64_t times = 1) {
  std::vector<std::int64_t> repeats{times};
  for (const fabric::instruction& i : body) {
    if (const auto* loop = std::get_if<fabric::begin_loop>(&i))
      repeats.push_back(repeats.back() * loop->count.at({0, 0}));
    if (std::holds_alternative<fabric::end_loop>(i)) repeats.pop_back();
    if (const auto* v = std::get_if<fabric::vector_op>(&i)) {
      auto& n = count[{v->op, v->type, v->length.at({0, 0})}];
      n += repeats.back();
    }
  }
}

inline operation_count operations_of(const std::vector<fabric::instruction>& body) {
  operation_count count;
  count_operations(count, body);
  return count;
}

inline operation_count operations_of(const wafer::descriptor& d, const round_extents& round = {}) {
  operation_count count;
  for (const core_part& part : core_work(d, round))
    count_operations(count, part.body, part.times);
  return count;
}

inline operation_count operator+(operation_count a, const operation_count& b) {
  for (const auto& [operation, n] : b)
    a[operation] += n;
  return a;
}

}  // namespace scribeline::kernels::test
