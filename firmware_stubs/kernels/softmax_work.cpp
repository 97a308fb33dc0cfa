#include "firmware_stubs/kernels/softmax_work.h"

#include <algorithm>

#include "rtl_tlm/base/units.h"

namespace scribeline::kernels {

using fabric::opcode;

namespace {

bool along_positions(const softmax_extents& e) {
  return e.positions >= e.queries;
}

template <class Add>
void each_score_vector(operation_list& list, const softmax_extents& e, Add&& add) {
  const auto [repeats, length] = std::minmax({e.queries, e.positions});
  list.repeat(std::int64_t{repeats} * e.tokens, [&, n = length] { add(n); });
}

}  // namespace

void add_softmax_maximum(operation_list& list, const softmax_extents& e) {
  each_score_vector(list, e, [&](int n) {
    list.binary({opcode::multiply, opcode::add}, n);
    along_positions(e) ? list.collect(opcode::maximum, n) : list.binary(opcode::maximum, n);
  });
}

void add_softmax_exponential(operation_list& list, const softmax_extents& e) {
  each_score_vector(list, e, [&](int n) {
    along_positions(e) ? list.multiply_add(n) : list.binary(opcode::subtract, n);  // one maximum, or one for each query
    list.unary(opcode::exponential, n);
    along_positions(e) ? list.collect(opcode::add, n) : list.binary(opcode::add, n);
  });
}

void add_softmax_division(operation_list& list, const softmax_extents& e, int elements) {
  const int queries = std::min(e.queries, elements);
  const auto [repeats, length] = std::minmax({queries, base::ceil_div(elements, queries)});
  list.repeat(e.tokens, [&, r = repeats, n = length] {
    list.unary(opcode::reciprocal, queries);
    list.repeat(r, [&] { list.binary(opcode::multiply, n); });
  });
}

}  // namespace scribeline::kernels
