// Whole collectives as fabric programs: reduce, broadcast and all-reduce over a rectangle of cores.
//
// All cores start at once. Cores read the cycle counter when their part begins (begin_mark) and the roots when theirs
// is complete (end_mark), as measurements on the machine do: the time of a reduce is the end mark of the root less the
// begin mark.
#pragma once

#include "firmware_stubs/collectives/broadcast.h"
#include "firmware_stubs/collectives/exchange.h"
#include "firmware_stubs/collectives/reduce.h"
#include "firmware_stubs/collectives/ring.h"
#include "firmware_stubs/collectives/snake.h"
#include "firmware_stubs/collectives/two_tree.h"
#include "rtl_tlm/fabric/run.h"

namespace scribeline::collectives {

inline constexpr std::uint16_t begin_mark = 1;
inline constexpr std::uint16_t end_mark = 2;

// From the first core that begins to the last that is done, as measurements on the machine take it. Throws
// std::logic_error when a mark is missing.
base::cycles cycles_between_marks(const fabric::run_result& result);

// How a collective is called and timed.
struct launch_spec {
  // Between reading the counter and the first phase: the call of the kernel, and whatever the measurement adds.
  std::int64_t call_cycles = 0;
};

// The vectors of every row are reduced to its first core (columns x 1 for a single line).
fabric::program reduce_rows(const fabric::fabric_chip& chip, int columns, int rows, const vector_spec& v,
                            const reduce_plan& plan, const launch_spec& launch = {});

// Rows, then the column of their roots: the result is at core (0, 0).
fabric::program reduce_xy(const fabric::fabric_chip& chip, int columns, int rows, const vector_spec& v,
                          const reduce_plan& row_plan, const reduce_plan& column_plan, const launch_spec& launch = {});

// One chain through all cores, row by row in alternating direction, that ends at core (0, 0).
fabric::program reduce_snake(const fabric::fabric_chip& chip, int columns, int rows, const vector_spec& v,
                             const launch_spec& launch = {});

// From core (0, 0) to all others.
fabric::program broadcast(const fabric::fabric_chip& chip, int columns, int rows, const vector_spec& v,
                          const launch_spec& launch = {});

// Every row reduces and broadcasts the result.
fabric::program all_reduce_rows(const fabric::fabric_chip& chip, int columns, int rows, const vector_spec& v,
                                const reduce_plan& plan, const launch_spec& launch = {});

// X-Y reduce, then a broadcast from core (0, 0): all cores end with the sum over the rectangle.
fabric::program all_reduce_xy(const fabric::fabric_chip& chip, int columns, int rows, const vector_spec& v,
                              const reduce_plan& row_plan, const reduce_plan& column_plan,
                              const launch_spec& launch = {});

// Every row, or every column, all-reduces on a folded ring.
fabric::program all_reduce_ring(const fabric::fabric_chip& chip, int columns, int rows, axis along,
                                const vector_spec& v, const launch_spec& launch = {});

// Every row, or every column, all-reduces as WaferLLM does. groups = 0: the divisor of the length nearest to its root.
fabric::program all_reduce_two_tree(const fabric::fabric_chip& chip, int columns, int rows, axis along,
                                    const vector_spec& v, int groups = 0, const launch_spec& launch = {},
                                    relay_kind how = relay_kind::streaming);

// Every row, or every column: all-to-all, scatter from the first core, gather to it.
fabric::program all_to_all(const fabric::fabric_chip& chip, int columns, int rows, axis along,
                           const all_to_all_spec& spec, const launch_spec& launch = {});
fabric::program scatter(const fabric::fabric_chip& chip, int columns, int rows, axis along, const vector_spec& chunk,
                        int target_address, const launch_spec& launch = {});
fabric::program gather(const fabric::fabric_chip& chip, int columns, int rows, axis along, const vector_spec& chunk,
                       int target_address, const launch_spec& launch = {});

// A vector from the west edge, entering in `row`, to all cores of `cores`.
fabric::program edge_multicast(const fabric::fabric_chip& chip, int columns, int rows, int row,
                               const fabric::region& cores, const vector_spec& v, std::int64_t first_cycle = 0,
                               const launch_spec& launch = {});

}  // namespace scribeline::collectives
