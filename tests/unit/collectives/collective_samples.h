// Collectives of uneven sizes, for comparisons of runs: between them they use every mechanism of a fabric program but
// data tasks and edges, which edge_multicast adds.
#pragma once

#include <vector>

#include "firmware_stubs/collectives/collective.h"

namespace scribeline::collectives::test {

inline std::vector<fabric::program> collective_samples(const fabric::fabric_chip& chip) {
  const vector_spec v{fabric::element_type::fp32, 37, 0};
  const vector_spec halves{fabric::element_type::fp16, 150, 0};
  const vector_spec chunk{fabric::element_type::int32, 6, 0};
  const reduce_plan chain{reduce_kind::chain};
  const reduce_plan star{reduce_kind::star};
  const reduce_plan tree{reduce_kind::tree};
  const reduce_plan generated{reduce_kind::generated};
  const reduce_plan groups{reduce_kind::two_phase, 5};
  all_to_all_spec exchange;
  exchange.chunk = chunk;
  exchange.staging_address = 1024;
  exchange.result_address = 4096;
  std::vector<fabric::program> all;
  for (const reduce_plan& plan : {chain, star, tree, generated, groups})
    all.push_back(reduce_rows(chip, 23, 2, plan.kind == reduce_kind::two_phase ? v : halves, plan));
  all.push_back(reduce_xy(chip, 19, 14, v, groups, chain));
  all.push_back(reduce_snake(chip, 7, 6, v));
  all.push_back(broadcast(chip, 21, 13, v));
  all.push_back(all_reduce_rows(chip, 23, 3, halves, generated));
  all.push_back(all_reduce_xy(chip, 33, 18, v, groups, groups));
  all.push_back(all_reduce_xy(chip, 70, 40, halves, groups, groups));
  all.push_back(all_reduce_ring(chip, 12, 5, axis::row, {fabric::element_type::fp32, 48, 0}));
  all.push_back(all_reduce_two_tree(chip, 5, 12, axis::column, {fabric::element_type::fp32, 48, 0}));
  all.push_back(all_to_all(chip, 11, 4, axis::row, exchange));
  all.push_back(scatter(chip, 4, 13, axis::column, chunk, 4096));
  all.push_back(gather(chip, 13, 4, axis::row, chunk, 4096));
  all.push_back(edge_multicast(chip, 17, 9, 3, fabric::rectangle(4, 1, 11, 7), v, 50));
  return all;
}

}  // namespace scribeline::collectives::test
