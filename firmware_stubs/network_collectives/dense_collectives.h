// Closed forms of collectives of dense tensors among the ranks of one scale-up domain.
//
// With n ranks, S bytes, B the payload rate a rank sustains (gbytes_per_s x payload_share x collective_share) and L
// the one-way latency through the switch:
//
//   all-reduce, one-shot     start + L + (n - 1) S / B                 every rank sends everything to every other
//   all-reduce, two-shot     start + phase + 2 L + 2 (n - 1)/n S / B   scattered sums, then gathered
//   all-reduce, ring         start + phase + 2 (n - 1) L + 2 (n - 1)/n S / B
//   all-reduce, in-network   start + phase + 2 L + (1 + 1/n) S / B     the switch adds a share for each rank (as it
//   reads
//                                                                      it) and multicasts the sums
//   all-gather, reduce-scatter, all-to-all
//     direct                 start + L + (n - 1)/n S / B
//     ring                   start + phase + (n - 1) L + (n - 1)/n S / B
//
// Which are considered: one-shot, two-shot and direct up to the size a library stages (staged_bytes_*), the others
// beyond; all of them when no such limit exists. The fastest is taken, the first of equals.
// Not modelled: contention with other traffic, ranks that arrive late (see expert_routing.h for skew).
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/accelerator/accelerator_config.h"

namespace scribeline::network_collectives {

enum class algorithm { one_shot, two_shot, ring, in_network, direct };
const char* to_string(algorithm a);

struct option {
  algorithm how = algorithm::one_shot;
  double ns = 0;
  double bytes_sent = 0;  // payload leaving one rank
};

// What is considered for this size. One rank has nothing to exchange: one option of 0 ns.
std::vector<option> all_reduce_options(const accelerator::scale_up_config& network, std::int64_t ranks, double bytes);
// All-gather (bytes: gathered), reduce-scatter (before scattering), all-to-all of equal shares (of one rank).
std::vector<option> gather_options(const accelerator::scale_up_config& network, std::int64_t ranks, double bytes);

option fastest(const std::vector<option>& options);
inline option best_all_reduce(const accelerator::scale_up_config& network, std::int64_t ranks, double bytes) {
  return fastest(all_reduce_options(network, ranks, bytes));
}
inline option best_gather(const accelerator::scale_up_config& network, std::int64_t ranks, double bytes) {
  return fastest(gather_options(network, ranks, bytes));
}

// One message from rank to rank.
double transfer_ns(const accelerator::scale_up_config& network, double bytes);

}  // namespace scribeline::network_collectives
