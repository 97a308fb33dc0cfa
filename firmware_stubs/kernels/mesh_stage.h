// A wafer's share of a decoder, with values: what comes in, what its cores run for a token, what goes out. A pipeline
// of wafers is a list of these.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "firmware_stubs/kernels/edge_vector.h"
#include "firmware_stubs/kernels/mesh_machine.h"

namespace scribeline::kernels {

// One token on its way. Positions count from 0 and come in order.
struct token_step {
  int position = 0;
  int token = 0;
};

struct mesh_stage {
  int columns = 1;
  int rows = 1;
  std::optional<edge_vector> enters;  // none: the stage needs no more than the token
  edge_vector leaves;
  // Weights, tables and empty caches, before the first token.
  std::function<void(mesh_machine&)> load;
  // The firmware compiles for the token: its position says where its key and value go in the cache.
  std::function<std::vector<mesh_kernel>(const token_step&)> kernels;
};

}  // namespace scribeline::kernels
