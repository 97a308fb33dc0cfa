// Where the operations of a pipeline stage run on a wafer.
#pragma once

#include <cstdint>

namespace scribeline::kernels {

struct rectangle {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t cores() const { return columns * rows; }
};

// A stage owns a block of cores. In its middle lies the region that holds the activation, the projections,
// attention and its cache. Experts are spread over the whole block, cut into a grid of equal groups: each expert
// lives in one group, spread over all its cores. The region shares its cores with the groups it overlaps; within
// one pass the two work one after the other.
struct stage_map {
  rectangle block;
  rectangle region;
  // Attention: the lines of the axis that splits the cached vectors by element fall into this many equal bands, each
  // with its own positions and all elements.
  std::int64_t attention_bands = 1;
  std::int64_t group_columns = 1;  // the grid of expert groups; 1 x 1 when the stage has no experts
  std::int64_t group_rows = 1;
  // Tokens of a pass whose operands a core holds at once. Longer passes go in rounds; their activations lie spread
  // over the whole region meanwhile instead of repeated on every line.
  std::int64_t token_tile = 16;
  // Fabric hops between the wafer's link and the block, for a pass that comes from or leaves for another wafer.
  std::int64_t hops_from_link = 0;
  std::int64_t hops_to_link = 0;

  std::int64_t groups() const { return group_columns * group_rows; }
  rectangle group() const { return {block.columns / group_columns, block.rows / group_rows}; }
};

}  // namespace scribeline::kernels
