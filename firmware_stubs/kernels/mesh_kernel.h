// Kernels on a mesh of cores: work on the core's own vectors, an all-reduce along rows or columns, work on its result.
//
// All cores run the same instructions on the same addresses; what differs is what their memory holds. A layer is a list
// of kernels, each a fabric program of its own: a core begins the next kernel when the slowest one has ended this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware_stubs/collectives/two_tree.h"

namespace scribeline::kernels {

// Vector operations of a body, loops counted.
std::int64_t vector_operations_in(const std::vector<fabric::instruction>& body);

struct reduction {
  collectives::axis along = collectives::axis::row;
  collectives::vector_spec vector;
  int parts = 1;  // a line is cut into this many equal lines that reduce for themselves
};

struct mesh_kernel {
  std::string name;
  std::vector<fabric::instruction> before;
  std::optional<reduction> reduce;
  std::vector<fabric::instruction> after;
  std::optional<fabric::region> where;  // without an all-reduce: only these cores do something

  std::int64_t vector_operations() const;  // of `before` and `after`, loops counted
};

// How kernels all-reduce, and what they pay for the call.
//
// call_cycles on WSE-2 is fitted, see docs/validation.md.
struct all_reduce_style {
  collectives::relay_kind relay = collectives::relay_kind::streaming;
  int groups = 0;                // of a line; 0: collectives::two_tree_groups
  std::int64_t call_cycles = 0;  // scalar code of every core between its own work and the all-reduce
};

// Cores mark begin and end as collectives do. Throws std::invalid_argument when a line does not divide into its parts
// or groups.
fabric::program program_of(const mesh_kernel& kernel, const fabric::fabric_chip& chip, int columns, int rows,
                           const all_reduce_style& style = {});

}  // namespace scribeline::kernels
